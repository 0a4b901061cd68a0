"""How old is what this host knows of a table, and what does the table's clock show?

Both as hard bounds that a line may widen and never falsify. The host sends tokens; each frame of
the table carries the newest token that arrived and the milliseconds since, so the frame was made
no earlier than the token was sent plus those milliseconds, by this host's own clock. A frame was
made between that moment and its arrival: so the distance between the two clocks lies in an
interval, and the intervals of all frames intersect unless the device's clock steps or drifts by
more than it may. Nothing here is estimated. Without I/O; time is handed in as nanoseconds of the
host's monotonic clock.
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from tablewire.codec import Frame
from tablewire.messages import FLAG_RETRANSMITTED, HEARTBEAT, STATE

MS = 1_000_000
NS = 1_000_000_000
BEACON_EVERY_NS = 250 * MS
STALE_AFTER_NS = 1 * NS
MAX_DRIFT_PPM = 500
_REMEMBERED_NS = 30 * NS
_TOKEN_LIMIT = 1 << 30
_ECHO_UNKNOWN_MS = 65535
_WRAP_MS = 1 << 32


class Span(NamedTuple):
    """What the device's clock shows: no earlier and no later than these uptimes, milliseconds.

    They wrap at 2^32 as the device's do; earliest may so be the larger number.
    """

    earliest_ms: int
    latest_ms: int

    @property
    def middle_ms(self) -> int:
        """The uptime in the middle."""
        return (self.earliest_ms + self._width_ms // 2) % _WRAP_MS

    @property
    def uncertainty_ms(self) -> int:
        """How far the bounds are from the middle, rounded up."""
        return self._width_ms - self._width_ms // 2

    @property
    def _width_ms(self) -> int:
        return (self.latest_ms - self.earliest_ms) % _WRAP_MS


class Beacons:
    """The tokens that went out lately.

    new_token: gives a fresh random number, 1 to 2^30 - 1.
    """

    def __init__(self, new_token: Callable[[], int]) -> None:
        self._new_token = new_token
        self._sent_ns: OrderedDict[int, int] = OrderedDict()
        self._due_ns: int | None = None

    def due(self, now_ns: int) -> int | None:
        """Return the token to send now, None before it is time."""
        if self._due_ns is not None and now_ns < self._due_ns:
            return None
        token = self._new_token()
        while token in self._sent_ns:
            token = self._new_token()
        self._due_ns = now_ns + BEACON_EVERY_NS
        self._sent_ns[token] = now_ns
        while next(iter(self._sent_ns.values())) < now_ns - _REMEMBERED_NS:
            self._sent_ns.popitem(last=False)
        return token

    def restart(self) -> None:
        """Send the next token at once: the port is another, or the table."""
        self._due_ns = None

    def emitted_after(self, echo: int, echo_ms: int) -> int | None:
        """Return before when a frame with that echo was not made, None if that is unknown."""
        sent_ns = self._sent_ns.get(echo)
        if sent_ns is None or echo_ms == _ECHO_UNKNOWN_MS:
            return None
        # Both readings of the device were rounded down, and its clock may run fast.
        waited_ns = max(echo_ms - 1, 0) * MS
        return sent_ns + waited_ns - _drift(waited_ns)


class Offset:
    """The host's clock minus the device's, as an interval. As of at_ns, host time.

    A reading of the device is rounded down to a millisecond, so it lies up to one later.
    """

    def __init__(self, lowest_ns: int, highest_ns: int, at_ns: int, uptime_ms: int) -> None:
        self.lowest_ns = lowest_ns
        self.highest_ns = highest_ns
        self.at_ns = at_ns
        self._uptime_ms = uptime_ms  # of the newest frame, wraps undone

    def unwrapped(self, uptime_ms: int) -> int:
        """Return an uptime with its wraps undone: the nearest to that of the newest frame."""
        return self._uptime_ms + signed_ms(uptime_ms - self._uptime_ms)

    def within(self, emitted_ns: int, received_ns: int, uptime_ms: int) -> int:
        """Narrow the interval by a frame made between two moments; returns 0 if it was possible.

        Otherwise the interval restarts, and by how much the device's clock is ahead of what it
        should show at least is returned, in nanoseconds; negative: behind.
        """
        uptime_ms = self.unwrapped(uptime_ms)
        lowest, highest = _bounds(emitted_ns, received_ns, uptime_ms)
        self._advance(received_ns)
        ahead_ns = max(self.lowest_ns - highest, 0) or min(self.highest_ns - lowest, 0)
        if ahead_ns:
            self.lowest_ns, self.highest_ns = lowest, highest
        else:
            self.lowest_ns = max(self.lowest_ns, lowest)
            self.highest_ns = min(self.highest_ns, highest)
        self._uptime_ms = max(self._uptime_ms, uptime_ms) if not ahead_ns else uptime_ms
        return ahead_ns

    def at(self, host_ns: int) -> tuple[int, int]:
        """Return the interval as of a moment, before or after the newest frame."""
        more = _drift(abs(host_ns - self.at_ns))
        return self.lowest_ns - more, self.highest_ns + more

    def _advance(self, now_ns: int) -> None:
        if now_ns > self.at_ns:
            self.lowest_ns, self.highest_ns = self.at(now_ns)
            self.at_ns = now_ns


class Freshness:
    """What the frames of one table prove of their age. Fed with verified frames alone.

    A frame of another device or a higher boot begins again; a lower boot counts for nothing.
    """

    def __init__(
        self, *, new_token: Callable[[], int] = lambda: 1 + secrets.randbelow(_TOKEN_LIMIT - 1)
    ) -> None:
        self.beacons = Beacons(new_token)
        self.known_at_ns: int | None = None  # what the host knows was so at this moment or later
        self._table: tuple[int, int] | None = None  # device and boot
        self._counter = 0  # the highest of that boot
        self._offset: Offset | None = None

    @property
    def table(self) -> tuple[int, int] | None:
        """Device and boot whose clock is known, None before any."""
        return self._table

    def take(self, frame: Frame, received_ns: int) -> int:
        """Take a frame as it arrived; returns by how much the device's clock stepped, in ns.

        0: it did not. The sign: positive if it is ahead of what it should show. A repeat, or a
        frame that is no newer than one before it, proves nothing.
        """
        table = (frame.device, frame.boot)
        if frame.flags & FLAG_RETRANSMITTED or self._is_past(table):
            return 0
        if table != self._table:
            self._table, self._counter = table, 0
            self._offset = self.known_at_ns = None
        if frame.counter <= self._counter:
            return 0
        self._counter = frame.counter
        emitted_ns = self.beacons.emitted_after(frame.echo, frame.echo_ms)
        if emitted_ns is None:
            return 0
        step_ns = self._follow(emitted_ns, received_ns, frame.uptime_ms)
        # Only these say in which phase the table is: others leave a lost bets_closed unknown.
        if not step_ns and frame.type in (HEARTBEAT, STATE):
            self.known_at_ns = max(self.known_at_ns or emitted_ns, emitted_ns)
        return step_ns

    def age_ns(self, now_ns: int) -> int | None:
        """Return how old at most is what the host knows, None if nothing bounds it."""
        return None if self.known_at_ns is None else now_ns - self.known_at_ns

    def is_stale(self, now_ns: int) -> bool:
        """Whether what the host knows may be too old to accept a bet."""
        age_ns = self.age_ns(now_ns)
        return age_ns is None or age_ns > STALE_AFTER_NS

    def reading(self, host_ns: int) -> Span | None:
        """Return what the device's clock shows at a moment, None if that is unknown."""
        if self._offset is None:
            return None
        lowest, highest = self._offset.at(host_ns)
        return Span((host_ns - highest) // MS % _WRAP_MS, (host_ns - lowest) // MS % _WRAP_MS)

    def host_ns(self, uptime_ms: int) -> tuple[int, int] | None:
        """Return between which moments the device's clock showed an uptime, None if unknown."""
        if self._offset is None:
            return None
        shown_ns = self._offset.unwrapped(uptime_ms) * MS
        about_ns = shown_ns + (self._offset.lowest_ns + self._offset.highest_ns) // 2
        lowest, highest = self._offset.at(about_ns)
        return shown_ns + lowest, shown_ns + MS + highest

    def _is_past(self, table: tuple[int, int]) -> bool:
        present = self._table
        return present is not None and table[0] == present[0] and table[1] < present[1]

    def _follow(self, emitted_ns: int, received_ns: int, uptime_ms: int) -> int:
        if emitted_ns > received_ns:  # it claims to have waited longer than there was time
            self._offset = self.known_at_ns = None
            return emitted_ns - received_ns
        if self._offset is None:
            lowest, highest = _bounds(emitted_ns, received_ns, uptime_ms)
            self._offset = Offset(lowest, highest, received_ns, uptime_ms)
            return 0
        step_ns = self._offset.within(emitted_ns, received_ns, uptime_ms)
        if step_ns:
            self.known_at_ns = None
        return step_ns


def _bounds(emitted_ns: int, received_ns: int, uptime_ms: int) -> tuple[int, int]:
    """Return the lowest and highest offset a frame allows, as of its arrival."""
    shown_ns, drifted = uptime_ms * MS, _drift(received_ns - emitted_ns)
    return emitted_ns - shown_ns - MS - drifted, received_ns - shown_ns + drifted


def _drift(elapsed_ns: int) -> int:
    """Return how far two clocks may drift apart in a time, rounded up."""
    return -(-elapsed_ns * MAX_DRIFT_PPM // 1_000_000)


def signed_ms(delta: int) -> int:
    """Return a difference of two uptimes as the nearest signed number."""
    return (delta + _WRAP_MS // 2) % _WRAP_MS - _WRAP_MS // 2
