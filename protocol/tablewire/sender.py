"""Sent messages by table: range-checked packing, sealing and stuffing, without allocating.

Knows no port, clock or round.
"""

import struct

from .cobs import MAX_BODY, stuff
from .codec import CRC_BYTES, HEADER_BYTES, TAG_BYTES, first_bad, out_of_range
from .compat import const
from .crc import seal
from .layouts import LAYOUTS
from .messages import FLAG_AUTHENTICATED, FLAG_TEST_MODE, MINOR, SEED, UNKNOWN_U16, VERSION

_FLAGS_AT = const(2)  # in the header
# Letter of a field's type: format of one such field, its size in bytes.
_ONE = {66: ("<B", 1), 72: ("<H", 2), 73: ("<I", 4), 98: ("<b", 1), 105: ("<i", 4)}
_ZERO = const(48)
_NINE = const(57)
_RAW = const(115)  # "s", after the digits of its length


class Sender:
    """Builds frames of one end of a link into its own buffer, without allocating.

    device: serial of the controller, boot: its boot counter (both ends name the same two). role:
    of the table, 0 for a host. counter rises by one per frame; uptime is stored in 16-bit halves
    because 32 bits would allocate. echo, echo_ms: what was received last and how long ago. mac:
    seal.Mac that tags frames closed from now on, None for untagged ones; a tag allocates.
    """

    def __init__(self, device: int, boot: int, seed: int = SEED) -> None:
        self.device = device
        self.boot = boot
        self.role = 0
        self.round = 0
        self.counter = 0
        self.uptime_low = 0
        self.uptime_high = 0
        self.echo = 0
        self.echo_ms = UNKNOWN_U16
        self.test_mode = False
        self.mac: object = None
        self.buf = bytearray(MAX_BODY + 2)
        self._seed_low = seed & 0xFFFF
        self._seed_high = seed >> 16

    def advance(self, elapsed_ms: int) -> None:
        """Advance the sender's clock by 0..65535 ms; it wraps at 2^32 ms."""
        low = self.uptime_low + elapsed_ms
        self.uptime_low = low & 0xFFFF
        self.uptime_high = (self.uptime_high + (low >> 16)) & 0xFFFF
        self.echo_ms = min(self.echo_ms + elapsed_ms, UNKNOWN_U16)

    def set_echo(self, echo: int) -> None:
        """Echo this from now on: it has just arrived."""
        self.echo = echo
        self.echo_ms = 0

    def pack(self, ident: int, values: "list | tuple", flags: int = 0) -> int:
        """Write header and payload to buf[1:]; returns their length. Raises FrameError("range").

        values: as many as the message has fields.
        """
        bad = first_bad(ident, values)
        if bad >= 0:
            raise out_of_range(ident, bad, values[bad])
        buf = self.buf
        if self.test_mode:
            flags |= FLAG_TEST_MODE
        self.counter += 1
        struct.pack_into("<BBBBB", buf, 1, VERSION, ident, flags, MINOR, self.role)
        struct.pack_into("<III", buf, 6, self.device, self.boot, self.counter)
        struct.pack_into("<HHI", buf, 18, self.uptime_low, self.uptime_high, self.round)
        struct.pack_into("<IH", buf, 26, self.echo, self.echo_ms)
        place = 1 + HEADER_BYTES
        index = length = 0
        for letter in LAYOUTS[ident][0]:
            if letter <= _NINE:
                length = length * 10 + letter - _ZERO
                continue
            if letter == _RAW:
                place = self._pack_bytes(place, values[index], length)
                length = 0
            else:
                layout, size = _ONE[letter]
                struct.pack_into(layout, buf, place, values[index])
                place += size
            index += 1
        return place - 1

    def _pack_bytes(self, place: int, value: bytes, length: int) -> int:
        for index in range(length):
            self.buf[place + index] = value[index] if index < len(value) else 0
        return place + length

    def close(self, length: int) -> int:
        """Seal and stuff the body in buf[1:1 + length]; returns the length of the frame in buf."""
        if self.mac is not None:
            length = self._tag(length)
        seal(self.buf, length, self._seed_low, self._seed_high)
        return stuff(self.buf, length + CRC_BYTES)

    def _tag(self, length: int) -> int:
        buf = self.buf
        buf[1 + _FLAGS_AT] |= FLAG_AUTHENTICATED
        end = 1 + length
        digest = self.mac.digest(memoryview(buf)[1:end])  # type: ignore[attr-defined]
        buf[end : end + TAG_BYTES] = digest[:TAG_BYTES]
        return length + TAG_BYTES

    def build(self, ident: int, values: "list | tuple" = (), flags: int = 0) -> bytes:
        """Return one whole frame as new bytes, for an end that may allocate."""
        length = self.close(self.pack(ident, values, flags))
        return bytes(self.buf[:length])
