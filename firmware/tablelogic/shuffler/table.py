"""A card table: its shuffler watched, its shoe locked or not, its rounds opened and ended.

hc2023 3:1(7), hc2011 3:1(7): a shuffler that fails during the game is replaced, the round is
void but for the bets already won or lost. No card is known here: only how many passed, and when.
"""

from tablewire import config
from tablewire import messages as m
from tablewire import shuffler as words

from ..core.role import Role
from .shoe import Shoe
from .shuffle import Shuffle


class Shuffler(Role):
    """The role `shuffler`. cfg: list indexed by key number. out: the sink of decisions.

    Rounds open by command or button alone, and end by command when they are settled.
    """

    result_message = words.CARD_ROUND_ENDED
    own_faults = words.STANDING
    commands = (words.DECLARE_REPLACEMENT, words.END_ROUND)
    driver = "shuffler_line"
    report_message = words.SHUFFLER_REPORT
    reports_are_told = True
    # When each card passed tells where the machine put it, to whoever knows the deck before.
    withheld = words.INPUT_GATE_OUT + 1
    edges_most = 96  # in 40 ms, of two gates that flicker: they are told as dirty

    def __init__(self, cfg: list, out: object) -> None:
        super().__init__(cfg, out)
        self.shuffle = Shuffle(cfg)
        self.shoe = Shoe(self, out)
        self._is_wired = not cfg[words.SERIAL_SHUFFLER]
        self.machine = self._machine(cfg)
        self.report = None if self._is_wired else [0] * 4
        self.pause.quiet = True  # no ball is waited for
        self._opened = [words.WHEEL_CARDS, cfg[words.PASSES], cfg[config.MAX_BET_MS]]

    def _machine(self, cfg: list) -> object:
        if self._is_wired:
            from .wired import WiredShuffler  # memory holds the one configured

            return WiredShuffler(cfg, self)
        from .serial import SerialShuffler

        return SerialShuffler(self)

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A sensor switched at t_us, in time order. level: 1 active."""
        if sensor <= words.INPUT_SHUFFLER_FAULT:
            if self._is_wired:
                self.inputs.plausible.edge(sensor)
                self.machine.edge(sensor, level, t_us)
            return
        self.inputs.plausible.edge(sensor)
        self.inputs.edge(sensor, level, self.now_ms, t_us)

    def wants_analog(self) -> bool:
        """Whether there is a converter to read before every tick."""
        return self._is_wired

    def analog(self, raw: int) -> None:
        """The motor's current, 0..4095."""
        self.machine.analog(raw)

    def tick(self, t_us: int) -> None:
        """Time passed; call after the edges, every 40 ms."""
        self.begin_tick(t_us)
        self.machine.tick(t_us)
        late = self.shuffle.late(self.now_ms)
        if late and not (self.shuffle.reason and late == words.UNFINISHED):
            self.fail(late, m.UNKNOWN_U8, self.shuffle.count_in, self.shuffle.count_out)
        if late == words.UNFINISHED:
            self.shoe.ended(self.shuffle.reason)
        self.end_tick(t_us)
        self.shoe.tick()

    def order(self, ident: int, values: list, t_us: int) -> int:
        """A command of the host, or a report of the machine; returns 0 or the REFUSAL cause."""
        if ident == words.SHUFFLER_REPORT:
            if not self.shoe.manual:
                self.machine.report(values)
        elif ident == words.DECLARE_REPLACEMENT:
            self.shoe.declare(values[0])
        elif self.phase != m.PHASE_NO_MORE_BETS:
            return m.REFUSAL_WRONG_PHASE
        else:
            self.end([max(self.round.phase_ms(self.now_ms), 0)])
        return 0

    def working(self) -> None:
        """The machine moves cards, or is no longer ready."""
        if not self.shoe.manual and self.shuffle.begin(self.now_ms):
            self.machine.begun()

    def pass_over(self) -> None:
        """The machine is ready again."""
        shuffle = self.shuffle
        if not shuffle.in_pass:
            return
        reason = shuffle.end_pass()
        if reason:
            if not shuffle.reason:
                self.fail(reason, m.UNKNOWN_U8, shuffle.count_out, shuffle.cards)
            self.shoe.ended(reason)
        elif shuffle.is_complete():
            self.shoe.ended(0)

    def fail(self, code: int, sensor: int, value: int, limit: int) -> None:
        """A fault of the shuffler: it spoils a shuffle, voids a round, locks the shoe."""
        if not self.shoe.manual:
            self.shuffle.reason = self.shuffle.reason or code
            self.raise_fault(code, sensor, value, limit, 0)

    def tell(self, ident: int, values: list) -> None:
        """A record that may be lost when there is no room for it."""
        if not self.shoe.manual:
            self._out.record(ident, values)

    def is_ready(self) -> bool:
        """Whether no shuffle runs."""
        return not self.shuffle.running

    def opened(self, t_us: int) -> list:
        """The values of round_opened."""
        return self._opened


ROLE = Shuffler
