"""Messages by table: range-checked packing of sent frames, checked unpacking of received ones.

The tables are generated from tablespec. Nothing here knows a port, a clock or a round.
"""

import struct

from .cobs import MAX_BODY, stuff
from .compat import const
from .crc import crc32, seal
from .messages import FINGERPRINT, FLAG_AUTHENTICATED, FLAG_TEST_MODE, MESSAGES, VERSION

_HEADER = "<BBBIIIII"
_HEADER_BYTES = const(23)
_TAG_BYTES = const(16)
_CRC_BYTES = const(4)
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
        _, self.type, self.flags, self.device, self.boot = header[:5]
        self.counter, self.uptime_ms, self.round = header[5:]
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


def _layouts() -> dict:
    """type: (payload bytes, format, fields that can be out of range)."""
    found = {}
    for ident, (_, layout, fields) in MESSAGES.items():
        limits = []
        for place, field in enumerate(fields):
            if field[1][-1] != "s":
                limits.append((place, field[2], field[3], field[4], field[5]))
        found[ident] = (struct.calcsize(layout), layout, tuple(limits))
    return found


_LAYOUTS = _layouts()


def parse(body: "bytes | bytearray", seed: int = FINGERPRINT, start: int = 0) -> Frame:
    """The frame in body[start:], header to CRC. Raises FrameError naming the failed check."""
    end = len(body) - _CRC_BYTES
    if end - start < _HEADER_BYTES:
        raise FrameError("short", "%d bytes" % (end + _CRC_BYTES - start))
    if crc32(memoryview(body)[start:end], seed) != struct.unpack_from("<I", body, end)[0]:
        raise FrameError("crc", "over %d bytes" % (end - start))
    header = struct.unpack_from(_HEADER, body, start)
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
        end -= _TAG_BYTES
        tag = bytes(body[end : end + _TAG_BYTES])
    start += _HEADER_BYTES
    if end - start != entry[0]:
        raise FrameError("length", "payload of %d bytes, not %d" % (end - start, entry[0]))
    values = struct.unpack_from(entry[1], body, start)
    for place, low, high, unknown, members in entry[2]:
        value = values[place]
        if (value < low or value > high or (members and value not in members)) and (
            value != unknown
        ):
            name = MESSAGES[header[1]][2][place][0]
            raise FrameError("range", "%s %d is outside %d..%d" % (name, value, low, high))
    return Frame(header, values, tag)


class Sender:
    """Builds frames of one end of a link into its own buffer, without allocating.

    device: serial of the controller, boot: its boot counter (both ends name the same two).
    counter rises by one a frame; uptime is kept in 16-bit halves because 32 bits would allocate.
    """

    def __init__(self, device: int, boot: int, seed: int = FINGERPRINT) -> None:
        self.device = device
        self.boot = boot
        self.round = 0
        self.counter = 0
        self.uptime_low = 0
        self.uptime_high = 0
        self.test_mode = False
        self.buf = bytearray(MAX_BODY + 2)
        self._seed_low = seed & 0xFFFF
        self._seed_high = seed >> 16

    def advance(self, elapsed_ms: int) -> None:
        """Let the sender's clock run on by 0..65535 ms; it wraps at 2^32 ms."""
        low = self.uptime_low + elapsed_ms
        self.uptime_low = low & 0xFFFF
        self.uptime_high = (self.uptime_high + (low >> 16)) & 0xFFFF

    def pack(self, ident: int, values: "list | tuple", flags: int = 0) -> int:
        """Write header and payload to buf[1:]; returns their length. Raises FrameError("range").

        values: at least as many as the message has fields; more are not looked at.
        """
        buf = self.buf
        if self.test_mode:
            flags |= FLAG_TEST_MODE
        self.counter += 1
        struct.pack_into("<BBBII", buf, 1, VERSION, ident, flags, self.device, self.boot)
        struct.pack_into("<IHH", buf, 12, self.counter, self.uptime_low, self.uptime_high)
        struct.pack_into("<I", buf, 20, self.round)
        place = 1 + _HEADER_BYTES
        index = 0
        for field in MESSAGES[ident][2]:
            value = values[index]
            letter = field[1]
            if letter == "8s" or letter == "16s":
                place = self._pack_bytes(place, value, 8 if letter == "8s" else 16)
            elif not check_value(field, value):
                raise FrameError(
                    "range", "%s %d is outside %d..%d" % (field[0], value, field[2], field[3])
                )
            else:
                struct.pack_into(_ONE[letter], buf, place, value)
                place += _SIZE[letter]
            index += 1
        return place - 1

    def _pack_bytes(self, place: int, value: bytes, length: int) -> int:
        for index in range(length):
            self.buf[place + index] = value[index] if index < len(value) else 0
        return place + length

    def close(self, length: int) -> int:
        """Seal and stuff the body in buf[1:1 + length]; returns the length of the frame in buf."""
        seal(self.buf, length, self._seed_low, self._seed_high)
        return stuff(self.buf, length + _CRC_BYTES)

    def build(self, ident: int, values: "list | tuple" = (), flags: int = 0) -> bytes:
        """One whole frame as new bytes, for an end that may allocate."""
        length = self.close(self.pack(ident, values, flags))
        return bytes(self.buf[:length])


_ONE = {"B": "<B", "H": "<H", "I": "<I", "b": "<b", "i": "<i"}
_SIZE = {"B": 1, "H": 2, "I": 4, "b": 1, "i": 4}
