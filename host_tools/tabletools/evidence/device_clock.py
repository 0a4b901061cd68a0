"""From a device's uptime to UTC, with the uncertainty stated. Time is handed in; no clock is read.

A frame cannot arrive before it was made, so the smallest `arrival - uptime` seen lately is nearest
to the truth: the lower envelope. It moves with the drift of the two clocks, which the minima of
successive stretches of time show. What the shortest way over the link takes cannot be seen from
one end; half the time of a question and its answer is taken for it, and counts as uncertain.
"""

from collections import deque
from dataclasses import dataclass

NS = 1_000_000_000
_MS = 1_000_000
_WRAP = 1 << 32
STRETCH_NS = 10 * NS
# Ten minutes: long enough for a drift of 1 ppm to stand out of 20 ms of polling, short enough to
# follow a controller that warms up.
STRETCHES = 60
DRIFT_FROM = 6
STEP_NS = 250 * _MS
# Until the link has answered a question; a link slower than this is offline.
LATENCY_UNKNOWN_NS = 2 * NS
# A few samples say nothing about the shortest way.
_SAMPLES_NEEDED = 4
_YOUNG_NS = NS // 2
# A crystal of a controller is good for less; what would be more is a step or an error.
_MOST_DRIFT = 500e-6


@dataclass(frozen=True)
class Estimate:
    """When something was: at_ns give or take uncertainty_ns."""

    at_ns: int
    uncertainty_ns: int


@dataclass(frozen=True)
class Reading:
    """What a device's clock shows: uptime_ms give or take uncertainty_ms, in that boot.

    is_fresh: what is known of the table is young enough to accept a bet.
    """

    boot: int
    uptime_ms: int
    uncertainty_ms: int
    is_fresh: bool = True


@dataclass
class _Stretch:
    """Samples of a stretch of time. lowest: smallest offset; at: arrival that gave it."""

    first: int
    last: int
    lowest: int
    highest: int
    at: int
    count: int = 1

    def add(self, offset: int, mono_ns: int) -> None:
        self.count += 1
        self.last = mono_ns
        self.highest = max(self.highest, offset)
        if offset < self.lowest:
            self.lowest, self.at = offset, mono_ns

    @property
    def is_telling(self) -> bool:
        """Whether its minimum can be believed: a burst after a silence is late as a whole."""
        return self.count >= 8 and self.last - self.first >= STRETCH_NS // 2


