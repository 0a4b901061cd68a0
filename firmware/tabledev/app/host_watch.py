"""How old the host's last frame is: bets close when it falls silent and open when it is back.

A host frame echoes the uptime of the newest frame of this table that reached the host, and how
long ago that was. So it was made at `echo + echo_ms` or later by this table's own clock, however
long the line held it back. The rule applies from the first beacon of a session on: a program that
sends none, such as a monitor, promises nothing.
"""

from tablelogic.core.clock import MASK, diff
from tablewire.compat import const
from tablewire.messages import UNKNOWN_U16

LIMIT_MS = const(2000)
_U32 = const(0xFFFFFFFF)
_AGES_AGO_MS = const(60000)  # older than this is all the same


class HostWatch:
    """post: post.Post, whose frames echo the tokens of the host; clock: see hal.

    is_silent: beacons came in this session, and the newest host frame is older than LIMIT_MS.
    """

    def __init__(self, post: object, clock: object) -> None:
        self.is_silent = False
        self._post = post
        self._clock = clock
        self._sends_beacons = False
        self._made_ms = 0  # when the newest frame of the host was made at the earliest

    def begin(self) -> None:
        """A session begins: what the host before it sent counts no more."""
        self.is_silent = self._sends_beacons = False

    def take(self, frame: object) -> None:
        """A frame of the host that was accepted."""
        if not frame.echo or frame.echo_ms == UNKNOWN_U16:
            return
        age_ms = (self._post.uptime_ms() - frame.echo - frame.echo_ms) & _U32
        if age_ms > _U32 >> 1:
            return  # an uptime this table has not shown yet
        made_ms = (self._clock.ticks_ms() - min(age_ms, _AGES_AGO_MS)) & MASK
        if not self._sends_beacons or diff(made_ms, self._made_ms) > 0:
            self._made_ms = made_ms
        self.check()

    def beacon(self, token: int) -> None:
        """A token of the host: the next frames echo it."""
        self._post.echo(token)
        if not self._sends_beacons:
            self._sends_beacons = True
            self.check()

    def age_ms(self) -> int:
        """Age of the newest host frame, at most."""
        return diff(self._clock.ticks_ms(), self._made_ms)

    def check(self) -> bool:
        """Let time pass; returns is_silent. Call at least once a minute."""
        self.is_silent = self._sends_beacons and self.age_ms() > LIMIT_MS
        return self.is_silent
