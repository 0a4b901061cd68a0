"""Fetching the trace of a round, piece after piece, without I/O.

One question is under way at a time, so a trace takes the line no longer than a record does.
"""

import struct
from binascii import crc32

from tablewire.codec import Frame
from tablewire.crc import RESIDUE
from tablewire.messages import FETCH_TRACE, REFUSAL, TRACE_CHUNK
from tablewire.trace_file import HEAD, HEAD_BYTES, MAGIC

# After this much silence the question is asked again; after so many the trace is given up.
AGAIN_S = 1.0
TRIES = 5


class Fetch:
    """The trace of one round of one table.

    data: whole once `done`; empty when the table has none. refused: the table would not now.
    """

    def __init__(self, device: int, number: int) -> None:
        self.device = device
        self.round = number
        self.data = b""
        self.done = False
        self.refused = False
        self._tries = 0
        self._asked_at: float | None = None

    def question(self, now_s: float) -> tuple[int, int] | None:
        """The values of fetch_trace to send now, None while an answer may still come."""
        if self.done or self.refused:
            return None
        if self._asked_at is not None:
            if now_s - self._asked_at < AGAIN_S:
                return None
            self._tries += 1
            if self._tries >= TRIES:
                self.refused = True
                return None
        self._asked_at = now_s
        return self.round, len(self.data)

    def take(self, frame: Frame) -> None:
        """Look at a frame of the table: a piece, or the refusal of our question."""
        if frame.device != self.device:
            return
        if frame.type == REFUSAL and frame.values[0] == FETCH_TRACE:
            self.refused = True
        elif frame.type == TRACE_CHUNK:
            number, offset, total, piece = frame.values
            if number == self.round and offset == len(self.data):
                self._add(piece, total)

    def _add(self, piece: bytes, total: int) -> None:
        self._tries = 0
        self._asked_at = None
        self.data += piece[: total - len(self.data)]
        if len(self.data) < total:
            return
        self.done = not self.data or self._is_ours()
        if not self.done:  # another round took its place on the way
            self.data = b""
            self.refused = True

    def _is_ours(self) -> bool:
        if len(self.data) < HEAD_BYTES or crc32(self.data) != RESIDUE:
            return False
        head = struct.unpack_from(HEAD, self.data)
        return (head[0], head[5], head[7]) == (MAGIC, self.device, self.round)
