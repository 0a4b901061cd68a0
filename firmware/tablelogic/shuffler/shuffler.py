"""A card table: watches its shuffler, locks its shoe, opens and ends its rounds.

hc2023 3:1(7), hc2011 3:1(7): a shuffler that fails during the game is replaced, the round is
void except for the bets already won or lost. No card is known here: only how many passed, and
when.
"""

from tablewire import config
from tablewire import messages as m
from tablewire import shuffler as words

from ..core.role import Role
from .shoe_lock import DECK, Shoe
from .shuffle import Shuffle

if -0:  # for mypy
    from collections.abc import Sequence

    from tabletypes import Config, Decisions, MakeRole, ShufflerMachine, Sure


class Shuffler(Role):
    """The role `shuffler`. cfg: list indexed by key number. out: the sink of decisions.

    Rounds open only by command or button, and end by command when they are settled.
    """

    result_message = words.CARD_ROUND_ENDED
    own_faults = words.FAULT_CODES
    commands = (words.DECLARE_REPLACEMENT, words.END_ROUND)
    driver = "shuffler_line"
    report_message = words.SHUFFLER_REPORT
    sends_reports = True
    # With the deck before it, the time each card passed would show where the machine put it.
    withheld = words.INPUT_GATE_OUT + 1
    edges_most = 96  # in 40 ms, of two gates that flicker: they are reported as dirty

    def __init__(self, cfg: "Config", out: "Decisions") -> None:
        super().__init__(cfg, out)
        control = self.control
        self.shoe = Shoe(control, out)
        self.shuffle = Shuffle(cfg, control, out, self.shoe)
        self._is_wired = not cfg[words.SERIAL_SHUFFLER]
        self.machine = self._machine(cfg)
        self.report = None if self._is_wired else [0] * 4
        control.interval.quiet = True  # no ball is expected
        self._opened = [words.WHEEL_CARDS, cfg[words.PASSES], cfg[config.MAX_BET_MS]]

    def _machine(self, cfg: "Config") -> "Sure[ShufflerMachine]":
        if self._is_wired:
            from .wired import WiredShuffler  # memory contains only the configured one

            return WiredShuffler(cfg, self.control, self.shuffle)
        from .report_line import SerialShuffler

        return SerialShuffler(self.control, self.shuffle)

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A sensor switched at t_us, in time order. level: 1 active."""
        if sensor <= words.INPUT_SHUFFLER_FAULT:
            if self._is_wired:
                self.inputs.plausible.edge(sensor)
                self.machine.edge(sensor, level, t_us)
            return
        self.inputs.plausible.edge(sensor)
        self.contact(sensor, level, t_us)

    def wants_analog(self) -> bool:
        """Whether there is a converter to read before every tick."""
        return self._is_wired

    def analog(self, raw: int) -> None:
        """The motor's current, 0..4095."""
        self.machine.analog(raw)

    def tick(self, t_us: int) -> None:
        """Time passed; call after the edges, every 40 ms."""
        self.control.advance(t_us)
        self.machine.tick(t_us)
        if self.shuffle.tick():
            self.shuffle.end(self.shuffle.reason, self.machine.margins())
        self.end_tick()
        if self.shoe.send_verdict():
            for code in words.FAULT_CODES:
                if code not in DECK and self.machine.is_gone(code):
                    self.control.clear_fault(code)
        self.shoe.tick()

    def order(self, ident: int, values: "Sequence[int]", t_us: int) -> int:
        """A command of the host, or a report of the machine; returns 0 or the REFUSAL cause."""
        if ident == words.SHUFFLER_REPORT:
            if not self.shoe.manual:
                self.machine.report(values)
        elif ident == words.DECLARE_REPLACEMENT:
            self._declare(values[0])
        elif self.control.phase != m.PHASE_NO_MORE_BETS:
            return m.REFUSAL_WRONG_PHASE
        else:
            self.control.end([max(self.control.phase_ms(), 0)])
        return 0

    def _declare(self, replacement: int) -> None:
        self.control.void(words.SHUFFLER_REPLACED, m.UNKNOWN_U8)
        if self.shuffle.running:
            self.shuffle.end(words.SHUFFLER_REPLACED, self.machine.margins())
        if replacement == words.REPLACEMENT_SHUFFLER:
            self.machine.reset()
        self.shoe.declare(replacement)

    def is_ready(self) -> bool:
        """Whether no shuffle runs."""
        return not self.shuffle.running

    def opened(self, t_us: int) -> "list[int]":
        """The values of round_opened."""
        return self._opened


ROLE: "MakeRole" = Shuffler
