"""Records of integers stored in two copies, each with a sequence number and a CRC.

Layout: "TW", kind u8, count u8, sequence u32, count values i32, CRC-32 (seed 0), little endian.
The newer valid copy counts; a torn write leaves the older one.
"""

import struct

from .compat import const
from .crc import crc32

CONFIGURATION = const(1)
COUNTERS = const(2)
FAULTS = const(3)  # code and sensor of each active fault
KEY = const(4)  # number of the key, then its 32 bytes as eight integers

_HEAD = "<2sBBI"
_HEAD_BYTES = const(8)


def pack_slot(kind: int, sequence: int, values: "list | tuple") -> bytes:
    """One copy as bytes. values: 0..255 integers of 32 bits, signed."""
    end = _HEAD_BYTES + 4 * len(values)
    data = bytearray(end + 4)
    struct.pack_into(_HEAD, data, 0, b"TW", kind, len(values), sequence)
    for index in range(len(values)):
        struct.pack_into("<i", data, _HEAD_BYTES + 4 * index, values[index])
    struct.pack_into("<I", data, end, crc32(data[:end], 0))
    return bytes(data)


def unpack_slot(kind: int, data: bytes) -> "tuple | None":
    """(sequence, list of values) of one copy, or None when it is damaged or of another kind."""
    end = len(data) - 4
    if end < _HEAD_BYTES or crc32(data[:end], 0) != struct.unpack_from("<I", data, end)[0]:
        return None
    magic, stored_kind, count, sequence = struct.unpack_from(_HEAD, data, 0)
    if magic != b"TW" or stored_kind != kind or end != _HEAD_BYTES + 4 * count:
        return None
    return sequence, [struct.unpack_from("<i", data, _HEAD_BYTES + 4 * n)[0] for n in range(count)]


def newest(kind: int, copies: "list | tuple") -> "tuple | None":
    """The valid copy with the highest sequence as (sequence, values), or None.

    copies: the content of each slot, bytes, or None if it is empty.
    """
    best = None
    for data in copies:
        slot = unpack_slot(kind, data) if data is not None else None
        if slot is not None and (best is None or slot[0] > best[0]):
            best = slot
    return best
