"""What passes the mouth of a shoe: two light beams, one behind the other, and a sheet sensor.

A card darkens the inner beam, then both, then the outer one alone. How long it covers them,
against how long it takes from one to the other, is its length; how much the sensor between them
shows is its thickness. Times: microseconds on the 30-bit clock.
"""

from tablewire import card_shoe as words
from tablewire.compat import const

from ..core.clock import diff

_LASTS_US = const(1500)  # what is over sooner is no edge of a card
_INNER = const(0)
_OUTER = const(1)

FREE = const(0)
ENTERING = const(1)  # in the inner beam alone
ACROSS = const(2)
LEAVING = const(3)  # in the outer beam alone
ASTRAY = const(4)  # something else; until both beams are free


class Passage:
    """table: card_shoe.CardShoe, told by began(), passed() and fail(). state: as above.

    ratio: length over the distance of the beams, percent, of what passed last. thickest: raw, the
    most seen of it; samples: whether it was looked at while it lay across both beams.
    """

    def __init__(self, stuck_ms: int, table: object) -> None:
        self._table = table
        self._stuck_us = stuck_ms * 1000
        self.state = FREE
        self.ratio = 0
        self.thickest = 0
        self.samples = 0
        self.passage_ms = 0
        self._stuck = False
        self._began_us = 0
        # By beam: as seen, as believed, whether it changed and has not lasted yet, and when.
        self._raw = [0, 0]
        self._covered = [0, 0]
        self._pending = [0, 0]
        self._raw_us = [0, 0]
        self._rose_us = [0, 0]
        self._fell_us = [0, 0]

    def is_free(self) -> bool:
        """Whether nothing is in the mouth."""
        return self.state == FREE and not self._raw[_INNER] and not self._raw[_OUTER]

    def is_across(self) -> bool:
        """Whether something lies in both beams now: the sheet sensor is asked only then."""
        return self._raw[_INNER] and self._raw[_OUTER]

    def thickness(self, raw: int) -> None:
        """What the sheet sensor shows, 0..4095, while something lies across."""
        self.samples = 1
        self.thickest = max(self.thickest, raw)

    def edge(self, beam: int, level: int, t_us: int) -> None:
        """A beam was interrupted (1) or came back (0)."""
        self._settle(t_us)
        if level != self._raw[beam]:
            self._raw[beam] = level
            self._pending[beam] = int(level != self._covered[beam])
            self._raw_us[beam] = t_us

    def tick(self, t_us: int) -> None:
        """Time passed."""
        self._settle(t_us)
        if self.state == FREE or self._stuck:
            return
        if diff(t_us, self._began_us) > self._stuck_us:
            self._stuck = True
            place = _OUTER if self._covered[_OUTER] else _INNER
            self._stray(words.CARD_STUCK, words.INPUT_GATE_IN + place)

    def _settle(self, t_us: int) -> None:
        for _ in range(2):
            first = -1
            for beam in range(2):
                due = self._pending[beam] and diff(t_us, self._raw_us[beam]) >= _LASTS_US
                if due and (first < 0 or diff(self._raw_us[beam], self._raw_us[first]) < 0):
                    first = beam
            if first < 0:
                return
            self._pending[first] = 0
            self._change(first, self._raw_us[first])

    def _change(self, beam: int, t_us: int) -> None:
        self._covered[beam] = 1 - self._covered[beam]
        if self._covered[beam]:
            self._rose_us[beam] = t_us
        else:
            self._fell_us[beam] = t_us
        state = self.state
        if state == FREE:
            self._begin(beam, t_us)
        elif state == ENTERING and beam == _OUTER:
            self.state = ACROSS
        elif state == ACROSS and beam == _INNER:
            self.state = LEAVING
        elif state == LEAVING and beam == _OUTER:
            self._end()
        elif state == LEAVING:
            self._stray(words.TWO_CARDS, words.INPUT_GATE_IN)  # the next one, hardly a gap behind
        elif state != ASTRAY:
            self._stray(words.CARD_BACK, words.INPUT_GATE_IN + beam)
        if self.state == ASTRAY and not self._covered[_INNER] and not self._covered[_OUTER]:
            self._rest()

    def _begin(self, beam: int, t_us: int) -> None:
        self.state = ENTERING
        self._began_us = t_us
        self._table.began()
        if beam == _OUTER:
            self._stray(words.GATE_BLIND, words.INPUT_GATE_OUT)

    def _stray(self, code: int, sensor: int) -> None:
        self.state = ASTRAY
        self._table.fail(code, sensor, 1, 0)

    def _end(self) -> None:
        rose, fell = self._rose_us, self._fell_us
        covered_us = diff(fell[_INNER], rose[_INNER]) + diff(fell[_OUTER], rose[_OUTER])
        between_us = diff(rose[_OUTER], rose[_INNER]) + diff(fell[_OUTER], fell[_INNER])
        self.ratio = min(covered_us // max(between_us // 100, 1), 60000)
        self.passage_ms = min(diff(fell[_OUTER], rose[_OUTER]) // 1000, 60000)
        self._table.passed()
        self._rest()

    def _rest(self) -> None:
        self.state = FREE
        self._stuck = False
        self.samples = 0
        self.thickest = 0
