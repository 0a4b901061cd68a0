"""`tabletool decode`: frames of a capture file, of raw bytes or of a pipe, as lines."""

import io
import json
import os
import stat
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from tablespec.names import NAMES
from tabletools import decode
from tabletools.authenticity import WRONG
from tabletools.capture import LikelyCause
from tabletools.cli.likely_cause import print_cause
from tabletools.decode import CaptureError, Decoder, Record, Tags, head_of, skip_of
from tabletools.errors import ToolError
from tabletools.keys import opened_keyring
from tabletools.link.far_end import STRANGE

EXAMPLES = """\b
Examples:
  tabletool decode night.capture
  tabletool decode night.capture --json --commands
  tabletool decode night.capture --round 2 --no-heartbeats
  tabletool decode night.capture --type wheel_result --type round_void
  tabletool decode night.capture --keys keys.json
  tabletool decode --raw uart.bin --strict
  nc table-7 4001 | tabletool decode --raw -
"""
STANDARD_INPUT = "-"
_Types = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="NAME", help="Only these messages; may be repeated."),
]
_Round = Annotated[
    int | None, typer.Option("--round", metavar="N", min=0, help="Only frames of this round.")
]
_NoHeartbeats = Annotated[bool, typer.Option("--no-heartbeats", help="Leave out the heartbeats.")]
SKIPPED, HEARTBEAT = "skipped", "heartbeat"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("decode", epilog=EXAMPLES)(command)


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Capture file; - reads a pipe.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="FILE contains the bytes of a UART.")] = False,
    commands: Annotated[
        bool, typer.Option("--commands", help="Also print frames of the host (captures only).")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit code 1 for anything skipped, or a wrong tag.")
    ] = False,
    keys: Annotated[
        Path | None, typer.Option("--keys", metavar="FILE", help="Verify tags with this keyring.")
    ] = None,
    types: _Types = None,
    number: _Round = None,
    no_heartbeats: _NoHeartbeats = False,
) -> None:
    """Print every frame and report the bytes that belong to none.

    Tags are verified with --keys and a capture from the beginning of a session: its nonces are in
    the table's identity. With --raw - it ends, with exit code 1, after 1 MiB without a frame.
    """
    if raw and commands:
        raise ToolError(
            "--commands needs a capture file", where="--raw", step="leave out one of the two"
        )
    choice = _Choice(frozenset(types or ()), number, no_heartbeats)
    choice.verify()
    count = _Count()
    tags = None if keys is None else Tags(opened_keyring(keys).keys_of)
    with _open_input(file) as stream:
        try:
            for record in _records(file, stream, tags, raw=raw, commands=commands):
                count.add(record)
                if not choice.has(record):
                    count.left_out += record["type"] != SKIPPED
                    continue
                text = json.dumps(record) if as_json else decode.line(record)
                # A pipe is followed: each line is written before waiting for more bytes.
                print(text, flush=file == STANDARD_INPUT)
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise _unreadable(file, error) from error
    _finish(file, count, quiet=as_json)
    if strict and (count.skips or count.seals[WRONG]):
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Choice:
    """The frames that are printed; what is no frame always is. types: names, all if empty."""

    types: frozenset[str]
    number: int | None
    no_heartbeats: bool

    def verify(self) -> None:
        """Raise ToolError for a name that no message has."""
        known = set(NAMES.values())
        for name in sorted(self.types - known):
            near = ", ".join(get_close_matches(name, known, n=3))
            more = f": did you mean {near}?" if near else ""
            step = "name it as `decode` prints it, after the round"
            raise ToolError(f"no message {name!r}{more}", where="--type", step=step)

    def has(self, record: Record) -> bool:
        """Whether a record is printed."""
        name = record["type"]
        if name == SKIPPED:
            return True
        if self.types and name not in self.types:
            return False
        if self.no_heartbeats and name == HEARTBEAT:
            return False
        return self.number is None or head_of(record).round == self.number


@dataclass
class _Count:
    """Counts of what was decoded. left_out: frames that were not wanted."""

    frames: int = 0
    left_out: int = 0
    seals: Counter[str] = field(default_factory=Counter)
    skips: int = 0
    skipped_bytes: int = 0
    cause: LikelyCause | None = None

    def add(self, record: Record) -> None:
        if record["type"] == SKIPPED:
            skip = skip_of(record)
            self.skips += 1
            self.skipped_bytes += skip.length
            if skip.hint is not None and skip.step is not None:
                self.cause = LikelyCause(skip.hint, skip.step)
        else:
            self.frames += 1
            self.seals[head_of(record).seal] += 1


def _open_input(file: str) -> AbstractContextManager[BinaryIO]:
    if file == STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    try:
        if os.path.isdir(file):
            raise IsADirectoryError(21, "Is a directory")
        return _ending(open(file, "rb"), file)
    except OSError as error:
        raise _unreadable(file, error) from error


def _ending(stream: BinaryIO, file: str) -> BinaryIO:
    """Return a stream that ends. Raises ToolError for a device, which gives bytes without end."""
    if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode) and not stream.isatty():
        stream.close()
        step = "for a port use `tabletool monitor PORT`, for a pipe give -"
        raise ToolError("this is a device, not a file", where=file, step=step)
    return stream


def _unreadable(file: str, error: OSError) -> ToolError:
    steps = {
        FileNotFoundError: "check the name; `tabletool emulate roulette --out FILE` makes one",
        IsADirectoryError: "name a file in it",
        PermissionError: "get the right to read it, or copy it",
    }
    reason = (error.strerror or str(error)).lower()
    step = steps.get(type(error), "")
    return ToolError(f"cannot read the file: {reason}", where=file, step=step)


def _records(
    file: str, stream: BinaryIO, tags: Tags | None, *, raw: bool, commands: bool
) -> Iterator[Record]:
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
    if not buffered.peek(1):
        raise ToolError("there is nothing to decode", where=file, limit="0 bytes")
    if raw:
        yield from _from_bytes(file, buffered, Decoder(tags=tags))
        return
    table = Decoder(direction="table_to_host" if commands else None, sender="table", tags=tags)
    host = Decoder(direction="host_to_table", sender="host", tags=tags)
    try:
        yield from decode.from_capture(buffered, table, host, commands=commands)
    except CaptureError as error:
        raise ToolError(
            f"not a capture file: {error.what}",
            where=f"{file}, line {error.line}",
            cause="the file contains the bytes of a UART, or something else",
            step="for bytes of a UART: tabletool decode --raw " + file,
        ) from error


def _from_bytes(file: str, stream: "io.BufferedReader[Any]", decoder: Decoder) -> Iterator[Record]:
    """Return the records of raw bytes; standard input may never end. Raises ToolError."""
    try:
        yield from decode.from_bytes(stream, decoder, is_endless=file == STANDARD_INPUT)
    except decode.NoFrames:
        raise ToolError(
            "there is no table at the other end",
            where=file,
            cause=f"{decode.MOST_WITHOUT_FRAME} bytes in a row belong to no frame",
            step="check the line to the table: tabletool diag PORT",
        ) from None


def _finish(file: str, count: _Count, *, quiet: bool) -> None:
    """Print the closing lines; with --json only the diagnosis, on standard error."""
    if not quiet:
        print(decode.summary(count.frames, count.skips, count.skipped_bytes, count.seals))
        if count.left_out:
            print(f"{count.left_out} frames left out")
    cause = count.cause
    if cause is None and count.skips and not count.frames:
        cause = LikelyCause(STRANGE, "check the line to the table: tabletool diag PORT")
    if cause is not None:
        print_cause(cause, quiet=quiet)
