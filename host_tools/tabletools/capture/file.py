"""Capture files: the bytes of a link with their times, as text.

    tablewire-capture 1 {"source": "emulator", ...}
    <t_us> < <hex>      bytes the table sent
    <t_us> > <hex>      bytes the host sent

t_us: microseconds since the capture began, decimal. A damaged line costs itself: it is reported
with its number and the reading goes on. Must not know what the bytes mean.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, TextIO

MAGIC = "tablewire-capture"
VERSION = 1
FROM_TABLE = "<"
TO_TABLE = ">"

_LINE = re.compile(rb"(\d{1,18}) ([<>]) ((?:[0-9a-fA-F]{2})+)\r?\n?")
_LONGEST_LINE = 1 << 20
_BYTES_A_LINE = 4096


class CaptureError(ValueError):
    """Not a capture file this program reads. what: why; line: number of the line, from 1."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line
        self.what = what


class Chunk(NamedTuple):
    """Bytes of one direction (FROM_TABLE or TO_TABLE) that arrived at t_us."""

    t_us: int
    direction: str
    data: bytes


class Damage(NamedTuple):
    """A line that cannot be read. offset, length: its bytes in the file."""

    line: int
    offset: int
    length: int
    what: str


class Writer:
    """Writes a capture to a text stream, line by line; the caller flushes and closes it."""

    def __init__(self, stream: TextIO, meta: dict[str, Any]) -> None:
        """meta: JSON-ready facts about the recording, kept in the first line."""
        self._stream = stream
        stream.write(f"{MAGIC} {VERSION} {json.dumps(meta)}\n")

    def chunk(self, t_us: int, direction: str, data: bytes) -> None:
        """Write bytes of one direction; t_us: since the capture began, 0 or more."""
        for start in range(0, len(data), _BYTES_A_LINE):
            part = data[start : start + _BYTES_A_LINE]
            self._stream.write(f"{t_us} {direction} {part.hex()}\n")


class Reader:
    """Reads a capture from a binary stream without holding more than a line of it.

    meta: the facts of the first line. Raises CaptureError when that line is not a header.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        head = stream.readline(_LONGEST_LINE)
        self.meta = _header(head)
        self._offset = len(head)

    def __iter__(self) -> Iterator[Chunk | Damage]:
        number = 1
        for line in iter(lambda: self._stream.readline(_LONGEST_LINE), b""):
            number += 1
            match = _LINE.fullmatch(line)
            if match:
                data = bytes.fromhex(match[3].decode())
                yield Chunk(int(match[1]), match[2].decode(), data)
            elif line.strip():
                yield Damage(number, self._offset, len(line), _what(line))
            self._offset += len(line)


def is_header(line: bytes) -> bool:
    """Whether a first line, or its beginning, claims to be that of a capture."""
    return line.startswith(f"{MAGIC} ".encode())


def _header(line: bytes) -> dict[str, Any]:
    if not is_header(line):
        raise CaptureError(1, f"expected `{MAGIC} {VERSION} {{...}}`, found {_shown(line)}")
    _, version, meta = [*line.decode("utf-8", "replace").split(" ", 2), "", ""][:3]
    if version != str(VERSION):
        raise CaptureError(1, f"capture version {_shown(version.encode())}, expected {VERSION}")
    try:
        found = json.loads(meta)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise CaptureError(1, f"expected a JSON object after the version, found {meta[:40]!r}")
    return found


def _what(line: bytes) -> str:
    """Why a line is damaged, as precisely as can be said."""
    words = line.split()
    if len(line) >= _LONGEST_LINE:
        return f"longer than {_LONGEST_LINE} bytes"
    if is_header(line):
        return "a second header"
    if len(words) != 3:
        return f"expected `t_us < hex`, found {_shown(line)}"
    if not words[0].isdigit() or len(words[0]) > 18:
        return f"time {_shown(words[0])} is not microseconds"
    if words[1] not in (b"<", b">"):
        return f"direction {_shown(words[1])} is not < or >"
    if len(words[2]) % 2:
        return f"{len(words[2])} hex digits: the last byte is cut in half"
    return f"bytes {_shown(words[2])} are not hex digits"


def _shown(found: bytes) -> str:
    if not found:
        return "nothing"
    text = found[:40].decode("ascii", "backslashreplace").strip()
    return ascii(text) + ("..." if len(found) > 40 else "")
