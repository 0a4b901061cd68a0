"""Header and checksum of a trace: its round, its firmware, and that it is complete.

Layout: HEAD, then the output of tablelogic.core.engine, then CRC-32 (seed 0, little endian).
"""

import struct

from .compat import const
from .crc import crc32

MAGIC = b"TWTR"
FORMAT = const(1)
# magic, format, firmware major, minor, patch, device, boot, round, schema
HEAD = "<4sBBBBIIII"
HEAD_BYTES = const(24)
TRACE_BYTES = const(8192)  # at most; also the memory of a controller for it


def seal(buf: bytearray, length: int, firmware: tuple, identity: tuple) -> int:
    """Fill the head of buf[:length] and append the CRC; returns the length with it.

    firmware: (major, minor, patch); identity: (device, boot, round, schema
    of the role).
    """
    struct.pack_into(HEAD, buf, 0, MAGIC, FORMAT, *firmware, *identity)
    struct.pack_into("<I", buf, length, crc32(memoryview(buf)[:length], 0))
    return length + 4