def signed_ms(delta: int) -> int:
    """A difference of two uptimes as the nearest signed number, -2^31..2^31-1 ms."""
    return (delta + _WRAP // 2) % _WRAP - _WRAP // 2


class UptimeClock:
    """Maps the uptime of one boot of one device to this host's monotonic clock.

    round_trip_ns: the shortest question and answer on the link, or None if there was none.
    """

    def __init__(self) -> None:
        self.round_trip_ns: int | None = None
        self._stretches: deque[_Stretch] = deque(maxlen=STRETCHES)
        self._uptime_ms: int | None = None  # of the last sample, wraps undone
        self._mono_ns = 0

    def sample(self, uptime_ms: int, mono_ns: int) -> int | None:
        """A frame made just now arrived. Returns the step if the device's clock jumped, in ns."""
        if self._uptime_ms is None:
            self._uptime_ms, self._mono_ns = uptime_ms, mono_ns
        passed_ms = (mono_ns - self._mono_ns) // _MS
        # The nearest reading to what is expected, however often it wrapped meanwhile.
        surplus = signed_ms(uptime_ms - self._uptime_ms - passed_ms)
        before = self._uptime_ms
        self._uptime_ms += passed_ms + surplus
        self._mono_ns = mono_ns
        offset = mono_ns - self._uptime_ms * _MS
        step = self._stepped(offset, went_back=self._uptime_ms < before)
        if step is not None:
            self._stretches.clear()
        self._add(offset, mono_ns)
        return step

    def _stepped(self, offset: int, *, went_back: bool) -> int | None:
        if not self._stretches:
            return None
        floor, _ = self._envelope(self._mono_ns)
        ahead = floor - offset
        if went_back or ahead > STEP_NS:
            return int(ahead)
        newest = self._stretches[-1]
        if len(self._stretches) < 2 or not newest.is_telling:
            return None
        # A whole stretch later than all before: the device's clock was set back or stood still.
        earlier = min(stretch.lowest for stretch in list(self._stretches)[:-1])
        behind = newest.lowest - earlier
        return -behind if behind > STEP_NS else None

    def _add(self, offset: int, mono_ns: int) -> None:
        if self._stretches and mono_ns - self._stretches[-1].first < STRETCH_NS:
            self._stretches[-1].add(offset, mono_ns)
        else:
            self._stretches.append(_Stretch(mono_ns, mono_ns, offset, offset, mono_ns))

    @property
    def drift_ppm(self) -> float:
        """How much the device's clock runs fast against this host's; 0.0 while unknown."""
        return -self._slope() * 1e6

    def _slope(self) -> float:
        """Change of the envelope per time, by least squares over the minima."""
        points = [(s.at, s.lowest) for s in self._stretches if s.count >= _SAMPLES_NEEDED]
        if len(points) < DRIFT_FROM:
            return 0.0
        mean_x = sum(x for x, _ in points) // len(points)
        mean_y = sum(y for _, y in points) // len(points)
        over = sum((x - mean_x) * (y - mean_y) for x, y in points)
        under = sum((x - mean_x) ** 2 for x, _ in points)
        slope = over / under if under else 0.0
        return max(-_MOST_DRIFT, min(_MOST_DRIFT, slope))

    def _envelope(self, mono_ns: int) -> tuple[int, int]:
        """The smallest offset as of mono_ns, and how far the stretches disagree about it."""
        slope = self._slope()
        lows = [s.lowest + int(slope * (mono_ns - s.at)) for s in self._stretches]
        spread = max(lows) - min(lows)
        if len(lows) == 1:
            spread = self._stretches[0].highest - self._stretches[0].lowest
        if sum(s.count for s in self._stretches) < _SAMPLES_NEEDED:
            spread += _YOUNG_NS
        return min(lows), spread

    def at(self, uptime_ms: int) -> Estimate | None:
        """When the uptime was, on the monotonic clock; None before any sample."""
        if self._uptime_ms is None:
            return None
        away_ms = signed_ms(uptime_ms - self._uptime_ms)
        then_ns = self._mono_ns + away_ms * _MS
        floor, spread = self._envelope(then_ns)
        trip = LATENCY_UNKNOWN_NS if self.round_trip_ns is None else self.round_trip_ns
        made_ns = (self._uptime_ms + away_ms) * _MS + floor - trip // 2
        return Estimate(made_ns, spread + trip // 2)

    def uptime_at(self, mono_ns: int) -> tuple[int, int] | None:
        """What it showed at a monotonic time: ms, and ns of uncertainty; None before any sample.

        Turns `at` round.
        """
        if self._uptime_ms is None:
            return None
        floor, spread = self._envelope(mono_ns)
        trip = LATENCY_UNKNOWN_NS if self.round_trip_ns is None else self.round_trip_ns
        return (mono_ns - floor + trip // 2) // _MS % _WRAP, spread + trip // 2


class HostClock:
    """The host's wall clock beside its monotonic one; a step of the wall clock is noticed."""

    def __init__(self, mono_ns: int, wall_ns: int) -> None:
        self._ahead = wall_ns - mono_ns

    def look(self, mono_ns: int, wall_ns: int) -> int | None:
        """Compare the two; returns the step of the wall clock if it jumped, in ns."""
        step = wall_ns - mono_ns - self._ahead
        # What is less is the slewing of a time service, and followed.
        self._ahead += step
        return step if abs(step) > STEP_NS else None

    def utc(self, mono_ns: int) -> int:
        """UTC of a monotonic time."""
        return mono_ns + self._ahead
