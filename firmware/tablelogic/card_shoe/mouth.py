"""What leaves the shoe, judged: one card, whole, wanted just now, and read twice the same."""

from tablewire import card_shoe as words
from tablewire import messages as m

from ..core.clock import diff
from .dealing import CUT_ONLY, Dealing
from .passage import Passage


class Mouth:
    """cfg: list by key number. table: card_shoe.CardShoe; out: the sink."""

    def __init__(self, cfg: list, table: object, out: object) -> None:
        self._table = table
        self.passage = Passage(cfg[words.STUCK_MS], self)
        self.dealing = Dealing(out)
        self._longest = cfg[words.CARD_RATIO] * (100 + cfg[words.RATIO_SLACK]) // 100
        self._shortest = cfg[words.CARD_RATIO] * 7 // 10
        self._sheet_raw = cfg[words.SHEET_LIMIT_RAW]
        self._read_ms = cfg[words.READ_MS]
        self._round_burns = cfg[words.ROUND_BURNS]
        self._use = words.CARD_USE_VOID  # of what is in it

    def spoil(self) -> None:
        """The round is void: what is in the mouth belongs to none."""
        self._use = words.CARD_USE_VOID
        self.dealing.spoil()

    def forsake(self) -> None:
        """The values that are waited for never come."""
        while self.dealing.awaited() >= 0:
            self._note(self.dealing.awaited(), 0, words.CARD_USE_VOID)

    def fail(self, code: int, sensor: int, value: int, limit: int) -> None:
        """What passes is not as it should be: what the reader makes of it does not count."""
        self._table.fail(code, sensor, value, limit)
        self._table.drop_reads()

    def began(self) -> None:
        """Something enters the mouth."""
        table, shoe = self._table, self._table.shoe
        if table.phase == m.PHASE_NO_MORE_BETS:
            self._use = words.CARD_USE_ROUND
        elif shoe.cut.closed:
            self._use = CUT_ONLY
        elif table.phase == m.PHASE_CLOSED and shoe.burns:
            self._use = words.CARD_USE_BURNED
        else:
            self._use = words.CARD_USE_VOID
            if not table.void(words.CARD_EARLY, words.INPUT_GATE_IN):
                table.fail(words.CARD_OUTSIDE, words.INPUT_GATE_IN, 1, 0)

    def passed(self) -> None:
        """It has left."""
        table, passage = self._table, self.passage
        if not table.shoe.known:
            return
        if passage.ratio > self._longest:
            table.fail(words.TWO_CARDS, words.INPUT_GATE_OUT, passage.ratio, self._longest)
        elif passage.ratio < self._shortest:
            table.fail(words.FOREIGN_CARD, words.INPUT_GATE_OUT, passage.ratio, self._shortest)
        elif passage.thickest > self._sheet_raw or not passage.samples:
            table.fail(words.TWO_CARDS, words.INPUT_SHEET, passage.thickest, self._sheet_raw)
        if not self.dealing.add(self._use, passage.passage_ms, table.now_ms):
            table.fail(words.CARDS_UNTOLD, m.UNKNOWN_U8, self.dealing.waiting, 0)

    def tick(self, t_us: int) -> None:
        """Time passed: judge what passes, wait no longer than that for a value, tell."""
        self.passage.tick(t_us)
        place = self.dealing.awaited()
        if place >= 0:
            waited_ms = diff(self._table.now_ms, self.dealing.passed_ms(place))
            if waited_ms > self._read_ms:
                self.read(words.CORNER_UNREAD, words.CORNER_UNREAD)
        if self.passage.is_free():  # writing to the flash holds up the edges
            self.dealing.tell()

    def is_resting(self) -> bool:
        """Whether nothing is in the mouth, and no value is waited for."""
        return self.passage.is_free() and self.dealing.awaited() < 0

    def read(self, first: int, second: int) -> None:
        """What the reader saw at both corners of the oldest card that was not read."""
        table, place = self._table, self.dealing.awaited()
        if place < 0:
            return
        use = self.dealing.use(place)
        if first == words.CORNER_CUT_CARD and second == first:
            self.dealing.drop(place)
            table.shoe.cut_out()
            return
        card = first if first == second and first < words.CORNER_CUT_CARD else 0
        code = 0
        if use == CUT_ONLY:
            code = words.CARD_OUTSIDE
        elif use != words.CARD_USE_VOID and not card:
            code = words.READS_DISAGREE
            if not first or not second:
                code = words.CARD_UNREAD
            elif first == second:
                code = words.FOREIGN_CARD
        if code:
            table.fail(code, words.INPUT_CARD_READER, first, second)  # this makes its use void
            use = words.CARD_USE_VOID
        self._note(place, card, use)

    def _note(self, place: int, card: int, use: int) -> None:
        table, shoe, dealing = self._table, self._table.shoe, self.dealing
        if use == words.CARD_USE_ROUND and dealing.burned < self._round_burns:
            use = words.CARD_USE_BURNED
            dealing.burned += 1
        elif use == words.CARD_USE_BURNED and shoe.burns:
            shoe.burns -= 1
        wrong = shoe.count(card)
        if wrong:
            value, limit = shoe.left, shoe.whole
            if wrong == words.DUPLICATE_CARD:
                value, limit = card, shoe.decks
            table.fail(wrong, words.INPUT_CARD_READER, value, limit)
            use = words.CARD_USE_VOID
        if not dealing.read(place, card, use, shoe.left):
            table.void(words.TOO_MANY_CARDS, m.UNKNOWN_U8)
