"""Durable records on flash: one small file a record, which a power cut at any byte cannot confuse.

File "record.N" holds slot N of the outbox: header and payload as packed, then their CRC-32 (seed
0, little endian). An empty or missing file is a free slot. A file is written only while its slot
is free, and emptied when the record was acknowledged: nothing else is ever rewritten. What is
neither empty nor valid was being written when the power went; nobody has heard of it.
"""

from tablewire.codec import CRC_BYTES, HEADER_BYTES
from tablewire.compat import const
from tablewire.crc import RESIDUE, crc32, seal

# The longest durable message has 52 bytes with its header; a later minor version may append more.
SLOT_BYTES = const(64)


class Journal:
    """flash: see hal. torn: files neither empty nor valid; a power cut leaves one at most."""

    def __init__(self, flash: object) -> None:
        self._flash = flash
        self.torn = 0

    def read(self, slot: int) -> "bytes | None":
        """The record of a slot, or None when it is free; what is torn is emptied."""
        data = self._flash.read("record.%d" % slot)
        if not data:
            return None
        end = len(data) - CRC_BYTES
        if HEADER_BYTES <= end <= SLOT_BYTES and crc32(data, 0) == RESIDUE:
            return data[:end]
        self.torn += 1
        self.clear(slot)
        return None

    def write(self, slot: int, buf: bytearray, length: int) -> None:
        """Put the record in buf[1:1 + length] into a free slot; it is safe when this returns.

        buf has room for the CRC behind the record.
        """
        seal(buf, length, 0, 0)
        self._flash.write("record.%d" % slot, memoryview(buf)[1 : 1 + length + CRC_BYTES])

    def clear(self, slot: int) -> None:
        """The record is acknowledged: free its slot."""
        self._flash.write("record.%d" % slot, b"")
