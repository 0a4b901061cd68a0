"""Read an evidence file, line by line: every line has one form, and no field is passed over."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import msgspec

from tabletools.errors import ToolError
from tabletools.evidence_file.layout import (
    COLUMNS,
    DOMAIN,
    FORMAT,
    MOST_FILE,
    MOST_LINE,
    Row,
    line_of,
)

_Line = TypeVar("_Line")


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file is about, as the host says."""

    format: str = msgspec.field(name="is")
    ledger: str
    newest: int
    at_ns: int
    release: str
    public_key: str
    table: int
    name: str
    day: str | None
    rounds: list[tuple[int, int, int]]


class TreeCheckpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A checkpoint of the chain with a tree over the entries since the one before."""

    store: str
    """Digest of the first entry, which identifies the ledger."""
    seq: int
    """The newest entry when it was signed."""
    digest: str
    """Of that entry."""
    at_ns: int
    """Time of signing, by the clock of the host, UTC."""
    entries: int
    """How many the tree has, up to `seq`."""
    root: str
    """Of the tree, in hex."""


class SignedCheckpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A checkpoint with the signature of its host."""

    checkpoint: TreeCheckpoint
    signature: str


class ChainEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of the chain. rows: its JSON as stored."""

    seq: int
    at_ns: int
    rows: str
    previous: str


class TreePath(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the digest of an entry is in the tree of a checkpoint."""

    checkpoint: int
    place: int
    path: list[str]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry with rows that it wrote, by table."""

    entry: ChainEntry
    rows: dict[str, list[list[Any]]]
    proof: TreePath | None
    heads: dict[str, str]


class End(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The signature over all lines before."""

    signature: str
    lines: int


class Stored(NamedTuple):
    """An entry with its rows, as stored in the ledger. line: of the file."""

    line: int
    entry: ChainEntry
    rows: dict[str, list[Row]]
    proof: TreePath | None
    heads: dict[str, str]


class Contents(NamedTuple):
    """A file as read. signed: the bytes that its last line signs."""

    header: Header
    checkpoints: list[SignedCheckpoint]
    parts: list[Stored]
    signature: str
    signed: bytes


class Malformed(Exception):
    """The file breaks off or has a line of another form; its text names the line."""


def read(file: Path) -> Contents:
    """Return what is in a file. Raises ToolError for none of ours, Malformed for a damaged one."""
    try:
        size = file.stat().st_size if file.is_file() else 0
        with open(file, "rb") as stream:
            return _contents(stream, file, size)
    except OSError as error:
        what = f"cannot read the evidence file: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(file), step="check the name") from error


def _contents(stream: BinaryIO, file: Path, size: int) -> Contents:
    if size > MOST_FILE:
        what, limit = f"the file has {size:,} bytes", f"at most {MOST_FILE:,}"
        raise ToolError(what, where=str(file), limit=limit, step="ask for one round or day")
    first = stream.readline(MOST_LINE + 1)
    header = _header(first, file)
    digest, checkpoints, parts = sha256(first), list[SignedCheckpoint](), list[Stored]()
    for number, line in _lines(stream):
        facts = _parse(number, line)
        if "entry" in facts:
            parts.append(_part(number, facts))
        elif "checkpoint" in facts:
            if parts:
                raise Malformed(f"line {number}: a checkpoint after the entries")
            checkpoints.append(_convert(number, facts, SignedCheckpoint))
        else:
            end = _convert(number, facts, End)
            if end.lines != number - 1:
                raise Malformed(f"line {number}: {end.lines} lines before it, not {number - 1}")
            if stream.read(1):
                raise Malformed(f"line {number + 1}: more after the last line")
            signed = DOMAIN + digest.digest()
            return Contents(header, checkpoints, parts, end.signature, signed)
        digest.update(line)
    raise Malformed("the last line is missing: the file was cut off")


def _header(line: bytes, file: Path) -> Header:
    try:
        facts = json.loads(line)
        is_ours = facts["is"].startswith(FORMAT.rpartition(" ")[0])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_ours = False
    if not is_ours:
        what, step = "this is not an evidence file", "name one of `tabletool evidence export`"
        raise ToolError(what, where=str(file), step=step)
    if facts["is"] != FORMAT:
        what, step = f"a newer release wrote it ({facts['is'][:40]!r})", "update tabletool"
        raise ToolError(what, where=str(file), limit=f"this one reads {FORMAT!r}", step=step)
    return _convert(1, _parse(1, line), Header)


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 2
    while line := stream.readline(MOST_LINE + 1):
        yield number, line
        number += 1


def _parse(number: int, line: bytes) -> dict[str, Any]:
    """Return the object in a line, which has to be as it was written."""
    if len(line) > MOST_LINE:
        raise Malformed(f"line {number}: longer than {MOST_LINE:,} bytes")
    if not line.endswith(b"\n"):
        raise Malformed(f"line {number}: cut off")
    try:
        facts = json.loads(line)
        is_canonical = isinstance(facts, dict) and line_of(facts) == line
    except (ValueError, TypeError, RecursionError):
        is_canonical = False
    if not is_canonical:
        raise Malformed(f"line {number}: not as the host writes it")
    return dict(facts)


def _convert(number: int, facts: dict[str, Any], kind: type[_Line]) -> _Line:
    try:
        return msgspec.convert(facts, kind, strict=True)
    except (msgspec.ValidationError, OverflowError) as error:
        raise Malformed(f"line {number}: {error}") from error


def _part(number: int, facts: dict[str, Any]) -> Stored:
    part = _convert(number, facts, Part)
    rows: dict[str, list[Row]] = {}
    for name, listed in part.rows.items():
        if name not in COLUMNS:
            raise Malformed(f"line {number}: rows of {name[:40]!r}, which no evidence has")
        rows[name] = [_row(number, name, row) for row in listed]
    return Stored(number, part.entry, rows, part.proof, part.heads)


def _row(number: int, name: str, row: list[Any]) -> Row:
    """Return a row with all columns of its table: those added later are NULL in an older row."""
    keys, columns = COLUMNS[name]
    if not keys < len(row) <= len(columns):
        raise Malformed(f"line {number}: {name}: {len(row)} columns, not {len(columns)}")
    values = tuple(_value(number, name, value) for value in row)
    return values + (None,) * (len(columns) - len(row))


def _value(number: int, name: str, value: Any) -> int | str | bytes | None:
    if value is None or type(value) is str or (type(value) is int and abs(value) <= 1 << 63):
        return value
    try:
        [(kind, text)] = value.items()
        if kind == "hex" and text == text.lower():
            return bytes.fromhex(text)
    except (AttributeError, ValueError, TypeError):
        pass
    raise Malformed(f"line {number}: {name}: {str(value)[:40]!r} is no value of a column")
