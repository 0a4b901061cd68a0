"""What the shipped program does on the chip, for one role: start, session, diag, round, power cut.

All of it in virtual time, so that the load of this machine changes no figure.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import board_files
from hil_tests.chip.flashing import VERSION
from hil_tests.chip.time_limit import TooLongError, limited
from hil_tests.closing import closing_us
from hil_tests.rigs.ram_heap import Heap
from hil_tests.rigs.rp2040_board import BoardHalted, Measured
from hil_tests.rigs.rp2040_ports import LINK, PROMPT, BoardPorts
from hil_tests.rigs.rp2040js import BOARD, Rp2040Rig
from hil_tests.rp2040_controller import MERGED, NotPlayedError, Rp2040Controller
from tableemulator import play_session
from tableemulator.board.process import BoardDiedError, BoardHungError
from tableemulator.board.wasm import Output
from tableemulator.machines import Emulator
from tableemulator.machines.core.fault_actions import Fault
from tableemulator.machines.core.harness import FROM_TABLE, Act, TableStalled
from tableemulator.machines.core.sensor_lines import Event
from tableemulator.machines.roulette.physical_wheel import RIM_1, RIM_2
from tabletools import flash
from tabletools.cli.main import run
from tabletools.errors import UNREACHABLE
from tablewire import messages
from tablewire.codec import Frame
from tablewire.framing import Receiver

KEY = (1, bytes(range(32)))
# The chip of the rig has a number of zeros.
DEVICE = flash.device_of(bytes(8), [])
_START_US = 6_000_000
# By the wall clock, on a machine with other work: a spin takes a minute on one without.
_ACT_S = 1800.0
# Bytes of the stack: the 256 that MicroPython keeps, and one more call.
_STACK_SPARE = 512
_EDGES_LOST = 6  # field of a heartbeat
# From the first edge of a ball at a rim sensor to the last byte of bets_closed, whatever the
# flash does.
_CLOSED_WITHIN_US = 50_000
# How often the heap is looked at.
_LOOK_US = 250_000
# From no more bets to an update: cards are being dealt, balls mixed, the wheel turns.
_AFTER_CLOSE_US = 1_500_000
# From a host's question who is there to its session.
_GREETED_US = 2_000_000
_ENDED_BY_HOST = ("shuffler",)
# The fault of each catalogue that is a power cut in mid-round.
_POWER_CUTS = ("system_interruption", "power_cut", "power_cut_dealing")
_FAILED = (
    AssertionError,
    BoardDiedError,
    BoardHalted,
    BoardHungError,
    TableStalled,
    TooLongError,
)


@dataclass
class Figures:
    """Of one role. rows: (what, value) as printed; problems: what was wrong, a line each; left:
    what the rig cannot play."""

    role: str
    rows: list[tuple[str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


class _WatchedController(Rp2040Controller):
    """One at whose prompt can be typed, and whose heap is looked at as time passes.

    heaps: as a collection would have left it. typed: events of the prompt to come. hear: takes
    each output. at_rim_us: when something came to a rim sensor, of a wheel.
    """

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        self.at_rim_us: list[int] = []
        self.heaps: list[Heap] = []
        self.typed: list[Event] = []
        self.hear: Callable[[Output], None] = lambda output: None
        self._looked_us = 0

    def play(self, events: list[Event], until_us: int) -> Output:
        # On the emulated board, whose lines are on at 1.
        self.at_rim_us += [
            t for t, *line in events if line in (["pin", RIM_1, 1], ["pin", RIM_2, 1])
        ]
        output = super().play([*events, *self.typed], until_us)
        self.typed.clear()
        self.hear(output)
        if until_us - self._looked_us >= _LOOK_US:
            self._looked_us = until_us
            self.heaps.append(self.board.memory().collected)
        return output


class ChipTable:
    """A keyed table of a role on the chip; its two lines are ports for a command.

    has_host: a host follows it and acknowledges. changed: keys of its configuration. when_closed:
    called once, some time after no more bets are accepted.
    """

    def __init__(
        self,
        rig: Rp2040Rig,
        emulator: Emulator,
        *,
        has_host: bool,
        changed: Mapping[str, int] | None = None,
    ) -> None:
        setup = emulator.setup()
        played, wired = (board_files.load(name).data for name in ("emulated", BOARD))
        self.board = rig.board(setup, KEY, changed)
        self.frames: list[tuple[int, Frame]] = []
        self.when_closed: Act | None = None
        self._receiver = Receiver()
        self.controller = _WatchedController(self.board, played, wired)
        self.table: Any = emulator.table(
            self.controller, setup, 7, listen=self._listen, key=KEY[1], acknowledge=has_host
        )

    def printed(self) -> str:
        """What the program printed last."""
        return str(self.table.errors[-1]) if self.table.errors else "it printed nothing"

    def command(self, *words: str) -> tuple[int, str, str]:
        """Run a command of tabletool at its ports: exit code, standard output and error."""
        output, errors = io.StringIO(), io.StringIO()
        with (
            BoardPorts(self) as ports,
            mock.patch.object(self.controller, "hear", ports.take),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(errors),
        ):
            code = run(list(words))
        return code, output.getvalue(), errors.getvalue()

    def beats(self) -> list[Frame]:
        """Every heartbeat so far."""
        return [frame for _, frame in self.frames if frame.type == messages.HEARTBEAT]

    def _listen(self, when: int, way: str, data: bytes) -> None:
        if way != FROM_TABLE:
            return
        for item in self._receiver.feed(data):
            frame = item if isinstance(item, Frame) else item.frame
            if frame is None:
                continue
            self.frames.append((when, frame))
            if frame.type == messages.BETS_CLOSED and self.when_closed is not None:
                act, self.when_closed = self.when_closed, None
                self.table.schedule(when + _AFTER_CLOSE_US, act)

    # --- its lines, as the ports need them ---------------------------------------------------

    @property
    def now_us(self) -> int:
        """Microseconds since power-on."""
        return int(self.table.now_us)

    def send(self, port: str, data: bytes) -> None:
        """Bytes for the table, or for its prompt."""
        if port == LINK:
            self.table.send(data)
        else:
            self.controller.typed.append([self.now_us, "usb", 0, data.hex()])

    def pass_time(self, until_us: int) -> None:
        """Let time pass."""
        while self.now_us < until_us:
            self.table.step(until_us)


def measure(
    rig: Rp2040Rig, emulator: Emulator, release: Sequence[str], keys: Path, *, faults: bool
) -> Figures:
    """The figures of a role. release: options that name a signed release; keys: the keyring;
    faults: play every fault of the role as well."""
    figures = Figures(emulator.role)
    options = [*release, "--keys", str(keys)]
    acts: list[Callable[[], None]] = [
        partial(act, figures, rig, emulator, options) for act in (_examine, _play, _cut, _update)
    ]
    if faults:
        catalogue = emulator.catalogue(emulator.setup())
        acts += [partial(_faulty, figures, rig, emulator, fault) for fault in catalogue]
    for act in acts:
        try:
            with limited(_ACT_S):
                act()
        except _FAILED as error:
            figures.problems.append(f"{type(error).__name__}: {error}")
    return figures


def _examine(figures: Figures, rig: Rp2040Rig, emulator: Emulator, options: list[str]) -> None:
    """Start, then `diag` with an attestation under a session of its own."""
    table = ChipTable(rig, emulator, has_host=False)
    try:
        table.pass_time(_START_US)
        if not table.frames:
            figures.problems.append(
                f"nothing came on the link in {_START_US / 1e6:g} s: {table.printed()}"
            )
            return
        figures.rows.append(("power-on to the first frame", f"{table.frames[0][0] / 1000:.0f} ms"))
        figures.rows += _heap(table, "the start")
        table.controller.heaps.clear()
        words = ["diag", LINK, "--self-test", "--yes", "--for", "0.5", "--json", *options]
        code, output, errors = table.command(*words)
        if not output:
            figures.problems.append(f"diag: exit code {code}: {errors} {table.printed()}")
            return
        checks = json.loads(output)["checks"]
        attested = [check for check in checks if "attest" in check["name"]]
        figures.rows.append(("diag", f"{len(checks)} checks"))
        if [check["verdict"] for check in attested] != ["pass"]:
            figures.problems.append(f"attestation: {attested}")
        figures.rows += _heap(table, "diag")
        figures.problems += _stack_short(table)
    finally:
        rig.switch_off(table.board)


def _play(figures: Figures, rig: Rp2040Rig, emulator: Emulator, _options: list[str]) -> None:
    """A healthy round."""
    table = ChipTable(rig, emulator, has_host=True)
    try:
        table.pass_time(_START_US)
        table.board.measured()
        table.controller.heaps.clear()
        played = play_session.play(table.table, None)
        if played.reason is not None:
            figures.problems.append(f"a healthy round is void: {played.reason}")
        elif played.reported != played.true:
            figures.problems.append(f"the result is {played.reported}, the truth {played.true}")
        beats = table.beats()
        figures.rows.append(("edges missed", str(beats[-1].values[_EDGES_LOST])))
        _measure_close(figures, table)
        figures.rows += _of_round(table.board.measured(), table.board.lost)
        figures.rows += _heap(table, "a round")
        figures.problems += _stack_short(table)
        if table.table.errors:
            figures.problems.append(f"the program printed: {table.printed()}")
    finally:
        rig.switch_off(table.board)


def _measure_close(figures: Figures, table: ChipTable) -> None:
    """How soon the ball that came closed the bets, at a table that has one."""
    if figures.role != "roulette":
        return
    closed_us = closing_us(table.controller.at_rim_us, table.frames)
    answer = "never" if closed_us is None else f"{closed_us / 1000:.1f} ms"
    limit = f"limit {_CLOSED_WITHIN_US / 1000:g} ms"
    figures.rows.append(("first rim edge to bets_closed", f"{answer}, {limit}"))
    if closed_us is None or closed_us > _CLOSED_WITHIN_US:
        figures.problems.append(
            f"first rim edge to the last byte of bets_closed: {answer}, {limit}"
        )


def _cut(figures: Figures, rig: Rp2040Rig, emulator: Emulator, _options: list[str]) -> None:
    """A round in the middle of which the power goes and comes back."""
    faults = emulator.catalogue(emulator.setup())
    _faulty(figures, rig, emulator, next(fault for fault in faults if fault.name in _POWER_CUTS))


def _faulty(figures: Figures, rig: Rp2040Rig, emulator: Emulator, fault: Fault) -> None:
    """A round with a fault ends with the code of that."""
    table = ChipTable(rig, emulator, has_host=True, changed=fault.changed)
    try:
        table.pass_time(_START_US)  # a deck that is shuffled before is not counted
        try:
            played = play_session.play(table.table, fault)
        except NotPlayedError as error:
            figures.left.append(f"{fault.name}: {error}")
            return
        code, reason = (MERGED.get(fault.name, wanted) for wanted in (fault.code, fault.reason))
        if played.reason != reason or code not in (played.reason, *played.faults):
            figures.problems.append(
                f"{fault.name} ends in {played.reason} and raises {played.faults}, not {reason}"
                f" and {code}"
            )
        if "Uncaught" in table.printed():
            figures.problems.append(f"{fault.name}: the program printed: {table.printed()}")
        figures.rows.append((fault.name, f"{played.reason}, faults {played.faults}"))
    finally:
        rig.switch_off(table.board)


def _update(figures: Figures, rig: Rp2040Rig, emulator: Emulator, options: list[str]) -> None:
    """`flash` begun when no more bets are accepted: the round ends with its result first.

    The host is away meanwhile: a link has one. A round that it has to end lasts until it is back,
    so that the update is refused, and done after the round.
    """
    table = ChipTable(rig, emulator, has_host=True)
    done: list[tuple[int, str, str]] = []
    words = ["flash", "--board", BOARD, "--role", emulator.role, "--port", PROMPT, "--link", LINK]

    def update(_table: Any) -> None:
        table.table.stop_acknowledging()
        with mock.patch("tabletools.flash.fitness.compiled_for", return_value=VERSION):
            done.append(table.command(*words, *options))
        table.table.acknowledge_again()
        table.pass_time(table.now_us + _GREETED_US)

    table.when_closed = update
    try:
        table.pass_time(_START_US)
        played = table.table.spin()
        if emulator.role in _ENDED_BY_HOST:
            code, output, errors = done.pop()
            figures.rows.append(("update in a round", f"exit code {code}: {errors.strip()[:200]}"))
            if code != UNREACHABLE or "a round is being played" not in errors:
                figures.problems.append(
                    f"an update in a round that its host ends: {output} {errors}"
                )
            update(table.table)
        elif "waiting for the end of the round" not in done[0][1]:
            figures.problems.append(f"an update in a round did not wait: {done[0]}")
        code, output, errors = done[0]
        if code or "files match" not in output:
            figures.problems.append(f"an update: exit code {code}: {output} {errors}")
        if played.reported is None or played.reported != played.true:
            figures.problems.append(
                f"an update in a round: {played.reported}, reason {played.reason}, the truth"
                f" {played.true}"
            )
        _measure_close(figures, table)
        said = [line for line in output.splitlines() if "files match" in line]
        figures.rows.append(("update after the result", "; ".join(said)))
    finally:
        rig.switch_off(table.board)


def _heap(table: ChipTable, when: str) -> list[tuple[str, str]]:
    """What is free now, with garbage and as a collection would leave it, and the least of that."""
    beats = [beat.values for beat in table.beats()]
    memory = table.board.memory()
    now, left = memory.heap, memory.collected
    heaps = [*table.controller.heaps, left]
    free, largest = ([beat[place] for beat in beats] for place in (-2, -1))
    beats_text = (
        f"; heartbeats {min(free):,} and more, {min(largest):,} in one piece" if beats else ""
    )
    return [
        (
            f"heap after {when}",
            f"{left.free:,} of {left.total:,} bytes free when collected, the"
            f" largest piece {left.largest:,}",
        ),
        (
            "  meanwhile, collected",
            f"at least {min(heap.free for heap in heaps):,}, largest piece"
            f" {min(heap.largest for heap in heaps):,} of {len(heaps)} looks",
        ),
        ("  with garbage", f"{now.free:,}, the largest piece {now.largest:,}{beats_text}"),
        ("  stack never used", f"{memory.stack_left:,} of 8,192 bytes; no call begins in 256"),
    ]


def _stack_short(table: ChipTable) -> list[str]:
    """An interrupt that finds too little raises, and is off from then on."""
    left = table.board.memory().stack_left
    return [f"only {left} bytes of the stack were never used"] if left < _STACK_SPARE else []


def _of_round(measured: Measured, lost: int) -> list[tuple[str, str]]:
    rows = [
        (
            "flash in a round",
            f"{measured.erased_sectors} sectors erased,"
            f" {measured.programmed_pages} pages programmed",
        ),
        ("bytes lost on the link", str(lost)),
    ]
    if measured.entered_us:
        rows.append(("edge to its handler", _spread(measured.entered_us)))
        rows.append(("handler of an edge", _spread(measured.handled_us)))
    return rows


def _spread(times_us: list[float]) -> str:
    ordered = sorted(times_us)
    p999 = ordered[min(len(ordered) - 1, len(ordered) * 999 // 1000)]
    return (
        f"median {ordered[len(ordered) // 2]:.1f}, p99.9 {p999:.1f}, most {ordered[-1]:.1f} us"
        f" of {len(ordered)}"
    )
