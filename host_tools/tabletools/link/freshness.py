"""Bounds on the age of the information about a table, and on the reading of the table's clock.

Both are hard bounds that a slow line may widen and never falsify. The host sends tokens; each
frame of the table carries the newest token that arrived and the milliseconds since, so the frame
was made no earlier than the token was sent plus those milliseconds, by this host's clock. A frame
was made between that moment and its arrival: so the offset between the two clocks is in an
interval, and the intervals of all frames intersect unless the device's clock steps or drifts by
more than allowed. Nothing here is estimated. Without I/O; time is injected as nanoseconds of the
host's monotonic clock.
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from tablewire.codec import Frame
from tablewire.messages import (
    FLAG_RETRANSMITTED,
    HEARTBEAT,
    LAST_TOKEN,
    ROUND_OPENED,
    STATE,
    UNKNOWN_U16,
)

MS = 1_000_000
NS = 1_000_000_000
# A link reads its port every 20 ms: so at most 250 ms apart.
BEACON_EVERY_NS = 230 * MS
STALE_AFTER_NS = 1 * NS
MAX_DRIFT_PPM = 500
TELLING = (HEARTBEAT, STATE, ROUND_OPENED)
_REMEMBERED_NS = 30 * NS
_WRAP_MS = 1 << 32


class Span(NamedTuple):
    """Bounds of the device's clock: no earlier and no later than these uptimes.

    They wrap at 2^32 as the device's do; so earliest may be the larger number.
    """

    earliest_ms: int
    latest_ms: int

    @property
    def middle_ms(self) -> int:
        """The uptime in the middle."""
        return (self.earliest_ms + self._width_ms // 2) % _WRAP_MS

    @property
    def uncertainty_ms(self) -> int:
        """The distance of the bounds from the middle, rounded up."""
        return self._width_ms - self._width_ms // 2

    @property
    def _width_ms(self) -> int:
        return (self.latest_ms - self.earliest_ms) % _WRAP_MS


class Beacons:
    """The tokens sent lately."""

    def __init__(self, new_token: Callable[[], int]) -> None:
        """new_token: returns a fresh random number, 1 to 2^30 - 1."""
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
        """Send the next token at once: the port or the table changed."""
        self._due_ns = None

    def emitted_after(self, echo: int, echo_ms: int) -> int | None:
        """Return the earliest time at which a frame with that echo was made, None if unknown."""
        sent_ns = self._sent_ns.get(echo)
        if sent_ns is None or echo_ms == UNKNOWN_U16:
            return None
        # Both readings of the device were rounded down, and its clock may run fast.
        waited_ns = max(echo_ms - 1, 0) * MS
        return sent_ns + waited_ns - _drift(waited_ns)


class Offset(NamedTuple):
    """The host's clock minus the device's, as an interval, at a moment of the host."""

    lowest_ns: int
    highest_ns: int
    at_ns: int  # the moment
    uptime_ms: int  # of the newest frame, unwrapped

    def unwrap(self, uptime_ms: int) -> int:
        """Return an unwrapped uptime: the nearest to that of the newest frame."""
        return self.uptime_ms + signed_ms(uptime_ms - self.uptime_ms)

    def interval(self, host_ns: int) -> tuple[int, int]:
        """Return the interval at a moment, before or after the newest frame."""
        more = _drift(abs(host_ns - self.at_ns))
        return self.lowest_ns - more, self.highest_ns + more

    def narrow(self, other: "Offset") -> tuple["Offset", int]:
        """Return the intersection of this and a newer frame's interval, and 0.

        If it is empty, return the newer one, and by how much the device's clock is at least ahead
        of its expected reading; negative: behind.
        """
        lowest, highest = self.interval(other.at_ns)
        ahead_ns = max(lowest - other.highest_ns, 0) or min(highest - other.lowest_ns, 0)
        if ahead_ns:
            return other, ahead_ns
        newest_ms = max(self.uptime_ms, other.uptime_ms)
        both = max(lowest, other.lowest_ns), min(highest, other.highest_ns)
        return Offset(*both, other.at_ns, newest_ms), 0


class BootClock(NamedTuple):
    """What is known of one boot of one device; replaced as a whole, so any thread may read it."""

    device: int
    boot: int
    at_ns: int | None = None  # the information was current then or later, None before any proof
    offset: Offset | None = None
    stale_after_ns: int = STALE_AFTER_NS  # the age from which it is too old to accept a bet

    def age_ns(self, now_ns: int) -> int | None:
        """Return the greatest possible age of the information, None if nothing bounds it."""
        return None if self.at_ns is None else now_ns - self.at_ns

    def is_stale(self, now_ns: int) -> bool:
        """Whether the information may be too old to accept a bet."""
        return self.at_ns is None or now_ns - self.at_ns > self.stale_after_ns

    def shows(self, host_ns: int) -> Span | None:
        """Return the reading of the device's clock at a moment, None if unknown."""
        if self.offset is None:
            return None
        lowest, highest = self.offset.interval(host_ns)
        return Span((host_ns - highest) // MS % _WRAP_MS, (host_ns - lowest) // MS % _WRAP_MS)

    def host_ns(self, uptime_ms: int) -> tuple[int, int] | None:
        """Return between which moments the device's clock showed an uptime, None if unknown."""
        offset = self.offset
        if offset is None:
            return None
        shown_ns = offset.unwrap(uptime_ms) * MS
        lowest, highest = offset.interval(shown_ns + (offset.lowest_ns + offset.highest_ns) // 2)
        return shown_ns + lowest, shown_ns + MS + highest


class Freshness:
    """What the frames of one table prove about their age. Only trusted frames are passed in.

    A frame of another device or a higher boot starts again; one of a lower boot is ignored.
    """

    def __init__(
        self,
        *,
        stale_after_ns: int = STALE_AFTER_NS,
        new_token: Callable[[], int] = lambda: 1 + secrets.randbelow(LAST_TOKEN),
    ) -> None:
        self.stale_after_ns = stale_after_ns
        self.beacons = Beacons(new_token)
        # None before any frame.
        self.known: BootClock | None = None
        self._counter = 0  # the highest of that boot

    def is_stale(self, now_ns: int) -> bool:
        """Whether the information may be too old to accept a bet, or nothing is known."""
        known = self.known
        return known is None or known.is_stale(now_ns)

    def _begun(self, frame: Frame) -> BootClock:
        return BootClock(frame.device, frame.boot, stale_after_ns=self.stale_after_ns)

    def take(self, frame: Frame, received_ns: int) -> int:
        """Take a frame as it arrived; returns by how much the device's clock stepped, in ns.

        0: it did not. Positive: it is ahead of its expected reading. A repeat, or a frame that is
        no newer than an earlier one, proves nothing.
        """
        known = self.known
        if known is None or known[:2] != (frame.device, frame.boot):
            is_past = known is not None and known.device == frame.device
            if is_past and known is not None and frame.boot < known.boot:
                return 0
            known, self._counter = self._begun(frame), 0
        if frame.flags & FLAG_RETRANSMITTED or frame.counter <= self._counter:
            return 0
        self._counter = frame.counter
        self.known, step_ns = self._prove(known, frame, received_ns)
        return step_ns

    def _prove(self, known: BootClock, frame: Frame, received_ns: int) -> tuple[BootClock, int]:
        emitted_ns = self.beacons.emitted_after(frame.echo, frame.echo_ms)
        if emitted_ns is None:
            return known, 0
        if emitted_ns > received_ns:  # it claims to have waited longer than possible
            return self._begun(frame), emitted_ns - received_ns
        offset = known.offset
        uptime_ms = frame.uptime_ms if offset is None else offset.unwrap(frame.uptime_ms)
        new = Offset(*_bounds(emitted_ns, received_ns, uptime_ms), received_ns, uptime_ms)
        step_ns = 0
        if offset is not None:
            new, step_ns = offset.narrow(new)
        at_ns = None if step_ns else known.at_ns
        # Only these report whether bets may be open: others leave a lost bets_closed unknown.
        if not step_ns and frame.type in TELLING and frame.values:
            at_ns = max(at_ns or emitted_ns, emitted_ns)
        return known._replace(at_ns=at_ns, offset=new), step_ns


def _bounds(emitted_ns: int, received_ns: int, uptime_ms: int) -> tuple[int, int]:
    """Return the lowest and highest offset that a frame allows, at its arrival."""
    shown_ns, drifted = uptime_ms * MS, _drift(received_ns - emitted_ns)
    return emitted_ns - shown_ns - MS - drifted, received_ns - shown_ns + drifted


def _drift(elapsed_ns: int) -> int:
    """Return how far two clocks may drift apart in a time, rounded up."""
    return -(-elapsed_ns * MAX_DRIFT_PPM // 1_000_000)


def to_ns(seconds: float) -> int:
    """Return a time in nanoseconds."""
    return int(seconds * NS)


def signed_ms(delta: int) -> int:
    """Return a difference of two uptimes as the nearest signed number."""
    return (delta + _WRAP_MS // 2) % _WRAP_MS - _WRAP_MS // 2
