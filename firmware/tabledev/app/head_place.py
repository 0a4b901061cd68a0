"""Where the reader head stands, within a pocket, by a ball that lies in one while the rotor turns.

A pulse is taken at its middle, so that neither the sense of rotation nor how much the head sees
matters. Whole pockets cannot be told apart here: they are index_offset.
"""

from tablelogic.core.clock import MASK, diff
from tablewire.compat import const

_POCKET = const(64)  # the unit of places: 1/64 pocket
_HALF = const(32)
# As tablelogic.roulette.pulses: what is shorter is electrical, and a gap so short is bounce.
_GAP_US = const(3000)
_SHORTEST_US = const(2000)


class HeadPlace:
    """rotor: rotor.Rotor; angle_mdeg: where the head is thought to stand. count: of its pulses

    that came while the rotor was followed exactly.
    """

    def __init__(self, rotor: object, angle_mdeg: int) -> None:
        self.count = 0
        self._rotor = rotor
        self._angle_64 = angle_mdeg * _POCKET * rotor.pockets // 360000
        self._rose_us = self._fell_us = 0
        self._added = 0  # to the sum by the pulse that ended last
        self._counted = 0  # 1: that pulse is in count
        self._first = 0  # how far aside the first pulse was, -32..31
        self._sum = 0  # of how much further the others were

    def edge(self, level: int, t_us: int) -> None:
        """The head switched. Allocates nothing."""
        if level:
            if 0 <= diff(t_us, self._fell_us) < _GAP_US:  # the same pulse goes on
                self._sum -= self._added
                self.count -= self._counted
            else:
                self._rose_us = t_us
            self._added = self._counted = 0
            return
        self._fell_us = t_us
        wide_us = diff(t_us, self._rose_us)
        if _SHORTEST_US <= wide_us < self._rotor.ring.period_us:
            middle_us = (self._rose_us + wide_us // 2) & MASK
            self._take(self._rotor.place_at(middle_us, self._angle_64 + _HALF))

    def _take(self, place: int) -> None:
        if place < 0:
            return
        aside = place % _POCKET - _HALF
        if not self.count:
            self._first, self._sum = aside, 0
        self._added = (aside - self._first + _HALF) % _POCKET - _HALF
        self._sum += self._added
        self._counted = 1
        self.count += 1

    def mdeg(self) -> int:
        """How far the head stands from where it is thought to, clockwise; the mean."""
        aside = self._first * self.count + self._sum
        return -aside * 360000 // (_POCKET * self._rotor.pockets * self.count)
