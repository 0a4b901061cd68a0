"""Judges what leaves the shoe: one complete card, expected now, and read twice the same."""

from tablewire import card_shoe as words
from tablewire import messages as m
from tablewire.compat import const

from ..core.ticks import diff
from .card_order import CUT_ONLY, Dealing
from .passage import ACROSS, BEGAN, ENTERING, PASSED, Passage

if -0:  # for mypy
    from collections.abc import Callable

    from tabletypes import Config, RecordSink

    from ..core.round import RoundControl
    from .reader_watch import Reader
    from .shoe_state import Shoe

_DEAD_RAW = const(300)  # a card reads more; a sensor without supply or wire does not


class Mouth:
    """cfg: list by key number. shoe, reader: their logic; out: the sink."""

    def __init__(
        self,
        cfg: "Config",
        control: "RoundControl",
        shoe: "Shoe",
        reader: "Reader",
        out: "RecordSink",
    ) -> None:
        self._control = control
        self._shoe = shoe
        self._reader = reader
        self.passage = Passage(cfg[words.STUCK_MS])
        self.dealing = Dealing(out)
        self._longest = cfg[words.CARD_RATIO] * (100 + cfg[words.RATIO_SLACK]) // 100
        self._shortest = cfg[words.CARD_RATIO] * 7 // 10
        self._sheet_raw = cfg[words.SHEET_LIMIT_RAW]
        card_raw = cfg[words.SHEET_CARD_RAW]
        # Two that hardly overlap are under the sensor for less than it takes to respond.
        step_raw = self._sheet_raw - card_raw if card_raw else 0
        self._long_raw = self._sheet_raw - step_raw // 2
        self._least_raw = max(card_raw - step_raw, _DEAD_RAW)
        self._read_ms = cfg[words.READ_MS]
        self._round_burns = cfg[words.ROUND_BURNS]
        self._use = words.CARD_USE_VOID  # of what is in it
        # Takes each passage while a self-test measures cards.
        self.measured: "Callable[[Passage], object] | None" = None
        self._late = False  # it came before the reader had counted the card ahead of it

    def voided(self, phase: int, reason: int) -> None:
        """Void the round: its cards, and what is in the mouth, belong to none."""
        self._use = words.CARD_USE_VOID
        self.dealing.spoil()
        self._shoe.round_ended()

    def forsake(self) -> None:
        """Give up the awaited values: they never come."""
        while self.dealing.awaited() >= 0:
            self._note(self.dealing.awaited(), 0, words.CARD_USE_VOID)

    def edge(self, beam: int, level: int, t_us: int) -> None:
        """A beam was interrupted (1) or came back (0)."""
        self._settle(t_us)
        self.passage.edge(beam, level, t_us)

    def _settle(self, t_us: int) -> None:
        event = self.passage.settle(t_us)
        while event:
            if event == PASSED:
                self._passed()
            else:
                if event == BEGAN or event == words.GATE_BLIND:
                    self._began()
                if event != BEGAN:
                    self._stray(event)
            event = self.passage.settle(t_us)

    def _stray(self, code: int) -> None:
        # The passage is irregular: what the reader makes of it does not count.
        self._shoe.fail(code, self.passage.sensor, 1, 0)
        self._reader.drop()

    def _look_back(self) -> None:
        # The next count could be of either card, and so could its value.
        self._late = self.dealing.unread() > self._reader.ahead()

    def _began(self) -> None:
        self._look_back()
        control, shoe = self._control, self._shoe
        if control.phase == m.PHASE_NO_MORE_BETS:
            self._use = words.CARD_USE_ROUND
        elif shoe.cut.closed:
            self._use = CUT_ONLY
        elif control.phase == m.PHASE_CLOSED and shoe.burns:
            self._use = words.CARD_USE_BURNED
        else:
            self._use = words.CARD_USE_VOID
            if not control.void(words.CARD_EARLY, words.INPUT_GATE_IN):
                shoe.fail(words.CARD_OUTSIDE, words.INPUT_GATE_IN, 1, 0)

    def _passed(self) -> None:
        shoe, passage, dealing = self._shoe, self.passage, self.dealing
        if self.measured is not None:
            self.measured(passage)
        if not shoe.known:
            return
        most_raw = self._long_raw if passage.ratio > self._longest else self._sheet_raw
        if passage.most < self._shortest:
            shoe.fail(words.FOREIGN_CARD, words.INPUT_GATE_OUT, passage.most, self._shortest)
        elif passage.thickest > most_raw:
            shoe.fail(words.TWO_CARDS, words.INPUT_SHEET, passage.thickest, most_raw)
        elif passage.thickest < self._least_raw or not passage.samples:
            shoe.fail(words.TWO_CARDS, words.INPUT_SHEET, passage.thickest, self._least_raw)
        if self._late:
            shoe.fail(words.CARD_UNREAD, words.INPUT_CARD_READER, dealing.unread(), 0)
        if not dealing.add(self._use, passage.passage_ms, self._control.now_ms):
            shoe.fail(words.CARDS_UNREPORTED, m.UNKNOWN_U8, dealing.waiting, 0)

    def tick(self, t_us: int) -> None:
        """Time passed: judge the passage, limit the wait for a value, send cards."""
        passage, dealing = self.passage, self.dealing
        self._settle(t_us)
        if passage.state == ENTERING or passage.state == ACROSS:
            self._look_back()
        code = passage.tick(t_us)
        if code:
            self._stray(code)
        place = dealing.awaited()
        if place >= 0:
            waited_ms = diff(self._control.now_ms, dealing.passed_ms(place))
            if waited_ms > self._read_ms:
                self._reader.skip()
                self.read(words.CORNER_UNREAD, words.CORNER_UNREAD)
        if passage.is_free():  # writing to the flash delays the edges
            dealing.record()

    def is_resting(self) -> bool:
        """Whether the mouth is empty, and no value is awaited."""
        return self.passage.is_free() and not self.dealing.unread()

    def read(self, first: int, second: int) -> None:
        """Take what the reader saw at both corners of the oldest unread card."""
        place = self.dealing.awaited()
        if place < 0:
            return
        use = self.dealing.use(place)
        if first == words.CORNER_CUT_CARD and second == first:
            self.dealing.drop(place)
            self._shoe.cut_out()
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
            # This makes its use void.
            self._shoe.fail(code, words.INPUT_CARD_READER, first, second)
            use = words.CARD_USE_VOID
        self._note(place, card, use)

    def _note(self, place: int, card: int, use: int) -> None:
        shoe, dealing = self._shoe, self.dealing
        if use == words.CARD_USE_ROUND and dealing.burned < self._round_burns:
            use = words.CARD_USE_BURNED
            dealing.burned += 1
        elif use == words.CARD_USE_BURNED and shoe.burns:
            shoe.burns -= 1
        wrong = shoe.count(card)
        if wrong:
            value, limit = shoe.drawn, shoe.whole
            if wrong == words.DUPLICATE_CARD:
                value, limit = card, shoe.decks
            shoe.fail(wrong, words.INPUT_CARD_READER, value, limit)
            use = words.CARD_USE_VOID
        if not dealing.read(place, card, use, shoe.drawn):
            self._control.void(words.TOO_MANY_CARDS, m.UNKNOWN_U8)
