"""Whether a slow wheel runs by itself: each pin takes energy, always the same amount.

The energy after a pin is the square of the speed in the first quarter of the segment. One magnet
gives both its edges, so misplaced magnets do not matter. It is compared only with that of the pins
before, so no unit and no calibration matters either.
"""

from tablewire.compat import const

from ..core.ticks import diff

if -0:  # for mypy
    from .coast_law import Law

# A quarter of a segment takes this long: below 256 segments a second at 256/1024 of a segment.
_SPEED = const(250000)
_QUARTER_1024 = const(256)
# The thresholds, and what they were measured on: 150 turns of hil_tests.physics.money_wheel, whose
# pins differ in height by 6 % (standard deviation) and take a third to two thirds of the energy.
_SLOW_US = const(10000)  # a quarter: from here on the loss is learned
_LAW_US = const(24000)  # and from here on compared with the law: a jitter of 0.3 ms is 2 % of it
_LEARNS = const(6)  # pins before the loss is known
_JUDGED = const(6)  # from this multiple of the mean loss on
_QUARTER_PERCENT = const(5)  # between pins a quarter takes 8 at least, of what a pin and all take
_LONGER_PERCENT = const(160)  # of a segment at the mean of the speeds at its ends, and
_LONGER_US = const(60000)
# Of 4,000 healthy turns: the last quarter before a pin took 0.35 s at most, and a wheel that the
# flapper threw back over the mark of a pin was back at it within 0.25 s, and never came again.
_AT_PIN_US = const(600000)


class Coasting:
    """Follows a run from its last push on. law: of this wheel."""

    def __init__(self, law: "Law") -> None:
        self.law = law
        self.reset()

    def reset(self) -> None:
        """A push: the wheel is in a hand."""
        self._touched = False
        self._is_weak = False  # it had too little energy for the last pin
        self._past = 0  # quarters of a segment from the last pin to the furthest point, 0..3
        self._pin_us = self._step_us = 0
        self._took_us = 0  # from the pin before to the last one
        self._quarter_us = 0  # the first quarter after it, 0 none
        self._energy = self._before = 0  # after the last pin, and after the one before
        self._first = 0  # energy after the first slow pin
        self._pins = 0  # passed since
        self._due = self._due_before = 100  # of this segment and the one before, percent of a pin
        # How long the first quarter is in this direction, by a turn of them.
        self._speed = _SPEED * _QUARTER_1024
        self._turn_us = 0  # when that turn began
        self._turn_pins = self._turn_quarters_us = 0

    def further(self, past: int, t_us: int, segment: int, way: int) -> None:
        """The wheel is further than ever in the direction of its run, `past` its last pin."""
        self._past = past
        before_us, self._step_us = self._step_us, t_us
        if past == 0:
            self._pin(diff(t_us, before_us), t_us)
            self._due_before, self._due = self._due, self.law.due(self._energy, segment, way)
        elif past == 1:
            self._quarter(diff(t_us, self._pin_us))
        elif self._pins >= _LEARNS:
            least = (_QUARTER_PERCENT + (self._due - 100) // 4) * (past - 1)
            self._touched = self._touched or 100 * self._energy < self._mean(self._energy) * least

    def _pin(self, last_us: int, t_us: int) -> None:
        self._took_us = diff(t_us, self._pin_us)
        self._pin_us = t_us
        self._is_weak = False
        if self._pins >= _LEARNS:
            self._touched = self._touched or last_us > _AT_PIN_US
            enough = self._mean(self._energy) * (self.law.hold_low + self._due - 100)
            self._is_weak = 100 * self._energy < enough

    def _quarter(self, quarter_us: int) -> None:
        before_us, self._quarter_us = self._quarter_us, quarter_us
        self._measure(quarter_us)
        if quarter_us < _SLOW_US:
            self._quarter_us = 0
            return
        speed = self._speed // quarter_us
        before, self._energy = self._energy, speed * speed
        self._before = before
        if not before_us:
            self._first = self._energy
            self._pins = 0
            return
        if self._pins >= _LEARNS:
            self._judge(before, before_us)
        self._pins += 1

    def _measure(self, quarter_us: int) -> None:
        # The length of the first quarter: of all pins, by the share of a turn that they take.
        if self._turn_pins == self.law.pins:
            if quarter_us < _SLOW_US:
                turn_64us = diff(self._pin_us, self._turn_us) >> 6
                self._speed = _SPEED * ((self._turn_quarters_us << 4) // turn_64us)
            self._turn_pins = 0
        if not self._turn_pins:
            self._turn_us, self._turn_quarters_us = self._pin_us, 0
        self._turn_pins += 1
        self._turn_quarters_us += quarter_us

    def _judge(self, before: int, before_us: int) -> None:
        # The wheel passed one more pin; it had the energy `before`.
        law, quarter_us = self.law, self._quarter_us
        if self._is_weak:
            self._touched = True
        loss = self._mean(before)
        if quarter_us >= _LAW_US:
            law.pin(before, self._energy, self._due_before, loss)
        if before > _JUDGED * loss:
            return
        # 8 a b / (a + b): a segment at the mean of both speeds.
        even_us = (quarter_us >> 6) * before_us // ((quarter_us + before_us) >> 9)
        if self._took_us > even_us * _LONGER_PERCENT // 100 + _LONGER_US:
            self._touched = True

    def _mean(self, energy: int) -> int:
        # The loss per pin; without a law that from the first slow pin to one with this energy.
        law = self.law
        return law.loss if law.is_known else max((self._first - energy) // self._pins, 1)

    def came_back(self, t_us: int) -> None:
        """The wheel turns back at its furthest mark, or has come to it again."""
        if not self._past and self._pins >= _LEARNS and diff(t_us, self._pin_us) > _AT_PIN_US:
            self._touched = True

    def was_touched(self, back: int) -> bool:
        """Whether a hand touched a wheel that rests this many quarters behind its furthest point.

        A pin whose mark is early may throw the wheel back from behind it.
        """
        return self._touched or (self._is_weak and not back)

    def has_turned_back(self, back: int) -> bool:
        """Whether this many quarters behind the furthest point are over a pin it had passed.

        The flapper throws a wheel back from a pin, on either side of its mark, and no further than
        to the pin behind: by one segment at most.
        """
        return back > (self._past or 4)

    def stopped_hard(self) -> bool:
        """Whether it rests although it had the energy for one more pin, now or a pin before.

        A drag on the rim that takes little at each pin is seen in the sum.
        """
        if self._pins < _LEARNS:
            return False
        mean, high = self._mean(self._energy), self.law.hold_high - 100
        return 100 * self._energy > mean * (high + self._due) or 100 * self._before > mean * (
            high + self._due + self._due_before
        )
