"""One draw: the numbers so far, and the ball in transit from the gate to both its readings.

One ball at a time is in transit. Times: milliseconds of the role's clock.
"""

from tablewire import draw_machine as words
from tablewire.compat import const
from tablewire.messages import UNKNOWN_U8

from ..core.ticks import diff

if -0:  # for mypy
    from collections.abc import Sequence

    from tabletypes import Config

_MOST = const(90)
# Where the ball is: none in transit, out of the gate, at rest in the tube.
NONE = const(0)
OUT = const(1)
REST = const(2)


class Draw:
    """cfg: list indexed by key number. drawn: balls so far, reported: how many of them.

    way: where the ball in transit is. readings: of it, exit and tube, UNKNOWN_U8 while none.
    """

    def __init__(self, cfg: "Config") -> None:
        self.numbers = [0] * _MOST
        self.drawn = 0
        self.reported = 0
        self.way = NONE
        self.readings = [UNKNOWN_U8, UNKNOWN_U8]
        self.drawn_ms = 0  # begin of the draw to the last ball
        self._began_ms = 0
        self._since_ms = 0  # it is where it is, or none is in transit
        self._balls = cfg[words.BALLS]
        self._set = cfg[words.BALL_SET]
        self._transit_ms = cfg[words.TRANSIT_MS]
        self._read_ms = cfg[words.BALL_READ_MS]
        self._wait_ms = cfg[words.BALL_WAIT_MS]

    def begin(self, now_ms: int) -> None:
        """Start without numbers and without a ball in transit."""
        self.drawn = self.reported = 0
        self._began_ms = now_ms
        for place in range(_MOST):
            self.numbers[place] = 0
        self._rest(now_ms)

    def _rest(self, now_ms: int) -> None:
        self.way = NONE
        self._since_ms = now_ms
        self.readings[0] = self.readings[1] = UNKNOWN_U8

    def move(self, way: int, now_ms: int) -> None:
        """The ball came out, or rests in the tube."""
        self.way = way
        self._since_ms = now_ms

    def ms(self, now_ms: int) -> int:
        """How long the draw has lasted."""
        return max(diff(now_ms, self._began_ms), 0)

    def read(self, values: "Sequence[int]") -> int:
        """Take one reading of the ball in transit.

        Returns 0 or the code of what is wrong with it.
        """
        place, number = values[0] - 1, values[2]
        if self.readings[place] != UNKNOWN_U8:
            return words.DOUBLE_EXIT
        self.readings[place] = number
        if not number:
            return words.BALL_UNREADABLE
        if number > self._balls or (self._set and values[3] != self._set):
            return words.FOREIGN_BALL
        return 0

    def judge(self, now_ms: int) -> int:
        """Accept the ball once everything about it is known.

        Returns 0 or the code of what is wrong.
        """
        way, spent_ms = self.way, diff(now_ms, self._since_ms)
        if way == NONE:
            return words.DRAW_UNFINISHED if spent_ms >= self._wait_ms else 0
        if way == OUT:
            return words.BALL_LOST if spent_ms >= self._transit_ms else 0
        here, there = self.readings
        if here == UNKNOWN_U8 or there == UNKNOWN_U8:
            return words.READING_MISSING if spent_ms >= self._read_ms else 0
        if here != there:
            return words.READERS_DISAGREE
        for place in range(self.drawn):
            if self.numbers[place] == here:
                return words.DUPLICATE_BALL
        self.numbers[self.drawn] = here
        self.drawn += 1
        self.drawn_ms = self.ms(now_ms)
        self._rest(now_ms)
        return 0

    def counted(self, balls: int) -> bytes:
        """The first `balls` numbers as bits: number n is bit n - 1."""
        bits = bytearray(_MOST + 7 >> 3)
        for place in range(balls):
            bit = self.numbers[place] - 1
            bits[bit >> 3] |= 1 << (bit & 7)
        return bytes(bits)

    def sensor(self, code: int) -> int:
        """The sensor a code of judge() or read() concerns."""
        if code == words.BALL_LOST:
            return words.INPUT_TUBE
        if code == words.READING_MISSING:
            missing = self.readings[0] == UNKNOWN_U8
            return words.INPUT_EXIT_READER if missing else words.INPUT_TUBE_READER
        return UNKNOWN_U8
