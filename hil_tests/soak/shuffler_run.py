"""A card table by itself, on CPython: the emulated shuffler, the role's decisions, its host.

The engine is the controller's own; there is no VM, no flash and no line. Edges reach the role at
the next 40 ms step.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from hil_tests.rigs.sensors import Sensors
from tableemulator.machines.core.board_pins import BUTTON
from tableemulator.machines.core.fault_actions import Fault
from tableemulator.machines.shuffler import physical_shuffler as machine
from tableemulator.machines.shuffler.physical_shuffler import TalkingShuffler
from tableemulator.machines.shuffler.shuffler_dealer import CardPlan
from tablelogic.core.engine import Engine
from tablelogic.shuffler.shuffler import Shuffler
from tablespec.names import KEY_NAMES, NAMES
from tablewire import messages as m
from tablewire import settings
from tablewire import shuffler as words
from tablewire.config import ROLE
from tablewire.trace_file import TRACE_BYTES, seal

DEVICE = 4711
FIRMWARE = tuple(int(part) for part in version("tablewire").split("."))
TICK_US = 40_000
MASK = 2**30 - 1
SENSORS = {
    machine.GATE_IN: words.INPUT_GATE_IN,
    machine.GATE_OUT: words.INPUT_GATE_OUT,
    machine.LID: words.INPUT_LID,
    machine.READY: words.INPUT_READY,
    machine.FAILED: words.INPUT_SHUFFLER_FAULT,
    BUTTON: m.INPUT_BUTTON,
}

STATES = {
    "R": words.SHUFFLER_STATE_READY,
    "S": words.SHUFFLER_STATE_SHUFFLING,
    "E": words.SHUFFLER_STATE_ERROR,
}


def configuration(**changed: int) -> list[int]:
    """Return the values a shuffler plays by, by key number; changed: by name."""
    values = settings.factory()
    values[ROLE] = m.ROLE_SHUFFLER
    for name, value in changed.items():
        values[KEY_NAMES.index(name) + 1] = value
    assert settings.is_valid(values)
    return values


@dataclass(frozen=True)
class Report:
    """One record or state. at_us: when it was reported."""

    at_us: int
    name: str
    values: tuple[int, ...]


class ShufflerRun:
    """One table from power-on. reported: all records of the role. start_us: its clock at zero."""

    def __init__(
        self, shuffler: machine.CardShuffler, config: list[int], *, start_us: int = 0
    ) -> None:
        self.shuffler = shuffler
        self.talker: TalkingShuffler | None = None
        if config[words.SERIAL_SHUFFLER]:
            self.talker = TalkingShuffler(len(shuffler.deck))
        self.now_us = 0
        self.reported: list[Report] = []
        self.room = True
        self.round = 0
        self._start_us = start_us
        self._board = Sensors()
        self.engine = Engine(bytearray(TRACE_BYTES), self)
        self._config = config
        self.switch_on()

    @property
    def role(self) -> Any:
        """The role that runs."""
        return self.engine.role

    def switch_on(self) -> None:
        """Power off and on: nothing is known any more but what the inputs show."""
        self.engine.begin(Shuffler, self._config)
        for pin, level in self.shuffler.levels().items():
            if level and pin in SENSORS:
                self.role.edge(SENSORS[pin], 1, self._ticks(self.now_us))

    def _ticks(self, t_us: int) -> int:
        return (t_us + self._start_us) & MASK

    def run(self, until_us: int) -> None:
        """Let time pass."""
        while self.now_us + TICK_US <= until_us:
            self.now_us += TICK_US
            for when, kind, pin, value in self.shuffler.events_until(self.now_us):
                if kind == "adc":
                    self._board.analog.raw = int(value) >> 4
                else:
                    self._board.ring.put(SENSORS[int(pin)], int(value), self._ticks(int(when)))
            self.engine.sense(self._ticks(self.now_us), self._board)
            self.engine.tick(self._ticks(self.now_us))
            for _, said in self.talker.said_until(self.now_us) if self.talker else ():
                values = (STATES[said[0]], *said[1:])
                self.engine.order(words.SHUFFLER_REPORT, values)

    def shuffle(self, trouble: machine.Trouble | None = None, *, wait_ms: int = 3_000) -> None:
        """Shuffle once, and wait a little."""
        if self.talker is not None:
            end_us = self.talker.shuffle(self.now_us)
        else:
            end_us = self.shuffler.shuffle(self.now_us, trouble)
        self.run(end_us + wait_ms * 1000)

    def provoke(self, fault: Fault) -> None:
        """Let a fault happen, in the time it takes."""
        plan = CardPlan()
        fault.inject(plan)
        assert plan.provoke is not None
        plan.provoke(self)

    def order(self, ident: int, *values: int) -> int:
        """Have the host say something; returns 0 or the cause of a refusal."""
        return self.engine.order(ident, values)

    def declare(self, replacement: int) -> None:
        """Have the host declare a replacement, and let a moment pass."""
        assert self.order(words.DECLARE_REPLACEMENT, replacement) == 0
        self.run(self.now_us + 200_000)

    def play_round(self, ms: int = 4_000) -> int:
        """Open, close, deal and end a round; returns 0 or the cause of the refusal."""
        cause = self.role.open_bets(self._ticks(self.now_us))
        if cause:
            return int(cause)
        self.run(self.now_us + ms * 500)
        self.role.close_bets(m.CLOSE_CAUSE_COMMAND, self._ticks(self.now_us))
        self.run(self.now_us + ms * 500)
        return self.order(words.END_ROUND)

    def trace(self) -> bytes:
        """Return the trace of the last round, as a controller keeps it."""
        trace = self.engine.trace
        data = bytearray(trace.buf)
        identity = (DEVICE, 1, self.engine.round, m.FINGERPRINTS[m.ROLE_SHUFFLER])
        return bytes(data[: seal(data, trace.length, FIRMWARE, identity)])

    def names(self) -> list[str]:
        """Names of what was reported but changes of phase."""
        return [report.name for report in self.reported if report.name != "state"]

    def records(self, name: str) -> list[tuple[int, ...]]:
        """Values of each record of that name."""
        return [report.values for report in self.reported if report.name == name]

    def active_faults(self) -> set[int]:
        """Codes of the shuffler's active faults."""
        return {code for code in words.FAULT_CODES if self.role.control.faults.is_active(code)}

    # --- the sink ---------------------------------------------------------------------------

    def _tell(self, ident: int, values: Any) -> None:
        self.reported.append(Report(self.now_us, NAMES[ident], tuple(values)))

    def may_open(self) -> bool:
        """Sink: see tablelogic."""
        return self.room

    def record(self, ident: int, values: list[int]) -> bool:
        """Sink: see tablelogic."""
        if self.room:
            self._tell(ident, values)
        return self.room

    def round_opened(self, values: list[int]) -> int:
        """Sink: see tablelogic."""
        self.round += 1
        self._tell(m.ROUND_OPENED, values)
        return self.round

    def bets_closed(self, values: list[int]) -> None:
        """Sink: see tablelogic."""
        self._tell(m.BETS_CLOSED, values)

    def ended(self, ident: int, values: list[int]) -> None:
        """Sink: see tablelogic."""
        self._tell(ident, values)

    def fault_raised(self, values: list[int]) -> None:
        """Sink: see tablelogic."""
        self._tell(m.FAULT_RAISED, values)

    def fault_cleared(self, values: list[int]) -> None:
        """Sink: see tablelogic."""
        self._tell(m.FAULT_CLEARED, values)

    def state(self, values: list[int]) -> None:
        """Sink: see tablelogic."""
        self._tell(m.STATE, values)
