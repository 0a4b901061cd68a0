"""`tabletool attest`: does this table run the signed release?"""

import secrets
import time
from collections.abc import Generator
from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.reach import reach
from tabletools.cli.release import checked, public_key
from tabletools.console.watch import Watch
from tabletools.errors import ToolError
from tabletools.link import Event, Link, Received, Session
from tabletools.release import ALL_FILES, Manifest, digest, find
from tablewire.codec import Frame
from tablewire.codes import FIRMWARE_MISMATCH
from tablewire.messages import (
    ATTEST,
    ATTESTATION,
    CLEAR_FAULT,
    FAULT_CLEARED,
    FAULT_RAISED,
    LOCK,
    REFUSAL,
)

EXAMPLES = """\b
Examples:
  tabletool attest /dev/ttyACM0 --manifest pico2.json --key house.pub
  tabletool attest /dev/ttyACM0 --manifest pico2.json --key house.pub --lock
  tabletool attest /dev/ttyACM0 --manifest pico2.json --key house.pub --clear
"""
# A table hashes while no ball runs; one round without a ball lasts two minutes.
WITHIN_S = 300.0
_ANSWER_S = 3.0


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("attest", epilog=EXAMPLES)(command)


def command(
    port: Annotated[
        str, typer.Argument(metavar="PORT", help="Device path or socket://HOST:PORT.")
    ],
    manifest: Annotated[
        Path, typer.Option("--manifest", metavar="FILE", help="The signed manifest.")
    ],
    key: Annotated[
        Path, typer.Option("--key", metavar="FILE", help="Public key of whoever released it.")
    ],
    lock: Annotated[
        bool, typer.Option("--lock", help="Lock the table (fault 508) when it differs.")
    ] = False,
    clear: Annotated[bool, typer.Option("--clear", help="After a match clear fault 508.")] = False,
) -> None:
    """Ask a table for the digest of every file on its flash and compare it with a signed release.

    Names the first file that differs: exit code 1. What this proves and what not is in
    protocol/SECURITY.md: a program that lies can answer for files it does not run.
    """
    with checked(manifest):
        release = public_key(manifest, key)
    talk = _Attesting(port, release)
    try:
        talk.compare(lock=lock)
        print(f"table {talk.device} holds release {release.release} ({release.version})"
              f": {len(release.files)} files match")  # fmt: skip
        if clear:
            talk.order(CLEAR_FAULT, (FIRMWARE_MISMATCH,), FAULT_CLEARED)
            print(f"{FIRMWARE_MISMATCH} firmware_mismatch cleared")
    finally:
        talk.close()


class _Attesting:
    """A conversation with one table about its files."""

    def __init__(self, port: str, manifest: Manifest) -> None:
        self._manifest = manifest
        self._session = Session()
        self._frames: list[Frame] = []
        self._watch = Watch(Link(port, self._session), listen=self._listen)
        self.device = 0
        reach(self._watch)

    def compare(self, *, lock: bool) -> None:
        """Compare; raises ToolError naming the first file that differs."""
        same, answer = self._ask(ALL_FILES)
        self.device = answer.device
        if same and answer.values[2] == len(self._manifest.files):
            return
        _, _, files, size, release = answer.values
        where = self._first_difference(find(self._manifest, files))
        if lock:
            self.order(LOCK, (), FAULT_RAISED)
        wanted = sum(file.size for file in self._manifest.files)
        raise ToolError(
            f"the program of table {self.device} is not release {self._manifest.release}",
            where=where,
            limit=f"{size} bytes and release {release} on the table, {wanted} bytes released",
            cause="another release or board, a file changed or added, or an update cut short",
            step="the table is locked (508)" if lock else "lock the table: --lock",
        )

    def order(self, ident: int, values: tuple[int, ...], done: int) -> None:
        """Give a command that is answered by a record of that type. Raises ToolError."""
        frame = self._wait(ident, values, (done, REFUSAL), _ANSWER_S)
        if frame.type == REFUSAL:
            raise ToolError("the table refused it", step="does fault 508 stand at all?")

    def close(self) -> None:
        """Let go of the port."""
        self._watch.link.close()

    def _first_difference(self, search: Generator[int, bool, str]) -> str:
        most = next(search)
        while True:
            same, _ = self._ask(most)
            try:
                most = search.send(same)
            except StopIteration as end:
                return str(end.value)

    def _ask(self, most: int) -> tuple[bool, Frame]:
        nonce = secrets.token_bytes(16)
        frame = self._wait(ATTEST, (nonce, most), (ATTESTATION,), WITHIN_S, nonce)
        return frame.values[1] == digest(self._manifest, nonce, most), frame

    def _wait(
        self,
        ident: int,
        values: tuple[int | bytes, ...],
        answers: tuple[int, ...],
        within_s: float,
        nonce: bytes | None = None,
    ) -> Frame:
        self._frames.clear()
        self._session.command(ident, values, 0, time.monotonic())
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            list(self._watch.step())
            for frame in self._frames:
                if frame.type in answers and nonce in (None, frame.values[0]):
                    return frame
        raise ToolError(
            f"no answer within {within_s:.0f} s",
            cause="the table restarted meanwhile, or its program knows no attestation",
            step="try again; a table that never attests is not to be played",
        )

    def _listen(self, event: Event) -> None:
        if isinstance(event, Received):
            self._frames.append(event.frame)
