"""The exit gate of a draw machine: two beams closer together than a ball is wide.

A ball on its way out covers the inner one, then both, then only the outer one. Anything else is
reported as what it may be, never as a ball. Times: microseconds on the 30-bit clock.
"""

from tablewire.compat import const

from ..core.ticks import diff
from .beam import Beam

# Where a ball is. On its way out: at the inner beam, at both, at the outer one; going back from
# both. On its way in the same from the other side. _UNKNOWN: it was no ball.
FREE = const(0)
_INNER = const(1)
_BOTH = const(2)
_OUTER = const(3)
_BACK = const(4)
_IN_OUTER = const(5)
_IN_BOTH = const(6)
_IN_INNER = const(7)
_UNKNOWN = const(8)
_LONGEST_10US = const(500000)  # times 2000 percent, more than the highest, it is below 2^30

OUT = const(1)  # one ball came out
IN = const(2)  # one ball went in
BACK = const(3)  # a ball that was at both beams went back
DOUBLE = const(4)  # two balls, or one that bounced
ODD = const(5)  # only the outer beam


class ExitGate:
    """inner, outer: its beams. ball_us: one ball in a beam. place: FREE while no ball is in it.

    percent: length of a ball over the distance of the beams, 0 unknown. Unlike the time in a beam
    it does not depend on the speed. A third more is two balls: half way, by parts of their own
    length, for two that touch are twice as long and spread as much.
    Call settle() until it returns 0 before each edge of a beam and at each tick.
    """

    def __init__(self, ball_us: int, stuck_us: int, percent: int) -> None:
        self.inner = Beam(stuck_us)
        self.outer = Beam(stuck_us)
        self.place = FREE
        self._longest_us = ball_us * 8 // 5
        self._longest_percent = percent * 4 // 3
        self._inner_fell_us = 0

    def settle(self, t_us: int) -> int:
        """Apply the changes that have lasted, the earlier first, up to one with a meaning.

        Returns OUT, IN, BACK, DOUBLE or ODD, 0 when no change is left.
        """
        inner, outer = self.inner, self.outer
        while True:
            first, second = inner.is_due(t_us), outer.is_due(t_us)
            if first and not (second and diff(outer.raw_us, inner.raw_us) < 0):
                inner.change()
                what = self._inner_rose() if inner.covered else self._inner_fell()
            elif second:
                outer.change()
                what = self._outer_rose() if outer.covered else self._outer_fell()
            else:
                return 0
            if what:
                self.place = _UNKNOWN
            if self.place == _UNKNOWN and not inner.covered and not outer.covered:
                self.place = FREE
            if what:
                return what

    def tick(self, t_us: int) -> None:
        """Time passed."""
        if not self.inner.settled:
            self.inner.tick(t_us)
        if not self.outer.settled:
            self.outer.tick(t_us)

    def _inner_rose(self) -> int:
        if self.place == FREE:
            self.place = _INNER
        elif self.place == _IN_OUTER:
            self.place = _IN_BOTH
        elif self.place == _OUTER:
            return DOUBLE
        return 0

    def _inner_fell(self) -> int:
        if self.place == _INNER:
            self.place = FREE  # it only came near
        elif self.place == _BOTH:
            if self.inner.last_us > self._longest_us:
                return DOUBLE
            self.place = _OUTER
            self._inner_fell_us = self.inner.raw_us
        elif self.place == _BACK:
            return BACK
        elif self.place == _IN_BOTH:
            self.place = _IN_OUTER
        elif self.place == _IN_INNER:
            return IN
        return 0

    def _outer_rose(self) -> int:
        if self.place == FREE:
            self.place = _IN_OUTER
        elif self.place == _INNER:
            self.place = _BOTH
        elif self.place == _BACK:
            return DOUBLE  # one that wavers, or two that part here
        elif self.place == _IN_INNER:
            self.place = _IN_BOTH
        return 0

    def _outer_fell(self) -> int:
        if self.place == _OUTER:
            return DOUBLE if self._is_long() else OUT
        if self.place == _BOTH:
            self.place = _BACK
        elif self.place == _IN_BOTH:
            self.place = _IN_INNER
        elif self.place == _IN_OUTER:
            return ODD
        return 0

    def _is_long(self) -> bool:
        # Twice the length and twice the distance in time, each by leading and trailing edge: their
        # ratio is that of an even speed when the air draws the ball on.
        inner_us, outer_us = self.inner.last_us, self.outer.last_us
        across_us = 2 * diff(self.outer.raw_us, self._inner_fell_us) + inner_us - outer_us
        longest_us = min(across_us // 10, _LONGEST_10US) * self._longest_percent // 10
        return self._longest_percent > 0 and inner_us + outer_us > longest_us
