"""Files or a pipe as an iterator of records, with at most one piece in memory."""

from collections.abc import Iterator
from typing import BinaryIO, Protocol

from tabletools.capture import FROM_TABLE, TO_TABLE, CaptureError, Damage, Reader
from tabletools.decode.stream import Decoder
from tabletools.roles.role import Record

__all__ = ["MOST_WITHOUT_FRAME", "CaptureError", "NoFrames", "from_bytes", "from_capture"]

_PIECE = 1 << 16
MOST_WITHOUT_FRAME = 1 << 20
"""Bytes after which a stream without a frame is none of a table: 91 s at 115,200 baud."""


class Arriving(Protocol):
    """A binary stream that can return available bytes without waiting for more."""

    def read1(self, size: int, /) -> bytes: ...


class NoFrames(Exception):
    """A stream gave MOST_WITHOUT_FRAME bytes in a row that belong to no frame."""


def from_bytes(
    stream: Arriving, decoder: Decoder, *, is_endless: bool = False
) -> Iterator[Record]:
    """Return records of raw UART bytes.

    is_endless: it may never end, as standard input. Raises NoFrames then.
    """
    frames, rest = decoder.frames, 0
    for piece in iter(lambda: stream.read1(_PIECE), b""):
        yield from decoder.feed(piece)
        rest = rest + len(piece) if decoder.frames == frames else 0
        frames = decoder.frames
        if is_endless and rest >= MOST_WITHOUT_FRAME:
            raise NoFrames
    yield from decoder.finish()


def from_capture(
    stream: BinaryIO, table: Decoder, host: Decoder, *, commands: bool = False
) -> Iterator[Record]:
    """Return records of a capture file: those of the table and, with `commands`, of the host too.

    What is skipped of either direction is always included: a line may have lost its direction.

    A damaged line is a skipped record with reason "line"; its offset and length count bytes of
    the file, not of the link. Raises CaptureError when the file is no capture.
    """
    decoders = {FROM_TABLE: table, TO_TABLE: host}
    for item in Reader(stream):
        if isinstance(item, Damage):
            yield _damage(item)
            continue
        for record in decoders[item.direction].feed(item.data, item.t_us, item.offset):
            if commands or item.direction == FROM_TABLE or record["type"] == "skipped":
                yield record
    for decoder in decoders.values():
        yield from decoder.finish()


def _damage(item: Damage) -> Record:
    return {
        "type": "skipped",
        "offset": item.offset,
        "length": item.length,
        "reason": "line",
        "detail": f"line {item.line}: {item.what}",
        "line": item.line,
    }
