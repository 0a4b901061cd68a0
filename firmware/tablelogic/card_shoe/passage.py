"""Passages through the mouth of a shoe: two light beams, one behind the other, and a sheet sensor.

A card darkens the inner beam, then both, then only the outer one. The value of the sensor between
the beams is its thickness. Its leading edge gives the speed of a hand at first, its trailing edge
at last, and a speed that changes evenly between gives its length; but a hand may stop half way, so
what is too long for a card may be one. Times: microseconds on the 30-bit clock.
"""

from tablewire import card_shoe as words
from tablewire.compat import const

from ..core.ticks import diff

if -0:  # for mypy
    from tabletypes import WatchedEdges

_LASTS_US = const(1500)  # a shorter change is no edge of a card
_INNER = const(0)
_OUTER = const(1)

FREE = const(0)
ENTERING = const(1)  # only in the inner beam
ACROSS = const(2)
LEAVING = const(3)  # only in the outer beam
ASTRAY = const(4)  # something else; until both beams are free
_LEFT = const(5)  # a whole card was just reported as PASSED

BEGAN = const(1)  # something enters the mouth
PASSED = const(2)  # a card has left it


class Passage:
    """state: as above. sensor: where the fault reported last was seen.

    ratio: length over the distance of the beams, percent, of the last passage; most: the longest
    it may be by its speed at one edge. thickest: raw, its maximum; samples: whether it was sampled
    while it was across both beams. crossed: whether it was since the last tick.
    Call settle() until it returns 0 before each edge and at each tick.
    """

    def __init__(self, stuck_ms: int) -> None:
        self._stuck_us = stuck_ms * 1000
        self.state = FREE
        self.ratio = 0
        self.most = 0
        self.crossed = False
        self.thickest = 0
        self.samples = 0
        self.passage_ms = 0
        self.sensor = 0
        self._stuck = False
        self._began_us = 0
        # By beam: as seen, as debounced, whether a change has not lasted yet, and its time.
        self._raw = [0, 0]
        self._covered = [0, 0]
        self._pending = [0, 0]
        self._raw_us = [0, 0]
        self._rose_us = [0, 0]
        self._fell_us = [0, 0]

    def is_free(self) -> bool:
        """Whether the mouth is empty."""
        return self.state == FREE and not self._raw[_INNER] and not self._raw[_OUTER]

    def is_across(self, ring: "WatchedEdges") -> int:
        """Whether something is in both beams after the edges that wait in a ring.

        The sheet sensor is read only then: what is behind a card is no part of it.
        """
        inner, outer = self._raw
        inner = ring.level(words.INPUT_GATE_IN, inner)
        return inner and ring.level(words.INPUT_GATE_OUT, outer)

    def thickness(self, raw: int) -> None:
        """The sheet sensor, 0..4095, while something is across."""
        self.samples = 1
        self.thickest = max(self.thickest, raw)

    def edge(self, beam: int, level: int, t_us: int) -> None:
        """A beam was interrupted (1) or came back (0)."""
        if level != self._raw[beam]:
            self._raw[beam] = level
            self._pending[beam] = int(level != self._covered[beam])
            self._raw_us[beam] = t_us
            if level and self._raw[1 - beam]:
                self.crossed = True

    def tick(self, t_us: int) -> int:
        """Time passed; returns CARD_STUCK, once, when something is in it for too long, or 0."""
        self.crossed = bool(self._raw[_INNER] and self._raw[_OUTER])
        if self.state == FREE or self._stuck or diff(t_us, self._began_us) <= self._stuck_us:
            return 0
        self._stuck = True
        place = _OUTER if self._covered[_OUTER] else _INNER
        return self._stray(words.CARD_STUCK, words.INPUT_GATE_IN + place)

    def settle(self, t_us: int) -> int:
        """Apply the changes that have lasted, the earlier first, up to one with a meaning.

        Returns BEGAN, PASSED or the code of a fault, 0 when no change is left. With GATE_BLIND
        something has begun, too.
        """
        if self.state == _LEFT:
            self._rest()
        pending, raw_us = self._pending, self._raw_us
        while pending[_INNER] or pending[_OUTER]:
            first = _INNER if pending[_INNER] else _OUTER
            if pending[_INNER] and pending[_OUTER] and diff(raw_us[_OUTER], raw_us[_INNER]) < 0:
                first = _OUTER
            if diff(t_us, raw_us[first]) < _LASTS_US:
                return 0
            pending[first] = 0
            event = self._change(first, raw_us[first])
            if self.state == ASTRAY and not self._covered[_INNER] and not self._covered[_OUTER]:
                self._rest()
            if event:
                return event
        return 0

    def _change(self, beam: int, t_us: int) -> int:
        self._covered[beam] = 1 - self._covered[beam]
        if self._covered[beam]:
            self._rose_us[beam] = t_us
        else:
            self._fell_us[beam] = t_us
        state = self.state
        if state == FREE:
            self.state = ENTERING
            self._began_us = t_us
            if beam == _OUTER:
                return self._stray(words.GATE_BLIND, words.INPUT_GATE_OUT)
            return BEGAN
        if state == ENTERING and beam == _OUTER:
            self.state = ACROSS
        elif state == ACROSS and beam == _INNER:
            self.state = LEAVING
        elif state == LEAVING and beam == _OUTER:
            return self._end()
        elif state == LEAVING:
            # The next card, hardly a gap behind.
            return self._stray(words.TWO_CARDS, words.INPUT_GATE_IN)
        elif state != ASTRAY:
            return self._stray(words.CARD_BACK, words.INPUT_GATE_IN + beam)
        return 0

    def _stray(self, code: int, sensor: int) -> int:
        self.state = ASTRAY
        self.sensor = sensor
        return code

    def _end(self) -> int:
        rose, fell = self._rose_us, self._fell_us
        first_us = max(diff(rose[_OUTER], rose[_INNER]), 1)
        last_us = max(diff(fell[_OUTER], fell[_INNER]), 1)
        whole_us = diff(fell[_OUTER], rose[_INNER])
        # Card and gate distance over the latter, at the speed of either edge all the way.
        by_first = min(whole_us * 100 // first_us, 60000)
        by_last = min(whole_us * 100 // last_us, 60000)
        # An even change has the mean speed of an interval in its middle, here that of whole_us.
        rest_us = max((2 * whole_us - first_us - last_us) >> 8, 1)
        share = (whole_us - last_us) // rest_us
        self.ratio = max(by_last + (by_first - by_last) * share // 256 - 100, 0)
        self.most = max(self.ratio, by_first - 100, by_last - 100)
        self.passage_ms = min(diff(fell[_OUTER], rose[_OUTER]) // 1000, 60000)
        self.state = _LEFT
        return PASSED

    def _rest(self) -> None:
        self.state = FREE
        self._stuck = False
        self.samples = 0
        self.thickest = 0
