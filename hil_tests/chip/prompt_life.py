"""Life at the prompt of a table: stopped at any moment of its start, reset in every way, updated.

One case: power on, Control-C some time later, while the rotor turns and its interrupts come; a
reset of one kind from the prompt; then the table has to be there with its identity, the collector
has to run, and an update has to put right what a killed session broke.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from unittest import mock

from mpremote.transport import TransportError
from mpremote.transport_serial import SerialTransport

import board_files
from hil_tests.chip.flashing import VERSION, break_off, flash_once
from hil_tests.chip.time_limit import TooLongError, limited
from hil_tests.rigs.rp2040_board import BoardHalted, Rp2040Board
from hil_tests.rigs.rp2040_ports import PROMPT, BoardPorts
from hil_tests.rigs.rp2040js import BOARD, Rp2040Rig
from tableemulator.board.process import BoardDiedError, BoardHungError
from tableemulator.board.wasm import Event, Output
from tableemulator.machines import emulator
from tabletools.errors import ToolError
from tablewire import messages
from tablewire.codec import Frame
from tablewire.framing import Receiver

RESETS = ("soft", "hard", "watchdog")
SPAN_MS = 5_000
ROLE = "roulette"
# From Control-C to what is done next; a program that is stopped has printed its traceback.
_SETTLES_US = 700_000
# A start takes two seconds; a watchdog runs out after four.
_BACK_WITHIN_US = 10_000_000
_LOOK_US = 100_000
# Of the rotor, 37 magnets at 16 rpm: from one edge of a sensor to its next; B a quarter later.
_HALF_US = 50_000
# By the wall clock, on a machine with other work.
_CASE_S = 1_800.0
# Interrupts are off, so no timer feeds it; where none was started yet, one is.
_HANG = "import machine\nmachine.WDT(timeout=4000)\nmachine.disable_irq()\nwhile True: pass"
_FAILED = (
    BoardDiedError,
    BoardHalted,
    BoardHungError,
    TooLongError,
    ToolError,
    TransportError,
)
Say = Callable[[str], None]


@dataclass(frozen=True)
class Case:
    """stop_ms: of Control-C, after power-on; reset: of RESETS."""

    stop_ms: int
    reset: str

    def __str__(self) -> str:
        return f"Control-C {self.stop_ms} ms after power-on, {self.reset} reset"


def cases(step_ms: int) -> list[Case]:
    """The matrix: resets take turns, so that each comes at every third moment."""
    moments = range(0, SPAN_MS, step_ms)
    return [Case(stop_ms, RESETS[n % len(RESETS)]) for n, stop_ms in enumerate(moments)]


class Bench:
    """The lines of a board whose rotor turns, until it is stopped.

    frames: what came over the link. take: gets all output.
    """

    def __init__(self, board: Rp2040Board) -> None:
        self.is_turning = True
        self.frames: list[Frame] = []
        self.take: Callable[[Output], None] = lambda output: None
        self._board = board
        self._receiver = Receiver()
        pins = board_files.load(BOARD).data["PINS"]
        self._lines = pins["INPUT_1"], pins["INPUT_2"]
        self._due = [(_HALF_US, 1), (_HALF_US + _HALF_US // 2, 1)]

    @property
    def now_us(self) -> int:
        """Microseconds since power-on."""
        return self._board.now_us

    def pass_time(self, until_us: int) -> None:
        """See rp2040_ports.Line."""
        self._play(self._edges(until_us), until_us)

    def send(self, port: str, data: bytes) -> None:
        """See rp2040_ports.Line."""
        kind = "usb" if port == PROMPT else "rx"
        self._play([[self.now_us, kind, 0, data.hex()]], self.now_us)

    def _play(self, events: list[Event], until_us: int) -> None:
        output = self._board.play(events, until_us)
        items = self._receiver.feed(output.sent)
        self.frames += [item for item in items if isinstance(item, Frame)]
        self.take(output)

    def _edges(self, until_us: int) -> list[Event]:
        edges: list[Event] = []
        for place, line in enumerate(self._lines):
            at_us, level = self._due[place]
            while self.is_turning and at_us <= until_us:
                edges.append([max(at_us, self.now_us), "pin", line, level])
                at_us, level = at_us + _HALF_US, 1 - level
            self._due[place] = at_us, level
        return sorted(edges, key=lambda edge: edge[0])


def play_all(rig: Rp2040Rig, wanted: Sequence[Case], say: Say) -> list[str]:
    """Play the cases, each on a board of its own; returns the problems, a line each."""
    problems = []
    for number, case in enumerate(wanted, 1):
        remarks = play(rig, case)
        say(f"prompt: {number} of {len(wanted)}: {case}: {'; '.join(remarks) or 'well'}")
        problems += [f"prompt: {case}: {problem}" for problem in remarks]
    return problems


def play(rig: Rp2040Rig, case: Case) -> list[str]:
    """One case; returns the problems."""
    board = rig.board(emulator(ROLE).setup())
    bench = Bench(board)
    try:
        with (
            limited(_CASE_S),
            BoardPorts(bench) as ports,
            mock.patch("tabletools.flash.fitness.compiled_for", return_value=VERSION),
        ):
            bench.take = ports.take
            return _played(bench, case)
    except _FAILED as error:
        return [f"{type(error).__name__}: {error}"]
    finally:
        rig.switch_off(board)


def _played(bench: Bench, case: Case) -> list[str]:
    bench.pass_time(case.stop_ms * 1000)
    bench.send(PROMPT, b"\x03")
    bench.pass_time(bench.now_us + _SETTLES_US)
    bench.is_turning = False
    problems = _collecting("at the prompt")
    _reset(case.reset)
    bench.frames.clear()
    if not _is_back(bench):
        return [*problems, f"no identity within {_BACK_WITHIN_US / 1e6:g} s of the reset"]
    problems += _collecting("after the reset")
    break_off(PROMPT)
    return problems + flash_once(ROLE, "after it", "2 files copied, 1 removed", lambda text: None)


def _reset(kind: str) -> None:
    session = SerialTransport(PROMPT)
    if kind == "soft":
        session.serial.write(b"\x04")
        return
    session.enter_raw_repl(soft_reset=False)
    session.exec_raw_no_follow("import machine\nmachine.reset()" if kind == "hard" else _HANG)


def _is_back(bench: Bench) -> bool:
    end_us = bench.now_us + _BACK_WITHIN_US
    while bench.now_us < end_us:
        bench.pass_time(bench.now_us + _LOOK_US)
        if any(frame.type == messages.IDENTITY for frame in bench.frames):
            return True
    return False


def _collecting(when: str) -> list[str]:
    """Whether the collector runs, as the program left it; a table that runs is stopped.

    `flash` would turn it on before it does anything else.
    """
    session = SerialTransport(PROMPT)
    session.enter_raw_repl(soft_reset=False)
    answer = session.exec("import gc\nprint(gc.isenabled())").strip()
    session.exit_raw_repl()
    return [] if answer == b"True" else [f"the collector is off {when}"]
