"""Received messages by table: checked unpacking. The table is generated from tablespec."""

import struct

from .compat import const
from .crc import RESIDUE, crc32
from .layouts import LAYOUTS
from .messages import FINGERPRINT, FLAG_AUTHENTICATED, VERSION

_HEADER = "<BBBIIIII"
HEADER_BYTES = const(23)
TAG_BYTES = const(16)
CRC_BYTES = const(4)
_ALL_FLAGS = const(15)


class FrameError(ValueError):
    """A frame that is not sent or not believed. reason: why, in the order of the checks:

    overlong: no delimiter within 255 bytes
    truncated: the stream ended before the delimiter
    cobs: the stuffing does not end at the delimiter
    short: fewer bytes than header and CRC need
    crc: the CRC-32 does not match, or the sender runs another schema
    version: the frame version is not ours
    type: the message id is not known
    flags: a flag bit is not known
    length: the payload is shorter or longer than the message
    device, session, unauthenticated, tag, replayed: refused by the receiver's own check
    range: a field is outside its range or enumeration

    frame: what is known of it, its header at least once the CRC was right, else None.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason + ": " + detail)
        self.reason = reason
        self.frame: "Frame | None" = None


class Frame:
    """One believed frame, filled by `parse`. values: the payload's fields in wire order.

    tag: 16 bytes or None. offset, length: where it stood in the stream in bytes, delimiter
    included. Without a constructor: calling one would be a tenth of the time of a frame.
    """

    __slots__ = (
        "boot", "counter", "device", "flags", "length", "offset", "round", "tag", "type",
        "uptime_ms", "values",
    )  # fmt: skip
    type: int
    flags: int
    device: int
    boot: int
    counter: int
    uptime_ms: int
    round: int
    values: tuple
    tag: "bytes | None"
    offset: int
    length: int


# type: check(values) as first_bad, for a host that has them compiled (tablewire.checks).
QUICKER: dict = {}
_KNOWN: dict = {}  # type: (payload bytes, struct format, quicker check or None), once received
_unpack = struct.unpack_from


def _learn(ident: int) -> tuple:
    if ident not in LAYOUTS:
        raise FrameError("type", "0x%02x" % ident)
    layout = "<" + LAYOUTS[ident][0].decode()
    _KNOWN[ident] = struct.calcsize(layout), layout, QUICKER.get(ident)
    return _KNOWN[ident]


def first_bad(ident: int, values: "list | tuple") -> int:
    """The place of the first value its field may not hold, or -1. ValueError: a wrong number."""
    layout = LAYOUTS[ident]
    if len(values) != len(layout) - 1:
        raise ValueError("%d values, not %d" % (len(values), len(layout) - 1))
    for place in range(len(values)):
        runs = layout[place + 1]
        if runs and not _is_in(runs, values[place]):
            return place
    return -1


def _is_in(runs: tuple, value: int) -> bool:
    for at in range(0, len(runs), 2):
        if runs[at] <= value <= runs[at + 1]:
            return True
    return False


def parse(
    body: "bytes | bytearray", seed: int = FINGERPRINT, offset: int = 0, verify: object = None
) -> Frame:
    """The frame from header to CRC. Raises FrameError naming the first check it fails.

    offset: where it stands in the stream. verify(frame, body): called for a frame of the right
    length, before its values are looked at; it may raise FrameError.
    """
    length = len(body) - HEADER_BYTES - CRC_BYTES
    if length < 0:
        raise FrameError("short", "%d bytes" % len(body))
    if crc32(body, seed) != RESIDUE:
        raise FrameError("crc", "over %d bytes" % (len(body) - CRC_BYTES))
    frame = Frame()
    (
        version, ident, flags, frame.device, frame.boot, frame.counter, frame.uptime_ms,
        frame.round,
    ) = _unpack(_HEADER, body)  # fmt: skip
    frame.type = ident
    frame.flags = flags
    frame.offset = offset
    frame.length = len(body) + 2
    try:
        if version != VERSION:
            raise FrameError("version", "%d is not %d" % (version, VERSION))
        expected, layout, check = _KNOWN.get(ident) or _learn(ident)
        if flags > _ALL_FLAGS:
            raise FrameError("flags", "0x%02x" % flags)
        frame.tag = None
        if flags & FLAG_AUTHENTICATED:
            length -= TAG_BYTES
            frame.tag = bytes(body[-TAG_BYTES - CRC_BYTES : -CRC_BYTES])
        if length != expected:
            raise FrameError("length", "payload of %d bytes, not %d" % (length, expected))
        if verify is not None:
            verify(frame, body)  # type: ignore[operator]
        values = _unpack(layout, body, HEADER_BYTES)
        bad = check(values) if check is not None else first_bad(ident, values)
        if bad >= 0:
            raise out_of_range(ident, bad, values[bad])
    except FrameError as error:
        error.frame = frame
        raise
    frame.values = values
    return frame


def out_of_range(ident: int, place: int, value: int) -> FrameError:
    """The error for a field whose value its range or enumeration does not allow."""
    where = (ident, place + 1, value)
    return FrameError("range", "message 0x%02x field %d is %d: see PROTOCOL.md" % where)
