"""Received messages by table: checked unpacking. The tables are generated from tablespec."""

import struct

from .compat import const
from .crc import RESIDUE, crc32
from .messages import FINGERPRINT, FLAG_AUTHENTICATED, MESSAGES, VERSION

_HEADER = "<BBBIIIII"
HEADER_BYTES = const(23)
_TAG_BYTES = const(16)
CRC_BYTES = const(4)
_ALL_FLAGS = const(15)


class FrameError(ValueError):
    """A frame that is not sent or not believed. reason: one word of `REASONS`."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason + ": " + detail)
        self.reason = reason


# Why received bytes are skipped, in the order of the checks.
REASONS = (
    ("overlong", "no delimiter within 255 bytes"),
    ("truncated", "the stream ended before the delimiter"),
    ("cobs", "the stuffing does not end at the delimiter"),
    ("short", "fewer bytes than header and CRC need"),
    ("crc", "the CRC-32 does not match, or the sender runs another schema"),
    ("version", "the frame version is not ours"),
    ("type", "the message id is not known"),
    ("flags", "a flag bit is not known"),
    ("length", "the payload is shorter or longer than the message"),
    ("range", "a field is outside its range or enumeration"),
)


class Frame:
    """One believed frame. values: the payload's fields in wire order; tag: 16 bytes or None.

    offset, length: where it stood in the stream in bytes, delimiter included.
    """

    __slots__ = (
        "boot", "counter", "device", "flags", "length", "offset", "round", "tag", "type",
        "uptime_ms", "values",
    )  # fmt: skip

    def __init__(self, header: tuple, values: tuple, tag: "bytes | None") -> None:
        (
            _,
            self.type,
            self.flags,
            self.device,
            self.boot,
            self.counter,
            self.uptime_ms,
            self.round,
        ) = header
        self.values = values
        self.tag = tag
        self.offset = 0
        self.length = 0


def check_value(field: tuple, value: int) -> bool:
    """Whether a field's table entry allows `value`: in range, a member, or the unknown value."""
    _, _, low, high, unknown, members = field
    if value == unknown:
        return True
    if members:
        return value in members
    return low <= value <= high


def _limits(field: tuple) -> tuple:
    """(low, high, further values): what `check_value` allows, in the form quickest to test."""
    _, letter, low, high, unknown, members = field
    if letter[-1] == "s":
        return b"", b"\xff" * 17, ()
    further = list(members)
    if unknown is not None:
        further.append(unknown)
    if not members:
        return low, high, tuple(further)
    low, high = min(further), max(further)
    if len(further) == high - low + 1:
        return low, high, ()
    return 1, 0, tuple(further)


def _layouts() -> dict:
    """type: (payload bytes, format, limits of each field)."""
    found = {}
    for ident, (_, layout, fields) in MESSAGES.items():
        limits = []
        for field in fields:
            limits.append(_limits(field))
        found[ident] = (struct.calcsize(layout), layout, tuple(limits))
    return found


_LAYOUTS = _layouts()
_unpack = struct.unpack_from


def parse(body: "bytes | bytearray", seed: int = FINGERPRINT) -> Frame:
    """The frame from header to CRC. Raises FrameError naming the first check it fails."""
    length = len(body) - HEADER_BYTES - CRC_BYTES
    if length < 0:
        raise FrameError("short", "%d bytes" % len(body))
    if crc32(body, seed) != RESIDUE:
        raise FrameError("crc", "over %d bytes" % (len(body) - CRC_BYTES))
    header = _unpack(_HEADER, body)
    if header[0] != VERSION:
        raise FrameError("version", "%d is not %d" % (header[0], VERSION))
    entry = _LAYOUTS.get(header[1])
    if entry is None:
        raise FrameError("type", "0x%02x" % header[1])
    flags = header[2]
    if flags > _ALL_FLAGS:
        raise FrameError("flags", "0x%02x" % flags)
    tag = None
    if flags & FLAG_AUTHENTICATED:
        length -= _TAG_BYTES
        tag = bytes(body[-_TAG_BYTES - CRC_BYTES : -CRC_BYTES])
    if length != entry[0]:
        raise FrameError("length", "payload of %d bytes, not %d" % (length, entry[0]))
    values = _unpack(entry[1], body, HEADER_BYTES)
    for value, (low, high, further) in zip(values, entry[2]):
        if not low <= value <= high and value not in further:
            raise _out_of_range(header[1], values)
    return Frame(header, values, tag)


def _out_of_range(ident: int, values: tuple) -> FrameError:
    for field, value in zip(MESSAGES[ident][2], values):
        if field[1][-1] != "s" and not check_value(field, value):
            break
    return FrameError("range", "%s %d is outside %d..%d" % (field[0], value, field[2], field[3]))
