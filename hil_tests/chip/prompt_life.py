"""Life at the prompt of a table: stopped at any moment of its start, reset in every way, updated.

One case: power on, Control-C some time later, while the rotor turns and its interrupts come; a
reset of one kind from the prompt; then the table has to be there with its identity, the collector
has to run, and an update has to put right what a killed session broke.

The cases share one board, which is put back to the moment of each, so the start is played once. A
hard reset and the watchdog leave a flash, few registers and the levels of the inputs: what follows
is played once for each beginning that differs in them. RAM outlives a soft reset, so each is
played until the table is back. The update, most of the time of a case, is played once for each
flash, after soft resets once for each in each _APART_MS of the start.
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
from hil_tests.rigs.rp2040_board import BoardHalted, Remains, Rp2040Board
from hil_tests.rigs.rp2040_ports import PROMPT, BoardPorts
from hil_tests.rigs.rp2040js import BOARD, Rp2040Rig
from tableemulator.board.process import BoardDiedError, BoardHungError
from tableemulator.board.wasm import Event, Output
from tableemulator.machines import emulator
from tabletools.errors import ToolError
from tablewire import messages
from tablewire.codec import Frame
from tablewire.framing import Receiver

SOFT = "soft"
RESETS = (SOFT, "hard", "watchdog")
SPAN_MS = 5_000
ROLE = "roulette"
_APART_MS = 500
# From Control-C to what is done next; a program that is stopped has printed its traceback.
_SETTLES_US = 700_000
# A start takes two seconds; a watchdog runs out after four.
_BACK_WITHIN_US = 10_000_000
_LOOK_US = 10_000
# Of the rotor, 37 magnets at 16 rpm: from one edge of a sensor to its next; B a quarter later.
_HALF_US = 50_000
# By the wall clock, on a machine with other work.
_CASE_S = 1_800.0
# Interrupts are off, so no timer feeds it; where none was started yet, one is. Not the 4 s of the
# program, which would be a million turns of the loop.
_HANG = "import machine\nmachine.WDT(timeout=100)\nmachine.disable_irq()\nwhile True: pass"
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

    frames: what came over the link. resets: what the board had since this was made. take: gets
    all output.
    """

    def __init__(self, board: Rp2040Board) -> None:
        self.is_turning = True
        self.frames: list[Frame] = []
        self.resets: list[str] = []
        self.take: Callable[[Output], None] = lambda output: None
        self._board = board
        self._receiver = Receiver()
        pins = board_files.load(BOARD).data["PINS"]
        self._lines = pins["INPUT_1"], pins["INPUT_2"]

    @property
    def now_us(self) -> int:
        """Microseconds since power-on."""
        return self._board.now_us

    def pass_time(self, until_us: int) -> None:
        """See rp2040_ports.Line."""
        self._play(self._edges(until_us) if self.is_turning else [], until_us)

    def send(self, port: str, data: bytes) -> None:
        """See rp2040_ports.Line."""
        kind = "usb" if port == PROMPT else "rx"
        self._play([[self.now_us, kind, 0, data.hex()]], self.now_us)

    def _play(self, events: list[Event], until_us: int) -> None:
        output = self._board.play(events, until_us)
        items = self._receiver.feed(output.sent)
        self.frames += [item for item in items if isinstance(item, Frame)]
        self.resets += [cause for _, cause in output.resets]
        self.take(output)

    def _edges(self, until_us: int) -> list[Event]:
        """Those after now: the rotor is where the time says."""
        edges: list[Event] = []
        for place, line in enumerate(self._lines):
            phase_us = place * _HALF_US // 2
            first = max(1, (self.now_us - phase_us) // _HALF_US + 1)
            last = (until_us - phase_us) // _HALF_US
            edges += [
                [n * _HALF_US + phase_us, "pin", line, n % 2] for n in range(first, last + 1)
            ]
        return sorted(edges, key=lambda edge: edge[0])


def play_all(rig: Rp2040Rig, wanted: Sequence[Case], say: Say) -> list[str]:
    """Play the cases, quickest in the order of their moments; the problems, a line each."""
    problems = []
    matrix = Matrix(rig)
    try:
        for number, case in enumerate(wanted, 1):
            remarks = matrix.play(case)
            say(f"prompt: {number} of {len(wanted)}: {case}: {'; '.join(remarks) or 'well'}")
            problems += [f"prompt: {case}: {problem}" for problem in remarks]
    finally:
        matrix.switch_off()
    say(f"prompt: {len(wanted)} cases, {matrix}")
    return problems


class Matrix:
    """Plays cases on one board, as the module says."""

    def __init__(self, rig: Rp2040Rig) -> None:
        self._rig = rig
        self._board: Rp2040Board | None = None
        self._after: dict[tuple[str, Remains], list[str]] = {}
        """By reset and what it left: the problems that followed."""
        self._updated: set[tuple[str, int]] = set()
        """By flash and the part of the start, -1 but of a soft reset."""
        self._returns = 0

    def __str__(self) -> str:
        return f"{self._returns} starts after a reset, {len(self._updated)} updates"

    def play(self, case: Case) -> list[str]:
        """One case; returns the problems."""
        board = self._stop_there(case.stop_ms * 1000)
        bench = Bench(board)
        try:
            with (
                limited(_CASE_S),
                BoardPorts(bench) as ports,
                mock.patch("tabletools.flash.fitness.compiled_for", return_value=VERSION),
            ):
                bench.take = ports.take
                return self._played(board, bench, case)
        except _FAILED as error:
            return [f"{type(error).__name__}: {error}"]
        finally:
            if board.is_sound:
                board.rewind()

    def switch_off(self) -> None:
        """The work is done; may be called twice."""
        board, self._board = self._board, None
        if board is not None and board.is_sound:
            self._rig.switch_off(board)

    def _stop_there(self, stop_us: int) -> Rp2040Board:
        """The board at that moment of its start: a new one where the last case broke it, or was
        later."""
        board = self._board
        if board is None or not board.is_sound or board.now_us > stop_us:
            self.switch_off()
            board = self._board = self._rig.board(emulator(ROLE).setup())
        if board.now_us < stop_us:
            Bench(board).pass_time(stop_us)
        board.mark()
        return board

    def _played(self, board: Rp2040Board, bench: Bench, case: Case) -> list[str]:
        bench.send(PROMPT, b"\x03")
        bench.pass_time(bench.now_us + _SETTLES_US)
        bench.is_turning = False
        problems = _collecting("at the prompt")
        if not _reset(bench, case.reset):
            return [*problems, f"no reset within {_BACK_WITHIN_US / 1e6:g} s"]
        left = case.reset, board.remains()
        if case.reset == SOFT or left not in self._after:
            self._after[left] = self._follow(bench, case, left[1].flash)
        return problems + self._after[left]

    def _follow(self, bench: Bench, case: Case, flash: str) -> list[str]:
        """What comes after the reset; returns the problems."""
        self._returns += 1
        if not _is_back(bench):
            return [f"no identity within {_BACK_WITHIN_US / 1e6:g} s of the reset"]
        problems = _collecting("after the reset")
        part = flash, case.stop_ms // _APART_MS if case.reset == SOFT else -1
        if part in self._updated:
            return problems
        self._updated.add(part)
        break_off(PROMPT)
        wanted = "2 files copied, 1 removed"
        return problems + flash_once(ROLE, "after it", wanted, lambda text: None)


def _reset(bench: Bench, kind: str) -> bool:
    """Reset the board from its prompt; whether it began again, soft within the next moment."""
    session = SerialTransport(PROMPT)
    bench.frames.clear()
    if kind == SOFT:
        session.serial.write(b"\x04")
        return True
    session.enter_raw_repl(soft_reset=False)
    session.exec_raw_no_follow("import machine\nmachine.reset()" if kind == "hard" else _HANG)
    return _passes(bench, lambda: bool(bench.resets))


def _is_back(bench: Bench) -> bool:
    return _passes(bench, lambda: any(frame.type == messages.IDENTITY for frame in bench.frames))


def _passes(bench: Bench, is_done: Callable[[], bool]) -> bool:
    """Let time pass until it is done, or too long; whether it is."""
    end_us = bench.now_us + _BACK_WITHIN_US
    while not is_done() and bench.now_us < end_us:
        bench.pass_time(bench.now_us + _LOOK_US)
    return is_done()


def _collecting(when: str) -> list[str]:
    """Whether the collector runs, as the program left it; a table that runs is stopped.

    `flash` would turn it on before it does anything else.
    """
    session = SerialTransport(PROMPT)
    session.enter_raw_repl(soft_reset=False)
    answer = session.exec("import gc\nprint(gc.isenabled())").strip()
    session.exit_raw_repl()
    return [] if answer == b"True" else [f"the collector is off {when}"]
