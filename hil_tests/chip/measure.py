"""What the shipped program does on the chip, for one role: start, session, diag, round, power cut.

All of it in virtual time, so that the load of this machine changes no figure.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import board_files
from hil_tests import faults, session
from hil_tests.emulators import Emulator
from hil_tests.emulators.core.harness import FROM_TABLE, TableStalled
from hil_tests.rigs.process import BoardDiedError, BoardHungError
from hil_tests.rigs.rp2040_board import BoardHalted, Measured
from hil_tests.rigs.rp2040js import BOARD, Rp2040Rig
from hil_tests.rp2040_controller import NotPlayedError, Rp2040Controller
from tabletools import flash
from tabletools.cli import table_client
from tabletools.cli.main import run
from tabletools.link import Link, Session
from tablewire import messages
from tablewire.codec import Frame
from tablewire.framing import Receiver

KEY = (1, bytes(range(32)))
# The chip of the rig has a number of zeros.
DEVICE = flash.device_of(bytes(8), [])
_STEP_US = 40_000
_START_S = 6
_POWER_CUT = "system_interruption"
_FAILED = (
    AssertionError, BoardDiedError, BoardHalted, BoardHungError, NotPlayedError, TableStalled,
)  # fmt: skip


@dataclass
class Figures:
    """Of one role. rows: (what, value) as printed; problems: what was wrong, a line each; left:
    what the rig cannot play."""

    role: str
    rows: list[tuple[str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


class ChipTable:
    """A keyed table of a role on the chip, and the port of its link for a command.

    has_host: a host follows it and acknowledges.
    """

    url = "chip"

    def __init__(self, rig: Rp2040Rig, emulator: Emulator, *, has_host: bool) -> None:
        setup = emulator.setup()
        played, wired = (board_files.load(name).data for name in ("emulated", BOARD))
        self.board = rig.board(setup, KEY)
        self.frames: list[tuple[int, Frame]] = []
        self._receiver = Receiver()
        self._unread = bytearray()
        controller = Rp2040Controller(self.board, played, wired)
        self.table: Any = emulator.table(
            controller, setup, 7, listen=self._listen, key=KEY[1], acknowledge=has_host
        )

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        end_us = self.table.now_us + int(seconds * 1e6)
        while self.table.now_us < end_us:
            self.table.step(end_us)

    def printed(self) -> str:
        """What the program printed last."""
        return str(self.table.errors[-1]) if self.table.errors else "it printed nothing"

    def command(self, *words: str) -> tuple[int, str, str]:
        """Run a command of tabletool at the link: exit code, standard output and error."""
        output, errors = io.StringIO(), io.StringIO()
        self._unread.clear()
        with (
            mock.patch.object(table_client, "Link", self._link),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(errors),
        ):
            code = run(list(words))
        return code, output.getvalue(), errors.getvalue()

    def _link(self, url: str, session: Session, **more: Any) -> Link:
        return Link(
            url,
            session,
            opener=lambda _: self,
            clock=lambda: self.table.now_us / 1e6,
            wait=lambda _: None,
            **more,
        )

    def _listen(self, when: int, way: str, data: bytes) -> None:
        if way != FROM_TABLE:
            return
        self._unread += data
        for item in self._receiver.feed(data):
            frame = item if isinstance(item, Frame) else item.frame
            if frame is not None:
                self.frames.append((when, frame))

    # --- the port ---------------------------------------------------------------------------

    def read(self, _size: int) -> bytes:
        """Bytes of the table, after a step of its time."""
        self.table.step(self.table.now_us + _STEP_US)
        data, self._unread = bytes(self._unread), bytearray()
        return data

    def write(self, data: bytes) -> int:
        """Bytes for the table."""
        self.table.send(data)
        return len(data)

    def close(self) -> None:
        """The command is done; the table goes on."""


def measure(rig: Rp2040Rig, emulator: Emulator, release: Sequence[str], keys: Path) -> Figures:
    """The figures of a role. release: options that name a signed release; keys: the keyring."""
    found = Figures(emulator.role)
    for act in (_examined, _played):
        try:
            act(found, rig, emulator, [*release, "--keys", str(keys)])
        except NotPlayedError as error:
            found.left.append(str(error))
        except _FAILED as error:
            found.problems.append(f"{type(error).__name__}: {error}")
    return found


def _examined(found: Figures, rig: Rp2040Rig, emulator: Emulator, options: list[str]) -> None:
    """Start, then `diag` with an attestation under a session of its own."""
    table = ChipTable(rig, emulator, has_host=False)
    try:
        table.pass_time(_START_S)
        if not table.frames:
            found.problems.append(f"nothing came on the link in {_START_S} s: {table.printed()}")
            return
        found.rows.append(("power-on to the first frame", f"{table.frames[0][0] / 1000:.0f} ms"))
        found.rows += _heap(table, "after the start")
        words = ["diag", table.url, "--self-test", "--yes", "--for", "0.5", "--json", *options]
        code, output, errors = table.command(*words)
        if not output:
            found.problems.append(f"diag: exit code {code}: {errors} {table.printed()}")
            return
        checks = json.loads(output)["checks"]
        attested = [check for check in checks if "attest" in check["name"]]
        found.rows.append(("diag", f"{len(checks)} checks"))
        if [check["verdict"] for check in attested] != ["pass"]:
            found.problems.append(f"attestation: {attested}")
        found.rows += _heap(table, "after diag")
    finally:
        rig.switch_off(table.board)


def _played(found: Figures, rig: Rp2040Rig, emulator: Emulator, _options: list[str]) -> None:
    """A round, then a power cut in the next one."""
    table = ChipTable(rig, emulator, has_host=True)
    try:
        table.pass_time(_START_S)
        table.board.measured()
        played = table.table.spin()
        if played.reason is not None:
            found.problems.append(f"a healthy round is void: {played.reason}")
        found.rows += _of_round(table.board.measured(), table.board.lost)
        found.rows += _heap(table, "after a round")
        if table.table.errors:
            found.problems.append(f"the program printed: {table.table.errors[-1]}")
        try:
            fault = faults.find(_POWER_CUT, emulator.catalogue(emulator.setup()))
        except KeyError:
            found.left.append("a power cut: this role has no such fault to play")
            return
        cut = session.play(table.table, fault)
        if cut.reason != fault.void_code and cut.reason != fault.code:
            found.problems.append(f"a power cut in a round ends in {cut.reason}")
        found.rows.append(("power cut in a round", f"void with {cut.reason} after the start"))
    finally:
        rig.switch_off(table.board)


def _heap(table: ChipTable, when: str) -> list[tuple[str, str]]:
    """What is free now, and the least of the heartbeats; garbage is not free."""
    beats = [frame.values for _, frame in table.frames if frame.type == messages.HEARTBEAT]
    heap = table.board.heap()
    least = f", at least {min(beat[-1] for beat in beats):,}" if beats else ""
    return [
        (f"heap {when}", f"{heap.free:,} of {heap.total:,} bytes free{least}; largest piece"
         f" {heap.largest:,}"),
    ]  # fmt: skip


def _of_round(measured: Measured, lost: int) -> list[tuple[str, str]]:
    rows = [
        ("flash in a round", f"{measured.erased_sectors} sectors erased,"
         f" {measured.programmed_pages} pages programmed"),
        ("bytes lost on the link", str(lost)),
    ]  # fmt: skip
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
