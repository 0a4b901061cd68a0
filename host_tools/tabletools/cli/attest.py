"""`tabletool attest`: compares the program of a table with a signed release."""

import secrets
from collections.abc import Generator
from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.release import ManifestOption, PublicOption, checked, public_key
from tabletools.cli.report import JsonOption, say
from tabletools.cli.table_client import (
    KeysOption,
    PortArgument,
    TableClient,
    accepted,
    answer_of,
    connected_client,
)
from tabletools.errors import ToolError
from tabletools.link import Request
from tabletools.release import ALL_FILES, Manifest, digest, find
from tablewire.codec import Frame
from tablewire.codes import FIRMWARE_MISMATCH
from tablewire.messages import ATTEST, CLEAR_FAULT, LOCK

EXAMPLES = """\b
Examples:
  tabletool attest /dev/ttyACM0 --manifest pico2.json --key house.pub
  tabletool attest /dev/ttyACM0 --manifest pico2.json --key house.pub --lock
  tabletool attest /dev/ttyACM0 --manifest pico2.json --key house.pub --clear
"""
# A table hashes while no ball runs; one round without a ball lasts two minutes.
WITHIN_S = 300.0


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("attest", epilog=EXAMPLES)(command)


def command(
    port: PortArgument,
    manifest: Annotated[Path, ManifestOption],
    key: Annotated[Path, PublicOption],
    lock: Annotated[
        bool, typer.Option("--lock", help="Lock the table (fault 508) when it differs.")
    ] = False,
    clear: Annotated[bool, typer.Option("--clear", help="After a match clear fault 508.")] = False,
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Ask a table for the digest of every file on its flash and compare it with a signed release.

    Names the first file that differs: exit code 1. protocol/SECURITY.md says what this proves and
    what it does not: a malicious program can answer for files it does not run.
    """
    with checked(manifest):
        release = public_key(manifest, key)
    with connected_client(port, keys) as client:
        compare(client, release, lock=lock)
        say(
            f"table {client.table[0]} has release {release.release} ({release.version})"
            f": {len(release.files)} files match",
            device=client.table[0],
            release=release.release,
            version=release.version,
            files=len(release.files),
        )
        if clear:
            accepted(client.ask(CLEAR_FAULT, (FIRMWARE_MISMATCH,)))
            say(f"{FIRMWARE_MISMATCH} firmware_mismatch cleared", cleared=FIRMWARE_MISMATCH)


def compare(client: TableClient, manifest: Manifest, *, lock: bool) -> None:
    """Compare; raises ToolError naming the first file that differs."""
    same, answer = _ask(client, manifest, ALL_FILES)
    _, _, files, size, release = answer.values
    if same and files == len(manifest.files):
        return
    is_locked = lock and client.answer(LOCK, ()) is not None
    wanted = sum(file.size for file in manifest.files)
    raise ToolError(
        f"the program of table {answer.device} is not release {manifest.release}",
        where=_first_difference(client, manifest, find(manifest, files)),
        limit=f"{size} bytes and release {release} on the table, {wanted} bytes released",
        cause="another release or board, a file changed or added, or an interrupted update",
        step=_STEPS[lock, is_locked],
    )


_STEPS = {
    (False, False): "lock the table: --lock",
    (True, True): "the table is locked (508)",
    (True, False): "the table sent no record of the lock: is it locked already? `tabletool"
    " monitor PORT --once`",
}


def _first_difference(
    client: TableClient, manifest: Manifest, search: Generator[int, bool, str]
) -> str:
    most = next(search)
    while True:
        same, _ = _ask(client, manifest, most)
        try:
            most = search.send(same)
        except StopIteration as end:
            return str(end.value)


def _ask(client: TableClient, manifest: Manifest, most: int) -> tuple[bool, Frame]:
    nonce = secrets.token_bytes(16)
    frame = answer_of(client.run(Request(ATTEST, (nonce, most), again_s=WITHIN_S, tries=1)))
    if frame is None:
        raise ToolError(
            f"no answer within {WITHIN_S:.0f} s",
            cause="the table restarted meanwhile, or its firmware does not support attestation",
            step="try again; do not play on a table that never attests",
        )
    return bool(frame.values[1] == digest(manifest, nonce, most)), frame
