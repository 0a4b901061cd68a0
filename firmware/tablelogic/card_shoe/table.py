"""A card table with a shoe that reads: each card told once it has left, a round ended whole.

In doubt the round is void and the shoe stands until a person says what it holds: a card that may
have been seen is burned (hc2023 3:1(6), hc2011 3:1(6)), nothing is guessed.
Inputs: gate in at ROTOR_A, gate out at ROTOR_B, cards in the shoe at RIM_2, cut card at HEAD, lid
at DOME, sheet sensor where a money wheel has its flapper, the reader's line on INDEX and RIM_1.
"""

from tablewire import card_shoe as words
from tablewire import config
from tablewire import messages as m

from ..core.role import Role
from .load import declare
from .mouth import Mouth
from .reader import READER_SAID, Reader
from .shoe import Shoe


class CardShoe(Role):
    """The role `card_shoe`. cfg: list indexed by key number. out: the sink of decisions.

    Rounds open by command or button alone; end_cards or the button ends them. report: see reader.
    """

    result_message = words.CARDS_ENDED
    own_faults = words.STANDING
    commands = (words.LOAD_SHOE, words.END_CARDS)
    driver = "card_reader"
    report_message = READER_SAID
    edges_most = 48  # in 40 ms, of two gates whose beams flicker at an edge

    def __init__(self, cfg: list, out: object) -> None:
        super().__init__(cfg, out)
        self.shoe = Shoe(cfg, self, out)
        self.mouth = Mouth(cfg, self, out)
        self.reader = Reader(cfg[words.READ_MS], self)
        self.report = [words.READER_ASK_DROP, 0, 0, 0, 0]
        self.pause.quiet = True  # no ball is waited for
        self._dealing_ms = cfg[words.DEALING_MS]
        self._opened = [words.WHEEL_SHOE, self.shoe.decks, cfg[config.MAX_BET_MS]]

    def circuits(self) -> int:
        """Cards of the round; a trace begins anew only while there is none."""
        return self.mouth.dealing.count or m.UNKNOWN_U8

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A sensor switched at t_us, in time order. level: 1 active."""
        if sensor == m.INPUT_3 or sensor == m.INPUT_4:
            return  # the bits of the reader's line reach the inputs whose pins it took
        self.inputs.plausible.edge(sensor)
        if sensor <= words.INPUT_GATE_OUT:
            self.mouth.passage.edge(sensor - words.INPUT_GATE_IN, level, t_us)
        elif not self.shoe.edge(sensor, level):
            self.inputs.edge(sensor, level, self.now_ms, t_us)

    def wants_analog(self) -> bool:
        """Whether the sheet sensor is to be read before this tick."""
        return self.mouth.passage.is_across()

    def analog(self, raw: int) -> None:
        """The sheet sensor, 0..4095."""
        self.mouth.passage.thickness(raw)

    def tick(self, t_us: int) -> None:
        """Time passed; call after the edges, every 40 ms."""
        self.begin_tick(t_us)
        self.mouth.tick(t_us)
        self.reader.tick(self.mouth.is_resting())
        self.end_tick(t_us)
        self.shoe.tick()
        if self.phase == m.PHASE_NO_MORE_BETS:
            if self.round.phase_ms(self.now_ms) > self._dealing_ms:
                self.void(words.DEALING_LATE, m.UNKNOWN_U8)
        if self.report[0] != words.READER_ASK_DROP:
            is_awaited = self.mouth.dealing.awaited() >= 0
            self.report[0] = words.READER_ASK_HAND if is_awaited else words.READER_ASK_HOLD

    def order(self, ident: int, values: list, t_us: int) -> int:
        """A command of the host, or what the reader said; returns 0 or the REFUSAL cause."""
        if ident == words.LOAD_SHOE:
            return declare(self, values)
        if ident == words.END_CARDS:
            return self.finish()
        asked = values[0]
        if asked == words.READER_ASK_DROP:
            self.report[0] = words.READER_ASK_HOLD
        if self.reader.said(values[1], values[2]) and asked == words.READER_ASK_HAND:
            self.mouth.read(values[3], values[4])
        return 0

    def close_bets(self, cause: int, t_us: int) -> int:
        """No more bets; the croupier's button ends the dealing when they are closed."""
        if cause == m.CLOSE_CAUSE_CROUPIER and self.phase == m.PHASE_NO_MORE_BETS:
            return self.finish()
        return super().close_bets(cause, t_us)

    def finish(self) -> int:
        """Every card of the round is dealt; returns 0 or the REFUSAL cause."""
        dealing = self.mouth.dealing
        if self.phase != m.PHASE_NO_MORE_BETS or not (self.mouth.is_resting() and dealing.count):
            return m.REFUSAL_WRONG_PHASE
        if dealing.waiting:
            return m.REFUSAL_JOURNAL_FULL
        dealing_ms = max(self.round.phase_ms(self.now_ms), 0)
        self.end(dealing.summary() + [dealing_ms, self.shoe.is_last_round()])
        self.shoe.round_ended()
        return 0

    def fail(self, code: int, sensor: int, value: int, limit: int) -> None:
        """A fault of the shoe: it voids a round and locks the table."""
        if self.shoe.known:
            self.lock(code, sensor, value, limit)

    def lock(self, code: int, sensor: int, value: int, limit: int) -> None:
        """As fail(), also of a shoe nobody declared; asked each tick while its cause lasts."""
        if not self.standing.is_up(code):
            self.raise_fault(code, sensor, value, limit, 0)

    def void(self, reason: int, sensor: int) -> bool:
        """See the role: the cards of a void round belong to none."""
        if not super().void(reason, sensor):
            return False
        self.mouth.spoil()
        self.shoe.round_ended()
        return True

    def drop_reads(self) -> None:
        """What the reader has read so far is of no card that passed."""
        self.report[0] = words.READER_ASK_DROP
        self.reader.forget()

    def is_ready(self) -> bool:
        """Whether all cards before are on record, the burns made, and the reader is heard."""
        left = self.mouth.dealing.waiting + self.shoe.burns
        return self.mouth.is_resting() and not left and self.report[0] != words.READER_ASK_DROP

    def opened(self, t_us: int) -> list:
        """The values of round_opened."""
        self.mouth.dealing.begin()
        self.shoe.round_opened()
        return self._opened


ROLE = CardShoe
