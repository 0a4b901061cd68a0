"""What this wheel loses by itself, as calibrated, and the evidence that a hand takes or gives.

A pin takes `friction_ddegss`, more by the square of the speed, and more or less by the place of a
heavy side. What a turn or a pin took besides is added up, less a slack, in hundredths of what a
pin takes: roughness evens out, a hand adds up. The limits are what `diag --calibrate wheel_law`
found in free turns of this wheel; nothing here widens them.
"""

from tablewire import money_wheel as words
from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import Config

_LAST = const(7)  # pins: an edge that is 0.3 ms late is 0.03 of a pin there, and 0.4 before
_LEVEL = const(128)  # of a byte that is 0
# One step of 1/52 or 1/54 of a turn: cosine and sine in 1/16384.
_STEPS = {52: (16265, 1975), 54: (16273, 1902)}


class Sum:
    """Two sums that never fall below 0: of what was taken too much, and of what too little."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """A push: the wheel is in a hand."""
        self.much = self.little = 0
        self.peak = 0  # the greater of both so far

    def add(self, excess: int, slack: int) -> None:
        """excess: more than the law, in hundredths of a pin; slack: what the law may be off."""
        self.much = much = max(self.much + excess - slack, 0)
        self.little = little = max(self.little - excess - slack, 0)
        self.peak = max(self.peak, much, little)


class Law:
    """is_known: this wheel was calibrated. turns, slow, last: evidence of turns and pins.

    loss: what a pin takes, of the square of 256 segments a second. hold_low, hold_high: percent of
    it; with less a wheel does not pass the next pin, with more it does.
    """

    def __init__(self, cfg: "Config", pins: int) -> None:
        friction = self.friction = cfg[words.FRICTION_DDEGSS]
        self.is_known = cfg[words.TURN_LIMIT] > 0
        self.hold_low = cfg[words.HOLD_LOW_PERCENT]
        self.hold_high = cfg[words.HOLD_HIGH_PERCENT]
        self.turns = Sum()
        self.slow = Sum()
        self.last = Sum()
        self.pins = pins
        self.air = cfg[words.AIR_1024]
        self._slack = cfg[words.LAW_SLACK_PERCENT]
        self._turn_limit = cfg[words.TURN_LIMIT]
        self._slow_limit = cfg[words.SLOW_LIMIT]
        self._last_limit = cfg[words.LAST_LIMIT]
        # Of the square of 2^28 / 64 us of a turn.
        self._turn_loss = friction * 163972 // pins
        self.loss = friction * pins * 8192 // 225
        self._heavy = _wave(pins, cfg[words.IMBALANCE_PERCENT], cfg[words.IMBALANCE_PIN])

    def reset(self) -> None:
        """A push: the wheel is in a hand."""
        self.turns.reset()
        self.slow.reset()
        self.last.reset()

    def turn(self, before: int, after: int) -> None:
        """Squares of the speed in the turn that ended a quarter turn ago, and in that of now."""
        lost = 25 * (min(before - after, 1 << 26) >> 4) // (self._turn_loss >> 4) * 4
        due = 25 * self.pins
        due += due * (self.air * (before + after >> 15) // 18014) >> 10
        self.turns.add(lost - due, due * self._slack // 100)

    def due(self, energy: int, pin: int, way: int) -> int:
        """What the way to the next pin takes, in hundredths of a pin. pin: the segment's."""
        speed = (energy >> 10) * self.air // (64 * self.pins * self.pins)
        return 100 + (100 * speed >> 10) - way * (self._heavy[pin] - _LEVEL)

    def pin(self, before: int, after: int, due: int, loss: int) -> None:
        """A slow wheel passed a pin: its energy behind the one before and behind this one.

        loss: what a pin takes, by the law or, without one, by the mean of the run.
        """
        excess = 100 * (before - after >> 3) // ((loss >> 3) + 1) - due
        self.slow.add(excess, self._slack)
        if before < _LAST * loss:
            self.last.add(excess, self._slack)

    def is_broken(self) -> bool:
        """Whether more was taken, or less, than this wheel does by itself."""
        return (
            (self.is_known and self.turns.peak > self._turn_limit)
            or self.slow.peak > self._slow_limit
            or self.last.peak > self._last_limit
        )


def _wave(pins: int, height: int, first: int) -> bytes:
    # What a heavy side gives in each segment, by a rotation of one segment at a time.
    wave = bytearray(pins)
    cosine, sine = _STEPS[pins]
    x, y = height << 6, 0
    for step in range(pins):
        wave[(first + step) % pins] = _LEVEL + (y + 32 >> 6)
        x, y = (x * cosine - y * sine + 8192) >> 14, (x * sine + y * cosine + 8192) >> 14
    return bytes(wave)
