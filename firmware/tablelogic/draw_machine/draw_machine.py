"""A ball-draw machine: balls counted in, mixed, drawn one by one, each read twice.

hc2023 5:1, 5:2; hc2011 4:3. Inputs: inner beam of the exit gate at INPUT_1, outer at INPUT_2, tube
at INPUT_5, return at INPUT_6, lid at DOME, blower at the converter; the two readers have a serial
line.
"""

from tablewire import config
from tablewire import draw_machine as words
from tablewire import messages as m
from tablewire.compat import const

from ..core.inputs import Contact
from ..core.role import Role
from ..core.ticks import MASK, diff
from .beam import Beam
from .blower import Blower
from .chamber import Chamber
from .draw_judge import BEGIN, Judge
from .exit_gate import ExitGate
from .witness import Witness

if -0:  # for mypy
    from collections.abc import Sequence

    from tabletypes import Config, Decisions, MakeRole

_LEAST = const(20)  # the least that round_opened can state
_LONGEST_US = const(0x0FFFFFFF)


class DrawMachine(Role):
    """The role `draw_machine`. cfg: list indexed by key number. out: the sink of decisions.

    gate, tube, chamber, blower: the sensors. judge, witness: their evaluation.
    rests_to_us: nothing that is watched changes before, unless by an edge, an order or a fault;
    see core.snapshot.
    """

    result_message = words.DRAW_RESULT
    last_phase = words.PHASE_DRAWING
    own_faults = words.FAULT_CODES
    transitions = ((m.PHASE_NO_MORE_BETS, BEGIN, words.PHASE_DRAWING),)
    commands = (words.END_DRAW, words.DECLARE_BALLS)
    driver = "ball_line"
    report_message = words.READER_REPORT
    sends_reports = True

    def __init__(self, cfg: "Config", out: "Decisions") -> None:
        super().__init__(cfg, out)
        stuck_us = cfg[words.BALL_STUCK_MS] * 1000
        control = self.control
        self.gate = ExitGate(cfg[words.BALL_MS] * 1000, stuck_us, cfg[words.BALL_RATIO])
        self.tube = Beam(stuck_us)
        self.chamber = Chamber(cfg, control, out)
        self.blower = Blower(cfg)
        self.witness = Witness(cfg, control, self.gate, self.chamber)
        self.judge = Judge(cfg, control, out, self.witness, self.chamber, self.blower)
        control.evidence = self.judge
        control.interval.quiet = True  # no ball has to come to rest
        self.report = [0] * 4
        self._lid = Contact()
        self._beams = (self.gate.inner, self.gate.outer, self.tube, self.chamber.beam)
        self.rests_to_us = 0
        self._looks = 0
        least = min(max(cfg[words.DRAW_COUNT], 1), _LEAST)
        self._opened = [words.WHEEL_BALLS, least, cfg[config.MAX_BET_MS]]

    def circuits(self) -> int:
        """Balls drawn so far, unknown before a draw."""
        return self.judge.draw.drawn if self.control.phase == words.PHASE_DRAWING else m.UNKNOWN_U8

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A sensor switched at t_us, in time order. level: 1 covered, open."""
        if sensor == m.INPUT_3 or sensor == m.INPUT_4:
            return  # the pins of the readers' line
        self.rests_to_us = t_us
        self.inputs.plausible.edge(sensor)
        if sensor == words.INPUT_EXIT_INNER:
            self._settle_gate(t_us)
            self.gate.inner.edge(level, t_us)
        elif sensor == words.INPUT_EXIT_OUTER:
            self._settle_gate(t_us)
            self.gate.outer.edge(level, t_us)
        elif sensor == words.INPUT_TUBE:
            self._settle_tube(t_us)
            self.tube.edge(level, t_us)
        elif sensor == words.INPUT_RETURN:
            self.chamber.edge(level, t_us)
        elif sensor == words.INPUT_LID:
            self._lid.edge(level, self.control.now_ms)
        else:
            self.contact(sensor, level, t_us)

    def _settle_gate(self, t_us: int) -> None:
        while True:
            what = self.gate.settle(t_us)
            if not what:
                return
            self.witness.passed(what)

    def _settle_tube(self, t_us: int) -> None:
        while self.tube.is_due(t_us):
            self.tube.change()
            if self.tube.covered:
                self.witness.rested()

    def wants_analog(self) -> bool:
        """Whether the blower is to be read: every 320 ms, or its noise fills the trace."""
        return not self._looks

    def analog(self, raw: int) -> None:
        """The blower's reading, 0..4095."""
        self.blower.see(raw, self.control.now_ms)

    def tick(self, t_us: int) -> None:
        """Time passed; call after the edges, every 40 ms."""
        control = self.control
        control.advance(t_us)
        self._looks = (self._looks + 1) & 7
        rests = self.chamber.at_rest and diff(t_us, self.rests_to_us) < 0
        if not rests or control.faults.count:
            self._look(t_us)
        self.judge.tick()
        self.end_tick()
        if control.phase == m.PHASE_CLOSED:
            self.open_when_due(t_us)

    def _look(self, t_us: int) -> None:
        """Check everything, and compute for how long it stays unchanged by itself."""
        gate, tube, lid = self.gate, self.tube, self._lid
        if gate.inner.pending or gate.outer.pending:
            self._settle_gate(t_us)
        gate.tick(t_us)
        if tube.pending:
            self._settle_tube(t_us)
        if not tube.settled:
            tube.tick(t_us)
        self.chamber.tick(t_us)
        self.blower.tick(self.control.now_ms)
        if lid.level != lid.closed:
            self._watch_lid()
        jammed = self._jam()
        self.judge.look(jammed)
        rest_us = _LONGEST_US
        if jammed != m.UNKNOWN_U8 or self.witness.readers.lost or lid.level != lid.closed:
            rest_us = 0
        for beam in self._beams:
            rest_us = min(rest_us, beam.rest_us(t_us))
        self.rests_to_us = (t_us + rest_us) & MASK

    def _watch_lid(self) -> None:
        control = self.control
        if not self._lid.tick(control.now_ms):
            return
        if self._lid.closed:
            control.raise_fault(words.CHAMBER_OPEN, words.INPUT_LID, 1, 0)
        else:
            control.clear_fault(words.CHAMBER_OPEN)
        self.chamber.lose()  # a count under an open lid ends when it is closed

    def _jam(self) -> int:
        """The sensor a ball is stuck at, UNKNOWN_U8 none."""
        if self.gate.inner.stuck:
            return words.INPUT_EXIT_INNER
        if self.gate.outer.stuck:
            return words.INPUT_EXIT_OUTER
        if self.tube.stuck:
            return words.INPUT_TUBE
        return words.INPUT_RETURN if self.chamber.beam.stuck else m.UNKNOWN_U8

    def order(self, ident: int, values: "Sequence[int]", t_us: int) -> int:
        """A command of the host, or a reader's report; returns 0 or the REFUSAL cause."""
        self.rests_to_us = t_us
        if ident == words.READER_REPORT:
            self.witness.read(values)
            return 0
        if ident == words.END_DRAW:
            return self.judge.end_draw(values[0])
        return self.judge.declare(values[0])

    def refused(self) -> "Sequence[int]":
        """See Role."""
        return self.judge.refused

    def close_bets(self, cause: int, t_us: int) -> int:
        """Close the bets; or, by the button while balls are drawn for Bingo, end the draw."""
        if self.control.phase == words.PHASE_DRAWING and cause == m.CLOSE_CAUSE_CROUPIER:
            self.judge.called()
            return 0
        return super().close_bets(cause, t_us)

    def is_ready(self) -> bool:
        """Whether every ball is in the chamber, and both readers are alive."""
        return self.chamber.is_full() and self.witness.readers.is_heard()

    def opened(self, t_us: int) -> "list[int]":
        """The values of round_opened."""
        return self._opened


ROLE: "MakeRole" = DrawMachine
