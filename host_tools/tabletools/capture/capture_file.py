"""Capture files: the bytes of a link with their times, as text.

    tablewire-capture 2 {"source": "emulator", ...} <crc>
    <t_us> < <offset> <hex> <crc>      bytes the table sent
    <t_us> > <offset> <hex> <crc>      bytes the host sent

t_us: microseconds since the capture began, decimal. offset: bytes of that direction before these.
crc: CRC-32 of the line before it without the space between, 8 hex digits. A damaged line, even the
first, affects no other: it is reported with its number, reading continues, and the offsets of the
following bytes are unchanged. Version 1 has neither offset nor crc; it is read, not written. This
module does not interpret the bytes.
"""

import json
import re
from binascii import crc32
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, Protocol

MAGIC = "tablewire-capture"
VERSION = 2
FROM_TABLE = "<"
TO_TABLE = ">"

_LINES = {
    1: re.compile(rb"(\d{1,18}) ([<>]) ((?:[0-9a-fA-F]{2})+)"),
    2: re.compile(rb"(\d{1,18}) ([<>]) (\d{1,18}) ((?:[0-9a-fA-F]{2})+) [0-9a-f]{8}"),
}
_LONGEST_LINE = 1 << 20
_BYTES_A_LINE = 4096


class CaptureError(ValueError):
    """Not a capture file this program can read. what: why; line: number of the line, from 1."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line
        self.what = what


class Chunk(NamedTuple):
    """Bytes of one direction (FROM_TABLE or TO_TABLE) that arrived at t_us.

    offset: bytes of the direction before these, None if the file does not say.
    """

    t_us: int
    direction: str
    data: bytes
    offset: int | None = None


class Damage(NamedTuple):
    """A line that cannot be read, or is missing. offset, length: its bytes in the file."""

    line: int
    offset: int
    length: int
    what: str


class TextStream(Protocol):
    """A stream that a capture is written to."""

    def write(self, text: str, /) -> object: ...


class Writer:
    """Writes a capture to a text stream, line by line; the caller flushes and closes it."""

    def __init__(self, stream: TextStream, meta: dict[str, Any]) -> None:
        """meta: JSON-ready facts about the recording, stored in the first line."""
        self._stream = stream
        self._offsets = {FROM_TABLE: 0, TO_TABLE: 0}
        self._line(f"{MAGIC} {VERSION} {json.dumps(meta)}")

    def chunk(self, t_us: int, direction: str, data: bytes) -> None:
        """Write bytes of one direction; t_us: since the capture began, 0 or more."""
        for start in range(0, len(data), _BYTES_A_LINE):
            part = data[start : start + _BYTES_A_LINE]
            self._line(f"{t_us} {direction} {self._offsets[direction]} {part.hex()}")
            self._offsets[direction] += len(part)

    def _line(self, text: str) -> None:
        self._stream.write(f"{text} {crc32(text.encode()):08x}\n")


class Reader:
    """Reads a capture from a binary stream, one line at a time.

    meta: the facts of the first line, empty when it is damaged. Raises CaptureError when the file
    is no capture, or of an unknown version.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._number = 0
        self._offset = 0  # in the file
        self._ends = {FROM_TABLE: 0, TO_TABLE: 0}
        self._explained = {FROM_TABLE: False, TO_TABLE: False}
        self._version: int | None = None
        self._next: list[bytes] = []
        self.meta: dict[str, Any] = {}
        self._head = self._header()

    def __iter__(self) -> Iterator[Chunk | Damage]:
        yield from self._head
        for line in iter(self._read, b""):
            self._number += 1
            yield from self._items(line)
            self._offset += len(line)

    def _read(self) -> bytes:
        return self._next.pop() if self._next else self._stream.readline(_LONGEST_LINE)

    def _header(self) -> list[Damage]:
        line = self._read()
        self._number, self._offset = 1, len(line)
        facts = _facts(line)
        if facts is not None:
            self._version, self.meta = facts
            return []
        if not is_header(line):
            # If even its name is damaged, the next line decides.
            self._next.append(self._read())
            if not (line and _match(2, self._next[0])):
                raise CaptureError(
                    1, f"expected `{MAGIC} {VERSION} {{...}}`, found {_printable(line)}"
                )
        return [self._damage(line, f"the header is damaged: {_printable(line)}", offset=0)]

    def _items(self, line: bytes) -> Iterator[Chunk | Damage]:
        versions = (self._version,) if self._version else (2, 1)
        for version in versions:
            match = _match(version, line)
            if match:
                self._version = version
                yield from self._chunk(line, match)
                return
        if line.strip():
            yield self._damage(line, _what(line, self._version or VERSION))

    def _chunk(self, line: bytes, match: re.Match[bytes]) -> Iterator[Chunk | Damage]:
        t_us, direction, data = (
            int(match[1]),
            match[2].decode(),
            bytes.fromhex(match[match.lastindex or 0].decode()),
        )
        if self._version == 1:
            yield Chunk(t_us, direction, data)
            return
        offset, end = int(match[3]), self._ends[direction]
        if offset < end:
            yield self._damage(line, f"bytes {offset} on of {direction} were there before")
            return
        if offset > end and not self._explained[direction]:
            what = f"{offset - end} bytes of {direction} are missing before it"
            yield Damage(self._number, self._offset, 0, what)
        self._explained[direction] = False
        self._ends[direction] = offset + len(data)
        yield Chunk(t_us, direction, data, offset)

    def _damage(self, line: bytes, what: str, offset: int | None = None) -> Damage:
        # Bytes of either direction may be missing now; this reports it.
        self._explained = dict.fromkeys(self._explained, True)
        return Damage(self._number, self._offset if offset is None else offset, len(line), what)


