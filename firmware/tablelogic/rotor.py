"""The rotor from three hall sensors: direction, speed, angle, lost ticks, lost index.

The ring carries one magnet a pocket. Sensor A is over pocket k's magnet while the pocket
coordinate P at the reference angle is within 0.25 of k, sensor B while within 0.25 of k + 0.25,
the index while within 0.125 of n - 0.5. Turning counter-clockwise P rises and B follows A by a
quarter pitch; clockwise P falls and B follows A by three quarters. Only rises are used.
"""

from tablewire.compat import const
from tablewire.messages import SENSOR_ROTOR_A, SENSOR_ROTOR_B

from .ticks import diff

STOPPED_US = const(1500000)
UNKNOWN_DRPM = const(65535)
_CONFIRM = const(3)  # ticks that must agree on a new direction
_OUT_TICKS = const(8)  # ticks beyond a speed limit before it counts
_SILENT_TICKS = const(6)  # ticks of one ring sensor without the other
_BAD_TURNS = const(3)
_POCKET = const(64)  # the unit of positions: 1/64 pocket


class Rotor:
    """Follows the rotor; the questions are asked by the roulette, which names the reasons.

    direction: 1 clockwise, -1 counter-clockwise, 0 unknown. stopped: no tick for 1.5 s.
    slow_ticks, fast_ticks: ticks in a row beyond the limits. bad_turns: turns in a row with a
    wrong count, 0.._BAD_TURNS.
    """

    def __init__(self, pockets: int, min_drpm: int, max_drpm: int) -> None:
        self.pockets = pockets
        self.direction = 0
        self.stopped = True
        self.bad_turns = 0
        self.slow_ticks = 0
        self.fast_ticks = 0
        self.count = 0  # A ticks since the index
        self._clean = False  # no odd tick since the index, and the turn before counted right
        self._odd = True  # an odd tick since the index
        self._synced = False  # an index was seen
        self._place = 0  # of the ring at the last A tick, in 1/64 pocket
        self._last_a = 0
        self._last_b = 0
        self._period = 0  # us between the last two good A ticks, 0 unknown
        self._b_between = 0  # B ticks since the last A tick
        self._a_between = 0  # A ticks since the last B tick
        self._opinion = 0  # direction the last ticks spoke for
        self._agreed = 0  # how many in a row
        self._slowest_us = 600000000 // (pockets * min_drpm)
        self._fastest_us = 600000000 // (pockets * max_drpm)

    def tick_a(self, t_us: int) -> None:
        """A magnet came over sensor A at t_us."""
        period = diff(t_us, self._last_a)
        if self._b_between == 1 and 0 < period < STOPPED_US:
            self._good_tick(period)
        else:
            self._odd = True
            self._clean = False
            self._agreed = 0
        if self._a_between < _SILENT_TICKS:
            self._a_between += 1
        self._b_between = 0
        self._last_a = t_us
        self.stopped = False
        self.count += 1
        if self.direction < 0:
            self._place = self.count * _POCKET - _POCKET - 16
        else:
            self._place = (self.pockets - self.count) * _POCKET + 16

    def _good_tick(self, period: int) -> None:
        opinion = -1 if 2 * diff(self._last_b, self._last_a) < period else 1
        if opinion != self._opinion:
            self._opinion = opinion
            self._turned()
        if self._agreed < _CONFIRM:
            self._agreed += 1
        if self._agreed == _CONFIRM:
            self.direction = opinion
        known = self._period
        if known and not known * 5 < period * 8 < known * 13:
            self._odd = True  # beyond 5/8..13/8 of the tick before: both sensors missed one
            self._clean = False
        self._period = period
        self.slow_ticks = self.slow_ticks + 1 if period > self._slowest_us else 0
        self.fast_ticks = self.fast_ticks + 1 if period < self._fastest_us else 0

    def _turned(self) -> None:
        self.direction = 0
        self.count = 0
        self._agreed = 0
        self._clean = False
        self._synced = False

    def tick_b(self, t_us: int) -> None:
        """A magnet came over sensor B at t_us."""
        self._a_between = 0
        if self._b_between < _SILENT_TICKS:
            self._b_between += 1
        self._last_b = t_us
        self.stopped = False

    def index(self) -> None:
        """The index passed: a turn is complete."""
        right = self.count == self.pockets and not self._odd
        if right or not self._synced:
            self.bad_turns = 0
        elif self.bad_turns < _BAD_TURNS:
            self.bad_turns += 1
        self._clean = right
        self._odd = False
        self._synced = True
        self.count = 0

    def launched(self) -> None:
        """A spin begins: what happened to the rotor between rounds does not count."""
        self.bad_turns = 0
        self.slow_ticks = 0
        self.fast_ticks = 0

    def pocket_at(self, t_us: int, angle_64: int) -> int:
        """The pocket index whose centre is nearest to a stator angle at t_us, or -1 when unsure.

        angle_64: clockwise from the reference in 1/64 pocket. Unsure: the count of this turn or
        the one before is not exact, or the place is within 0.1 pocket of a boundary.
        """
        if not self._clean or not self._period or self.count > self.pockets:
            return -1
        since = diff(t_us, self._last_a)
        if not -self._period < since < 2 * self._period:
            return -1
        moved = since * _POCKET // self._period
        place = self._place - self.direction * moved + angle_64 + _POCKET // 2
        rest = place % _POCKET
        if rest < 6 or rest > 58:
            return -1
        return place // _POCKET % self.pockets

    def drpm(self) -> int:
        """Speed in 0.1 rpm from the last good tick, 65535 unknown."""
        if not self._period:
            return UNKNOWN_DRPM
        return 600000000 // (self.pockets * self._period)

    def turn_us(self) -> int:
        """Duration of a turn at the present speed, 0 unknown."""
        return self._period * self.pockets

    def tick(self, now_us: int) -> None:
        """Notice a standstill: both ring sensors silent for 1.5 s. Call it more often."""
        if diff(now_us, self._last_a) > STOPPED_US and diff(now_us, self._last_b) > STOPPED_US:
            self.stopped = True

    def is_slow(self) -> bool:
        """Whether the last eight ticks were below the lower limit."""
        return self.slow_ticks >= _OUT_TICKS

    def is_fast(self) -> bool:
        """Whether the last eight ticks were above the upper limit."""
        return self.fast_ticks >= _OUT_TICKS

    def index_lost(self) -> bool:
        """Whether more than a turn and two ticks passed without an index."""
        return self.count > self.pockets + 2

    def tick_lost(self) -> bool:
        """Whether three turns in a row counted wrong."""
        return self.bad_turns >= _BAD_TURNS

    def silent_sensor(self) -> int:
        """The ring sensor that is silent while the other ticks, or -1."""
        if self._a_between >= _SILENT_TICKS:
            return SENSOR_ROTOR_B
        if self._b_between >= _SILENT_TICKS:
            return SENSOR_ROTOR_A
        return -1
