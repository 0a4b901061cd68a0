"""The rotor's ring from its two hall sensors: direction, speed, standstill, a silent sensor.

The ring has one magnet per pocket. Sensor A is on while the pocket coordinate P at the reference
angle is near k, sensor B while it is as near k + 0.25: for how much of a pitch, magnets and gap
decide. Turning counter-clockwise P rises and B follows A by a quarter pitch; clockwise P falls and
B follows A by three quarters.
"""

from tablewire.compat import const
from tablewire.roulette import INPUT_ROTOR_A, INPUT_ROTOR_B, ROTOR_FAST, ROTOR_SLOW

from ..core.ticks import diff

_STOPPED_US = const(1500000)
_CONFIRM = const(3)  # ticks that must agree on a direction
_OUT_TICKS = const(8)  # ticks beyond a speed limit before it counts
_SILENT_TICKS = const(6)  # ticks of one sensor without the other
_DRPM_US = const(600000000)  # 0.1 rpm times microseconds a turn


class Ring:
    """Tracks the ticks.

    direction: 1 clockwise, -1 counter-clockwise, 0 unknown. stopped: no tick for 1.5 s.
    period_us: between the last two good ticks of A, 0 unknown. a_us, b_us: last tick of A, of B.
    width_us: of the last pulse of A that has ended, 0 unknown.
    at_rest: the judge found nothing wrong and no sensor silent, and every tick since was like the
    one before; see core.snapshot.
    """

    def __init__(self, pockets: int, min_drpm: int, max_drpm: int) -> None:
        self.direction = 0
        self.at_rest = False
        self.stopped = True
        self.period_us = 0
        self.a_us = 0
        self.width_us = 0
        self.b_us = 0
        self._any_us = 0  # last tick of either
        self._b_between = 0  # B ticks since the last A tick
        self._a_between = 0  # A ticks since the last B tick
        self._opinion = 0  # direction indicated by the last ticks
        self._agreed = 0  # how many in a row
        self._slow_ticks = 0
        self._fast_ticks = 0
        self._pockets = pockets
        self._slowest_us = _DRPM_US // (pockets * min_drpm)
        self._fastest_us = _DRPM_US // (pockets * max_drpm)

    def tick_a(self, t_us: int) -> bool:
        """A magnet came over A at t_us; False when ticks before it were lost or added."""
        is_like_before = self._agreed == _CONFIRM
        period = diff(t_us, self.a_us)
        good = self._b_between == 1 and 0 < period < _STOPPED_US
        if good:
            known = self.period_us
            self._judge(period)
            # Beyond 5/8..13/8 of the tick before: both sensors missed one.
            good = not known or known * 5 < period * 8 < known * 13
            is_like_before = (
                is_like_before
                and good
                and self._agreed == _CONFIRM
                and not (self._slow_ticks or self._fast_ticks)
            )
        else:
            is_like_before = False
            self._agreed = 0
        if not is_like_before:
            self.at_rest = False
        if self._a_between < _SILENT_TICKS:
            self._a_between += 1
        self._b_between = 0
        self.a_us = t_us
        self._any_us = t_us
        self.stopped = False
        return good

    def _judge(self, period: int) -> None:
        opinion = -1 if 2 * diff(self.b_us, self.a_us) < period else 1
        if opinion != self._opinion:
            self._opinion = opinion
            self._agreed = 0
            self.direction = 0
        if self._agreed < _CONFIRM:
            self._agreed += 1
        if self._agreed == _CONFIRM:
            self.direction = opinion
        self.period_us = period
        self._slow_ticks = self._slow_ticks + 1 if period > self._slowest_us else 0
        self._fast_ticks = self._fast_ticks + 1 if period < self._fastest_us else 0

    def tick_b(self, t_us: int) -> None:
        """A magnet came over B at t_us."""
        self._a_between = 0
        if self._b_between < _SILENT_TICKS:
            self._b_between += 1
            if self._b_between > 1:
                self.at_rest = False
        self.b_us = t_us
        self._any_us = t_us
        self.stopped = False

    def tick(self, now_us: int) -> None:
        """Notice a standstill. Call it more often than every 1.5 s."""
        if diff(now_us, self._any_us) > _STOPPED_US:
            self.stopped = True
            self.at_rest = False

    def launched(self) -> None:
        """A spin begins: events between rounds do not count."""
        self.at_rest = False
        self._slow_ticks = 0
        self._fast_ticks = 0

    def settled_direction(self) -> int:
        """The direction if the last three ticks agree on it, else 0."""
        return self.direction if self._agreed == _CONFIRM else 0

    def drpm(self) -> int:
        """Speed in 0.1 rpm: 0 at rest, 65535 unknown."""
        if self.stopped:
            return 0
        if not self.period_us:
            return 65535
        return min(_DRPM_US // (self._pockets * self.period_us), 20000)

    def out_of_limits(self) -> int:
        """The code of a rotor whose last eight ticks were too slow or too fast, or 0."""
        if self._slow_ticks >= _OUT_TICKS:
            return ROTOR_SLOW
        return ROTOR_FAST if self._fast_ticks >= _OUT_TICKS else 0

    def silent_sensor(self) -> int:
        """The sensor that is silent while the other ticks, or -1."""
        if self._a_between >= _SILENT_TICKS:
            return INPUT_ROTOR_B
        if self._b_between >= _SILENT_TICKS:
            return INPUT_ROTOR_A
        return -1
