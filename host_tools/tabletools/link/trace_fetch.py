"""Fetches the trace of a round, piece by piece, without I/O.

One piece is requested at a time, so a trace occupies the line no longer than a record does.
"""

import struct
from binascii import crc32

from tabletools.link.conversation import ANSWERED, Conversation, Exchange, Request
from tablewire.crc import RESIDUE
from tablewire.messages import FETCH_TRACE
from tablewire.trace_file import HEAD, HEAD_BYTES, MAGIC

# After this much silence a piece is requested again; after so many tries the trace is given up.
AGAIN_S = 1.0
TRIES = 5


class Fetch:
    """The trace of one round of one table."""

    def __init__(self, conversation: Conversation, device: int, number: int) -> None:
        """conversation: with the table; its owner runs it."""
        self.device = device
        self.round = number
        # Complete once `done`; empty when the table has none.
        self.data = b""
        self.done = False
        # The table refused for now.
        self.refused = False
        self._conversation = conversation
        self._piece: Exchange | None = None

    def step(self) -> None:
        """Take the piece that came and request the next one."""
        piece = self._piece
        if piece is not None and piece.outcome is None:
            return
        self._piece = None
        if piece is not None and piece.answer is not None and piece.outcome == ANSWERED:
            _, _, total, data = piece.answer.values
            self._add(data, total)
        elif piece is not None:
            self.refused = True
        if not (self.done or self.refused):
            values = self.round, len(self.data)
            request = Request(FETCH_TRACE, values, again_s=AGAIN_S, tries=TRIES)
            self._piece = self._conversation.ask(request)

    def resume(self) -> None:
        """Go on where the table refused; the next step requests the next piece."""
        self.refused, self._piece = False, None

    def _add(self, piece: bytes, total: int) -> None:
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
