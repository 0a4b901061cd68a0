"""The state of the shoe: which cards have left it, whether its cut card came, how it ends."""

from tablewire import card_shoe as words
from tablewire import messages as m
from tablewire.compat import const

from ..core.inputs import Contact
from ..core.ticks import diff

if -0:  # for mypy
    from tabletypes import Config, RecordSink

    from ..core.round import RoundControl

_CUT_STUCK_MS = const(5000)
_DECK = const(52)
# After these the content of the shoe is unknown: only a new one clears them.
FRESH = (
    words.SHOE_SHORT,
    words.SHOE_LONG,
    words.DUPLICATE_CARD,
    words.FOREIGN_CARD,
    words.CUT_CARD_REACHED,
    words.CARDS_UNREPORTED,
    words.SHOE_UNKNOWN,
)


class Shoe:
    """cfg: list by key number; out: the sink.

    known: its content was declared. drawn: cards that have left it. burns: to be burned before its
    first round. cut_seen: its cut card came.
    """

    def __init__(self, cfg: "Config", control: "RoundControl", out: "RecordSink") -> None:
        self._control = control
        self._out = out
        self.decks = cfg[words.DECKS]
        self.whole = self.decks * _DECK
        self._rounds_after = cfg[words.ROUNDS_AFTER_CUT]
        self.lid = Contact()
        self.holds = Contact()  # closed while cards are in it
        self.cut = Contact()
        self.known = False
        self.drawn = 0
        self.burns = 0
        self.cut_seen = False
        self._empty = False
        self._cut_passed = False
        self._cut_ms = 0
        self._cut_before = False  # the cut card came before this round opened
        self._rounds_left = 0
        self._copies = [0] * (_DECK + 1)
        self._events = [0] * (words.SHOE_EVENT_EMPTY + 1)  # still to be sent

    def edge(self, sensor: int, level: int) -> bool:
        """Take a switched input; False when it is not one of the shoe's."""
        now_ms = self._control.now_ms
        if sensor == words.INPUT_SHOE_CARDS:
            self.holds.edge(level, now_ms)
        elif sensor == words.INPUT_CUT_CARD:
            self.cut.edge(level, now_ms)
        elif sensor == words.INPUT_LID:
            self.lid.edge(level, now_ms)
        else:
            return False
        return True

    def declare(self, load: int, cards: int, burns: int) -> None:
        """Declare its content; cards: see load_shoe."""
        self.known, self._empty = True, False
        if load == words.SHOE_LOAD_NEW:
            self.drawn = 0
            self.cut_seen = self._cut_passed = False
            for card in range(len(self._copies)):
                self._copies[card] = 0
        else:
            self.drawn = cards
        self.burns = burns
        self._events[load] = 1

    def count(self, card: int) -> int:
        """Count a card that left it, 0: unread; returns the code of what is wrong, or 0."""
        self.drawn += 1
        if self.drawn > self.whole:
            return words.SHOE_LONG
        if not card:
            return 0
        self._copies[card] += 1
        return words.DUPLICATE_CARD if self._copies[card] > self.decks else 0

    def copies(self, card: int) -> int:
        """How often a card has left it."""
        return self._copies[card]

    def cut_out(self) -> None:
        """The cut card has passed the mouth."""
        self._cut_passed = True
        self._cut_ms = self._control.now_ms
        self._cut_came()

    def round_opened(self) -> None:
        """A round opens."""
        self._cut_before = self.cut_seen

    def round_ended(self) -> None:
        """A round ended, in any way."""
        self._rounds_left -= self._cut_before
        self._cut_before = False

    def is_last_round(self) -> int:
        """1 when no round may open after the present one."""
        return int(self.cut_seen and self._rounds_left - self._cut_before <= 0)

    def fail(self, code: int, sensor: int, value: int, limit: int) -> None:
        """Raise a fault of a declared shoe: it voids a round and locks the table."""
        if self.known:
            self._control.raise_fault(code, sensor, value, limit)

    def tick(self, is_resting: bool) -> None:
        """Watch lid, cards and cut card; send pending events. is_resting: see Reader."""
        control = self._control
        now_ms = control.now_ms
        self.lid.tick(now_ms)
        self.cut.tick(now_ms)
        self.holds.tick(now_ms)
        if self.known:
            self._watch(is_resting)
        if control.phase == m.PHASE_CLOSED:
            if not self.known or self._empty:
                control.raise_fault(words.SHOE_UNKNOWN, words.INPUT_SHOE_CARDS, 0, 1)
            elif self.cut_seen and self._rounds_left <= 0:
                control.raise_fault(words.CUT_CARD_REACHED, words.INPUT_CUT_CARD, self.drawn, 0)
        self._send_events()

    def _watch(self, is_resting: bool) -> None:
        control = self._control
        is_over = False
        if control.faults.count:
            for code in FRESH:
                is_over = is_over or control.faults.is_active(code)
        if self.lid.closed and is_over:
            self.known = False  # opened to be filled again
        elif self.lid.closed:
            self.fail(words.SHOE_LID_OPEN, words.INPUT_LID, 1, 0)
        if self.cut.closed:
            self._cut_came()
            if self._cut_passed and diff(control.now_ms, self._cut_ms) > _CUT_STUCK_MS:
                self.fail(words.CUT_SENSOR_STUCK, words.INPUT_CUT_CARD, 1, 0)
        if not self.holds.closed and not self._empty and is_resting and not is_over:
            self._empty = True
            self._events[words.SHOE_EVENT_EMPTY] = 1
            if self.drawn < self.whole:
                self.fail(words.SHOE_SHORT, words.INPUT_SHOE_CARDS, self.drawn, self.whole)

    def _cut_came(self) -> None:
        if not self.cut_seen:
            self.cut_seen = True
            self._rounds_left = self._rounds_after
            self._events[words.SHOE_EVENT_CUT_CARD] = 1

    def _send_events(self) -> None:
        for event in range(1, len(self._events)):
            if self._events[event]:
                fields = [event, self.decks, self.whole, self.drawn, self.burns]
                if self._out.record(words.SHOE_REPORT, fields):
                    self._events[event] = 0
