"""`tabletool attest`: does this table run the signed release?"""

import secrets
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.release import checked, public_key
from tabletools.cli.talk import KeysOption, Talk, talking
from tabletools.errors import ToolError
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
    keys: KeysOption = None,
) -> None:
    """Ask a table for the digest of every file on its flash and compare it with a signed release.

    Names the first file that differs: exit code 1. What this proves and what not is in
    protocol/SECURITY.md: a program that lies can answer for files it does not run.
    """
    with checked(manifest):
        release = public_key(manifest, key)
    with talking(port, keys) as talk:
        attesting = _Attesting(talk, release)
        attesting.compare(lock=lock)
        print(f"table {attesting.device} holds release {release.release} ({release.version})"
              f": {len(release.files)} files match")  # fmt: skip
        if clear:
            attesting.order(CLEAR_FAULT, (FIRMWARE_MISMATCH,), FAULT_CLEARED)
            print(f"{FIRMWARE_MISMATCH} firmware_mismatch cleared")


class _Attesting:
    """What is said with one table about its files. device: its serial number, once it answered."""

    def __init__(self, talk: Talk, manifest: Manifest) -> None:
        self._talk = talk
        self._manifest = manifest
        self.device = 0

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
        frame = self._answer(ident, values, lambda f: f.type in (done, REFUSAL), _ANSWER_S)
        if frame.type == REFUSAL:
            raise ToolError("the table refused it", step="does fault 508 stand at all?")

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

        def is_ours(frame: Frame) -> bool:
            return frame.type == ATTESTATION and bool(frame.values[0] == nonce)

        frame = self._answer(ATTEST, (nonce, most), is_ours, WITHIN_S)
        return frame.values[1] == digest(self._manifest, nonce, most), frame

    def _answer(
        self,
        ident: int,
        values: tuple[int | bytes, ...],
        wanted: Callable[[Frame], bool],
        within_s: float,
    ) -> Frame:
        frame = self._talk.order(ident, values, wanted, within_s)
        if frame is None:
            raise ToolError(
                f"no answer within {within_s:.0f} s",
                cause="the table restarted meanwhile, or its program knows no attestation",
                step="try again; a table that never attests is not to be played",
            )
        return frame
