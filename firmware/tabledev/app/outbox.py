"""Durable records until the host has them: in order, repeated, never overwritten.

Kept in slots set aside at start. A record is the frame's header and payload as packed; tag and
CRC are made anew each time it is sent, because the flag `retransmitted` changes them.
"""

from array import array

from tablelogic.ticks import diff
from tablewire.compat import const
from tablewire.messages import FLAG_RETRANSMITTED

SLOTS = const(32)
_SLOT_BYTES = const(64)
_REPEAT_MS = const(2000)
_FLAGS_AT = const(2)


class Outbox:
    """A ring of records. waiting: how many are not acknowledged; unsent: how many never went out.

    boot: the boot counter under which the records are sent; with the frame counter it names them.
    """

    def __init__(self, boot: int) -> None:
        self.waiting = 0
        self.unsent = 0
        self._boot = boot
        self._data = bytearray(SLOTS * _SLOT_BYTES)
        self._length = bytearray(SLOTS)  # 0: acknowledged or never used
        self._counter = array("i", bytes(4 * SLOTS))
        self._sent_ms = array("i", bytes(4 * SLOTS))
        self._sent = bytearray(SLOTS)  # 0 never, 1 sent
        self._head = 0  # the oldest record
        self._used = 0  # slots from the head on, acknowledged ones between others included

    def room(self) -> int:
        """Records that can still be put."""
        return SLOTS - self._used

    def put(self, buf: bytearray, length: int, counter: int) -> bool:
        """Keep the record in buf[1:1 + length], length 1..64; False when there is no room."""
        if self._used == SLOTS or length > _SLOT_BYTES:
            return False
        slot = (self._head + self._used) % SLOTS
        start = slot * _SLOT_BYTES - 1
        for index in range(1, length + 1):
            self._data[start + index] = buf[index]
        self._length[slot] = length
        self._counter[slot] = counter
        self._sent[slot] = 0
        self._used += 1
        self.waiting += 1
        self.unsent += 1
        return True

    def due(self, now_ms: int) -> int:
        """The slot to send now, or -1: first those never sent, then those sent 2 s ago."""
        if not self.waiting:
            return -1
        repeat = -1
        for index in range(self._used):
            slot = (self._head + index) % SLOTS
            if not self._length[slot]:
                continue
            if not self._sent[slot]:
                return slot
            if repeat < 0 and diff(now_ms, self._sent_ms[slot]) >= _REPEAT_MS:
                repeat = slot
        return repeat

    def load(self, slot: int, buf: bytearray, now_ms: int) -> int:
        """Copy a record to buf[1:] as it is sent now; returns its length."""
        length = self._length[slot]
        start = slot * _SLOT_BYTES - 1
        for index in range(1, length + 1):
            buf[index] = self._data[start + index]
        if self._sent[slot]:
            buf[1 + _FLAGS_AT] |= FLAG_RETRANSMITTED
        else:
            self._sent[slot] = 1
            self.unsent -= 1
        self._sent_ms[slot] = now_ms
        return length

    def acknowledge(self, boot: int, counter: int) -> bool:
        """The host has the record: forget it. False when no such record waits."""
        if boot != self._boot:
            return False
        for index in range(self._used):
            slot = (self._head + index) % SLOTS
            if self._length[slot] and self._counter[slot] == counter:
                self._length[slot] = 0
                self.waiting -= 1
                if not self._sent[slot]:
                    self.unsent -= 1
                self._release()
                return True
        return False

    def _release(self) -> None:
        while self._used and not self._length[self._head]:
            self._head = (self._head + 1) % SLOTS
            self._used -= 1
