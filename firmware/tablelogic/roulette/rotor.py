"""The rotor's angle: ring ticks counted from the index, lost ticks, lost index.

The index sensor is over its magnet while the pocket coordinate P at the reference angle is within
0.125 of n - 0.5: between the last pocket and pocket 0, whichever way the rotor turns. An index
magnet at a ring magnet counts right one way, and one pocket beside the other way; so where between
two ticks the index begins is compared at every turn.
"""

from tablewire.compat import const
from tablewire.roulette import INDEX_LOST, TICK_LOST

from ..core.ticks import diff
from .ring import Ring

_BAD_TURNS = const(3)
_POCKET = const(64)  # the unit of places: 1/64 pocket
# From the middle of a ring pulse to the beginning of the index: half a pocket less half its width,
# 0.31 to 0.40 (hil_tests.magnets). Between 9/64 and 35/64 no tick begins while a magnet is on for
# less than 0.9 of a pitch, so either way the index comes between the same two.
_INDEX = const(22)
_BESIDE = const(13)


class Rotor:
    """Tracks the turns of the ring. pockets: 37 or 38.

    index_off: how much later than at its place the last index came, -32..31 in 1/64 pocket.
    """

    def __init__(self, pockets: int, min_drpm: int, max_drpm: int) -> None:
        self.pockets = pockets
        self.ring = Ring(pockets, min_drpm, max_drpm)
        self.index_off = 0
        self._count = 0  # A ticks since the index
        self._place = 0  # P at the middle of the last A pulse, in 1/64 pocket
        self._missed = 0  # consecutive turns without an index at its place
        self._bad_turns = 0  # consecutive turns with a wrong count, 0.._BAD_TURNS
        self._synced = False  # an index was seen since the direction is known
        self._odd = True  # a tick was lost or added since the index
        self._clean = False  # none was, and the turn before counted right
        self._began_us = 0  # the first tick after the index
        self._turn_us = 0  # from the one before to it, 0 unknown

    def tick_a(self, t_us: int) -> None:
        """A magnet came over ring sensor A at t_us."""
        ring = self.ring
        if not ring.tick_a(t_us):
            self._odd = True
            self._clean = False
        if not ring.direction:
            self._synced = False
            self._clean = False
            self._count = 0
            self._missed = 0
            return
        self._count += 1
        if self._count == 1:
            self._turn_us = diff(t_us, self._began_us) if self._clean else 0
            self._began_us = t_us
        if self._count > self.pockets + 2:
            self._count -= self.pockets
            self._missed += 1
            self._odd = True
            self._clean = False
            ring.at_rest = False
        if ring.direction < 0:
            self._place = (self._count - 1) * _POCKET
        else:
            self._place = (self.pockets - self._count) * _POCKET

    def index(self, t_us: int) -> None:
        """The index began at t_us: a turn is complete."""
        ring = self.ring
        ring.at_rest = False
        period_us = ring.period_us
        if period_us:
            since = diff(t_us, ring.a_us) - ring.width_us // 2
            late = since % period_us * _POCKET // period_us - _INDEX
            self.index_off = (late + _POCKET // 2) % _POCKET - _POCKET // 2
        self._missed = self._missed + 1 if abs(self.index_off) > _BESIDE else 0
        right = self._count == self.pockets and not self._odd
        if right or not self._synced:
            self._bad_turns = 0
        elif self._bad_turns < _BAD_TURNS:
            self._bad_turns += 1
        self._clean = right and self._synced and not self._missed
        self._odd = False
        self._synced = True
        self._count = 0

    def launched(self) -> None:
        """A spin begins: events between rounds do not count."""
        self._bad_turns = 0
        self._missed = 0
        self.ring.launched()

    def place_at(self, t_us: int, angle_64: int) -> int:
        """P at a stator angle at t_us, in 1/64 pocket from pocket 0 on, or -1 when not exact."""
        ring = self.ring
        period_us, width_us = ring.period_us, ring.width_us
        if not self._clean or not 0 < width_us < period_us:
            return -1
        since = diff(t_us, ring.a_us) - width_us // 2
        if not -3 * period_us < since < 2 * period_us:
            return -1
        moved = since * _POCKET // period_us
        return (self._place - ring.direction * moved + angle_64) % (self.pockets * _POCKET)

    def angle_mdeg(self) -> int:
        """How far it has turned since the index, in steps of a pocket."""
        return self._count % self.pockets * 360000 // self.pockets

    def turn_us(self) -> int:
        """Duration of the last turn, or of one at the speed of the last pitch; 0 unknown.

        Two magnets a little off their places make a pitch, and so a turn, a sixteenth too short.
        """
        return self._turn_us or self.ring.period_us * self.pockets

    def lost(self) -> int:
        """The code of what is lost, or 0.

        The index: two turns and two ticks without one, or two in a row beside its place. Ticks:
        three consecutive wrong counts.
        """
        if self._missed >= 2:
            return INDEX_LOST
        return TICK_LOST if self._bad_turns >= _BAD_TURNS else 0