def is_header(line: bytes) -> bool:
    """Whether a first line, or its beginning, is that of a capture."""
    return line.startswith(f"{MAGIC} ".encode())


def _is_sealed(text: bytes) -> bool:
    """Whether a line ends with the checksum of its text."""
    front, _, crc = text.rpartition(b" ")
    return crc == b"%08x" % crc32(front)


def _match(version: int, line: bytes) -> re.Match[bytes] | None:
    text = line.rstrip(b"\r\n")
    return _LINES[version].fullmatch(text) if version == 1 or _is_sealed(text) else None


def _facts(line: bytes) -> tuple[int, dict[str, Any]] | None:
    """Version and facts of a complete header, None for another line. Raises CaptureError."""
    text = line.rstrip(b"\r\n")
    if not is_header(text):
        return None
    front = text.rpartition(b" ")[0] if _is_sealed(text) else text
    _, version, meta = [*front.split(b" ", 2), b"", b""][:3]
    if front is not text and version != b"2":
        raise CaptureError(1, f"capture version {_printable(version)}, expected 1 or {VERSION}")
    try:
        facts = json.loads(meta)
    except (ValueError, RecursionError):
        return None
    is_whole = isinstance(facts, dict) and version == (b"1" if front is text else b"2")
    return (int(version), facts) if is_whole else None


def _what(line: bytes, version: int) -> str:
    """Why a line is damaged, as precisely as can be said."""
    words = line.split()
    if len(line) >= _LONGEST_LINE:
        return f"longer than {_LONGEST_LINE} bytes"
    if is_header(line):
        return "a second header"
    if version == 2:
        return f"its checksum is wrong: {_printable(line)}"
    if len(words) != 3:
        return f"expected `t_us < hex`, found {_printable(line)}"
    if not words[0].isdigit() or len(words[0]) > 18:
        return f"time {_printable(words[0])} is not microseconds"
    if words[1] not in (b"<", b">"):
        return f"direction {_printable(words[1])} is not < or >"
    if len(words[2]) % 2:
        return f"{len(words[2])} hex digits: the last byte is cut in half"
    return f"bytes {_printable(words[2])} are not hex digits"


def _printable(raw: bytes) -> str:
    if not raw:
        return "nothing"
    text = raw[:40].decode("ascii", "backslashreplace").strip()
    return ascii(text) + ("..." if len(raw) > 40 else "")
