"""Measures where the reader head is within a pocket, by a resting ball while the rotor turns.

The middle of a pulse counts, so that neither the sense of rotation nor the width of the head's
view matters. Whole pockets cannot be distinguished here: they are index_offset.
"""

from tablelogic.core.ticks import MASK, diff
from tablewire.compat import const

if -0:  # for mypy
    from tablelogic.roulette.rotor import Rotor

_POCKET = const(64)  # the unit of places: 1/64 pocket
_HALF = const(32)
# As in play: so short a gap is bounce, and a pulse shorter or longer, in 1/64 pocket, is not read.
_GAP_US = const(3000)
_SHORTEST = const(8)
_LONGEST = const(56)


class HeadPlace:
    """rotor: rotor.Rotor; angle_mdeg: the configured angle of the head. count: of its pulses

    while the rotor was tracked exactly. pocket: of the last of them, index_offset 0.
    """

    def __init__(self, rotor: "Rotor", angle_mdeg: int) -> None:
        self.count = 0
        self.pocket = 0
        self._rotor = rotor
        self._angle_64 = angle_mdeg * _POCKET * rotor.pockets // 360000
        self._rose_us = self._fell_us = 0
        self._added = 0  # to the sum by the pulse that ended last
        self._counted = 0  # 1: that pulse is in count
        self._first = 0  # how far off the first pulse was, -32..31
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
        period_us = self._rotor.ring.period_us
        if period_us * _SHORTEST < wide_us * _POCKET < period_us * _LONGEST:
            middle_us = (self._rose_us + wide_us // 2) & MASK
            self._take(self._rotor.place_at(middle_us, self._angle_64 + _HALF))

    def _take(self, place: int) -> None:
        if place < 0:
            return
        self.pocket = place // _POCKET
        aside = place % _POCKET - _HALF
        if not self.count:
            self._first, self._sum = aside, 0
        self._added = (aside - self._first + _HALF) % _POCKET - _HALF
        self._sum += self._added
        self._counted = 1
        self.count += 1

    def mdeg(self) -> int:
        """How far the head is from its configured angle, clockwise; the mean."""
        aside = self._first * self.count + self._sum
        return -aside * 360000 // (_POCKET * self._rotor.pockets * self.count)
