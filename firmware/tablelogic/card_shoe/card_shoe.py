"""A card table with a shoe that reads: each card is reported once it has left.

In doubt the round is void and the shoe locked until its content is declared: a card that may have
been seen is burned (hc2023 3:1(6), hc2011 3:1(6)), nothing is guessed.
Inputs: gate in at INPUT_1, gate out at INPUT_2, cards in the shoe at INPUT_5, cut card at INPUT_6,
lid at DOME, sheet sensor at the converter, the reader's line on INPUT_3 and INPUT_4.
"""

from tablewire import card_shoe as words
from tablewire import config
from tablewire import messages as m

from ..core.role import CALM, CLOSE, SAMPLE, Role
from .mouth import Mouth
from .reader_watch import READER_SAID, Reader
from .shoe_state import FRESH, Shoe

if -0:  # for mypy
    from collections.abc import Sequence

    from tabletypes import Config, Decisions, MakeRole, WatchedEdges


class CardShoe(Role):
    """The role `card_shoe`. cfg: list indexed by key number. out: the sink of decisions.

    Rounds open only by command or button; end_cards or the button ends them. report: see reader.
    """

    result_message = words.CARDS_ENDED
    own_faults = words.FAULT_CODES
    commands = (words.LOAD_SHOE, words.END_CARDS)
    driver = "card_reader"
    report_message = READER_SAID
    edges_most = 48  # in 40 ms, of two gates whose beams flicker at an edge

    def __init__(self, cfg: "Config", out: "Decisions") -> None:
        super().__init__(cfg, out)
        control = self.control
        self.shoe = Shoe(cfg, control, out)
        self.reader = Reader(cfg[words.READ_MS], control, self.shoe)
        self.report = self.reader.report
        self.mouth = Mouth(cfg, control, self.shoe, self.reader, out)
        control.evidence = self.mouth
        control.interval.quiet = True  # no ball is expected
        self._ending = False  # once the reader has confirmed its count
        self._dealing_ms = cfg[words.DEALING_MS]
        self._opened = [words.WHEEL_SHOE, self.shoe.decks, cfg[config.MAX_BET_MS]]

    def circuits(self) -> int:
        """Cards of the round; a trace starts again only while there is none."""
        return self.mouth.dealing.count or m.UNKNOWN_U8

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A sensor switched at t_us, in time order. level: 1 active."""
        if sensor == m.INPUT_3 or sensor == m.INPUT_4:
            return  # the bits of the reader's line reach the inputs whose pins it uses
        self.inputs.plausible.edge(sensor)
        if sensor <= words.INPUT_GATE_OUT:
            self.mouth.edge(sensor - words.INPUT_GATE_IN, level, t_us)
        elif not self.shoe.edge(sensor, level):
            self.contact(sensor, level, t_us)

    def urgency(self, ring: "WatchedEdges") -> int:
        """See the role: 2 mm of an overlap pass the sheet sensor in 1 to 20 ms."""
        is_measured = self.mouth.measured is not None
        if self.control.phase != m.PHASE_NO_MORE_BETS and not (self.shoe.burns or is_measured):
            return CALM
        return SAMPLE if self.mouth.passage.is_across(ring) else CLOSE

    def wants_analog(self) -> bool:
        """Whether the sheet sensor is to be read before this tick."""
        return self.mouth.passage.crossed

    def analog(self, raw: int) -> None:
        """The sheet sensor, 0..4095."""
        self.mouth.passage.thickness(raw)

    def tick(self, t_us: int) -> None:
        """Time passed; call after the edges, every 40 ms."""
        self.control.advance(t_us)
        control, mouth = self.control, self.mouth
        mouth.tick(t_us)
        is_free, unread = mouth.passage.is_free(), mouth.dealing.unread()
        is_resting = is_free and not unread
        self.reader.tick(unread, is_free)
        self.end_tick()
        self.shoe.tick(is_resting)
        if self._ending:
            self._end(is_resting)
        if control.phase == m.PHASE_NO_MORE_BETS and control.phase_ms() > self._dealing_ms:
            control.void(words.DEALING_LATE, m.UNKNOWN_U8)
        self.reader.ask(mouth.dealing.unread() > 0)

    def order(self, ident: int, values: "Sequence[int]", t_us: int) -> int:
        """A command of the host, or a report of the reader; returns 0 or the REFUSAL cause."""
        if ident == words.LOAD_SHOE:
            return self._load(values)
        if ident == words.END_CARDS:
            return self.finish()
        if self.reader.receive(values):
            self.mouth.read(values[3], values[4])
        return 0

    def _load(self, values: "Sequence[int]") -> int:
        """Declare the content of the shoe: values of load_shoe."""
        load, cards, burns = values
        control, shoe, mouth = self.control, self.shoe, self.mouth
        is_new = load == words.SHOE_LOAD_NEW
        if not mouth.passage.is_free() or not (is_new or shoe.known):
            return m.REFUSAL_WRONG_PHASE
        control.void(words.SHOE_EXCHANGED, m.UNKNOWN_U8)
        mouth.forsake()
        self.reader.drop()
        if (is_new and cards != shoe.whole) or cards > shoe.whole:
            shoe.known = False
            code = words.SHOE_SHORT if cards < shoe.whole else words.SHOE_LONG
            control.raise_fault(code, m.UNKNOWN_U8, cards, shoe.whole)
            return 0
        shoe.declare(load, cards, burns)
        for code in words.FAULT_CODES:
            if (is_new or code not in FRESH) and self._is_gone(code):
                control.clear_fault(code)
        if is_new and shoe.cut.closed:
            shoe.fail(words.CUT_SENSOR_STUCK, words.INPUT_CUT_CARD, 1, 0)
        return 0

    def _is_gone(self, code: int) -> bool:
        """Whether the cause of a fault is gone by measurement."""
        if code == words.SHOE_LID_OPEN:
            return not self.shoe.lid.closed
        if code == words.READER_LINK_LOST:
            return not self.reader.lost
        if code == words.READER_FAILED:
            return not self.reader.error
        if code == words.CUT_SENSOR_STUCK:
            return not self.shoe.cut.closed
        return code != words.SHOE_UNKNOWN or self.shoe.holds.closed

    def close_bets(self, cause: int, t_us: int) -> int:
        """Close the bets; when they are closed, the croupier's button ends the dealing."""
        if cause == m.CLOSE_CAUSE_CROUPIER and self.control.phase == m.PHASE_NO_MORE_BETS:
            return self.finish()
        return super().close_bets(cause, t_us)

    def finish(self) -> int:
        """End the dealing of the round; returns 0 or the REFUSAL cause.

        It ends once the reader, within a second, has confirmed the count of its cards.
        """
        control, dealing = self.control, self.mouth.dealing
        is_dealt = self.mouth.is_resting() and dealing.count
        if control.phase != m.PHASE_NO_MORE_BETS or not is_dealt:
            return m.REFUSAL_WRONG_PHASE
        if dealing.waiting:
            return m.REFUSAL_JOURNAL_FULL
        self._ending = True
        self._end(True)
        return 0

    def _end(self, is_resting: bool) -> None:
        control = self.control
        if control.phase != m.PHASE_NO_MORE_BETS or not is_resting:
            self._ending = False  # another card: the dealing was not over
        elif self.reader.confirmed and not self.mouth.dealing.waiting:
            self._ending = False
            dealing_ms = max(control.phase_ms(), 0)
            control.end(self.mouth.dealing.summary() + [dealing_ms, self.shoe.is_last_round()])
            self.shoe.round_ended()

    def is_ready(self) -> bool:
        """Whether all earlier cards are recorded, the burns made, and the reader is alive."""
        left = self.mouth.dealing.waiting + self.shoe.burns
        return self.mouth.is_resting() and not left and not self.reader.is_dropping()

    def opened(self, t_us: int) -> "list[int]":
        """The values of round_opened."""
        self.mouth.dealing.begin()
        self.shoe.round_opened()
        return self._opened


ROLE: "MakeRole" = CardShoe
