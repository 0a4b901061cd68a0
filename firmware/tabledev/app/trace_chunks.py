"""Sends a stored trace to the host, in chunks; in memory only once one was fetched."""

import struct

from tablewire.compat import const
from tablewire.crc import RESIDUE, crc32
from tablewire.messages import TRACE_CHUNK
from tablewire.trace_file import HEAD, HEAD_BYTES, MAGIC

if -0:  # for mypy
    from tabletypes import Flash

    from .transmitter import Transmitter

CHUNK_BYTES = const(192)


class TraceChunks:
    """The trace of one round. flash: see hal; serial: of the board; transmitter: of the table.

    name: of the file; number: of the round.
    """

    def __init__(
        self, flash: "Flash", serial: int, transmitter: "Transmitter", name: str, number: int
    ) -> None:
        self._flash = flash
        self._serial = serial
        self._transmitter = transmitter
        self._name = name
        self._number = number
        self._total = self._size()  # bytes of the trace, 0 when there is none

    def send(self, offset: int) -> None:
        """Send a chunk; with a total of 0 when there is no trace."""
        data = b""
        if offset < self._total:
            data = self._flash.part(self._name, offset, CHUNK_BYTES)
        self._transmitter.send_volatile(TRACE_CHUNK, [self._number, offset, self._total, data])

    def is_of(self, number: int) -> bool:
        """Whether these are of that round."""
        return number == self._number

    def _size(self) -> int:
        # In parts, because a whole trace is more than the heap has free.
        crc = total = 0
        while True:
            data = self._flash.part(self._name, total, CHUNK_BYTES)
            if not total and not self._is_whole_head(data):
                return 0
            if not data:
                return total if crc == RESIDUE else 0
            crc = crc32(data, crc)
            total += len(data)

    def _is_whole_head(self, data: bytes) -> bool:
        if len(data) < HEAD_BYTES:
            return False
        head = struct.unpack_from(HEAD, data, 0)
        return head[0] == MAGIC and head[5] == self._serial and head[7] == self._number
