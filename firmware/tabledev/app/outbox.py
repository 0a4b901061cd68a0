"""Durable records until the host has them: in order, repeated, never overwritten.

Stored in slots allocated at start, and on flash before they are sent. A record is header and
payload as packed; tag and CRC are computed at each sending (the flag `retransmitted`).
"""

from array import array
from struct import pack, unpack_from

from tablelogic.core.ticks import diff
from tablewire.codec import CRC_BYTES, HEADER_BYTES
from tablewire.compat import const
from tablewire.crc import RESIDUE, crc32, seal
from tablewire.messages import BETS_CLOSED, FLAG_RETRANSMITTED, ROUND_ENDS, ROUND_OPENED

if -0:  # for mypy
    from typing import Any

    from tabletypes import Flash

SLOTS = const(32)
# The longest durable message has 52 bytes with its header; a later minor version may append more.
SLOT_BYTES = const(56)
_REPEAT_MS = const(2000)
_TYPE_AT = const(1)  # offsets in a record
_FLAGS_AT = const(2)
_BOOT_AT = const(9)  # boot and counter, four bytes each
_ROUND_AT = const(21)
_NO_NAME = b"\xff" * 17  # behind a file too short to have one: it is newer than any record
_SENT = const(1)
_RESTORED = const(2)  # on flash at boot, not sent since
_STALE = const(3)  # acknowledged, and still on flash


class Journal:
    """One small file per record on flash, which a power cut at any byte cannot confuse.

    File "record.N" contains slot N of the outbox: header and payload as packed, then their CRC-32
    (seed 0, little endian). An empty or missing file is a free slot. A file is written only while
    its slot is free, and emptied when the record was acknowledged: nothing else is ever rewritten.
    A file neither empty nor valid was being written at a power cut, which leaves one at most;
    unless it was bets_closed, it was never sent. Or it was damaged later.

    flash: see hal. torn: (boot, counter) of each file neither empty nor valid.
    """

    def __init__(self, flash: "Flash") -> None:
        self.flash = flash
        self.torn: "list[tuple[int, int]]" = []

    def read(self, slot: int) -> "bytes | None":
        """Return the record of a slot, None when it is free, nothing when it is torn."""
        data = self.flash.read("record.%d" % slot)
        if not data:
            return None
        end = len(data) - CRC_BYTES
        if HEADER_BYTES <= end <= SLOT_BYTES and crc32(data, 0) == RESIDUE:
            return data[:end]
        self.torn.append(unpack_from("<II", data + _NO_NAME, _BOOT_AT))
        return b""

    def sealed(self, slot: int, buf: bytearray, length: int) -> "tuple[str, memoryview]":
        """Name and content of the file for the record in buf[1:1 + length], to be written
        into a free slot; it is safe when the flash has it.

        buf has room for the CRC after the record.
        """
        seal(buf, length, 0, 0)
        return "record.%d" % slot, memoryview(buf)[1 : 1 + length + CRC_BYTES]

    def clear(self, slot: int) -> None:
        """Free the slot of an acknowledged record."""
        self.flash.write("record.%d" % slot, b"")


class Outbox:
    """A ring of records; waiting: not acknowledged; unsent: of this boot, never sent."""

    def __init__(self, journal: "Journal") -> None:
        self.waiting = 0
        self.unsent = 0
        self._journal = journal
        self._data = bytearray(SLOTS * SLOT_BYTES)
        self._length = bytearray(SLOTS)  # 0: acknowledged or never used
        self._sent_ms = array("i", bytes(4 * SLOTS))
        self._sent = bytearray(SLOTS)  # 0 never, else as above
        self._head = 0  # the oldest record
        self._stale = 0  # slots to be swept
        self._used = 0  # slots from the head on, including free ones between others

    def restore(self) -> int:
        """Take over the records of the journal: sent again, oldest first, before anything new.

        Returns how many were damaged, 0 where the only torn file may be that of a power cut. Torn
        ones are swept.
        """
        oldest, newest = None, ()
        for slot in range(SLOTS):
            data = self._journal.read(slot)
            if data is None:
                continue
            if not data:
                self._sent[slot] = _STALE
                self._stale += 1
                continue
            self._data[slot * SLOT_BYTES : slot * SLOT_BYTES + len(data)] = data
            self._length[slot], self._sent[slot] = len(data), _RESTORED
            self.waiting += 1
            name = unpack_from("<II", data, _BOOT_AT)
            if oldest is None or name < oldest:
                oldest, self._head = name, slot
            newest = max(newest, name)
        for index in range(SLOTS):
            if self._length[(self._head + index) % SLOTS]:
                self._used = index + 1
        torn = self._journal.torn
        return len(torn) if len(torn) > 1 or (torn and torn[0] < newest) else 0

    def repeat(self) -> None:
        """Send all waiting records again, flagged: higher counters may have been sent."""
        self.unsent = 0
        for slot in range(SLOTS):
            self._sent[slot] = _RESTORED if self._length[slot] else self._sent[slot]

    def newest(self, types: "tuple[int, ...]") -> "memoryview | None":
        """The newest record of one of the types, or None."""
        for index in range(self._used - 1, -1, -1):
            slot = (self._head + index) % SLOTS
            start, length = slot * SLOT_BYTES, self._length[slot]
            if length and self._data[start + _TYPE_AT] in types:
                return memoryview(self._data)[start : start + length]
        return None

    def last_round(self) -> "tuple[int, bool] | None":
        """(round, whether it is over) of the newest record of a round, or None."""
        data: "Any" = self.newest((ROUND_OPENED, BETS_CLOSED) + ROUND_ENDS)
        return data and (unpack_from("<I", data, _ROUND_AT)[0], data[_TYPE_AT] in ROUND_ENDS)

    def room(self) -> int:
        """Return how many more records fit."""
        return SLOTS - self._used

    def lasting_room(self) -> int:
        """Return how many fit after a power cut too: what is not swept yet is there again then."""
        count = 0
        while count < SLOTS - self._used:
            if self._sent[(self._head + self._used + count) % SLOTS] == _STALE:
                break
            count += 1
        return count

    def put(self, buf: bytearray, length: int, *, is_saved: bool = True) -> bool:
        """Store the record in buf[1:1 + length], length 1..56; False when there is no room.

        is_saved: on flash, too; otherwise save() follows.
        """
        if self._used == SLOTS or length > SLOT_BYTES:
            return False
        slot = (self._head + self._used) % SLOTS
        if is_saved:
            journal = self._journal
            # From here, not from a method of it: this is where least of the stack is left.
            name, data = journal.sealed(slot, buf, length)
            journal.flash.write(name, data)
        start = slot * SLOT_BYTES - 1
        for index in range(1, length + 1):
            self._data[start + index] = buf[index]
        self._length[slot] = length
        if self._sent[slot] == _STALE:
            self._stale -= 1
        self._sent[slot] = 0
        self._used += 1
        self.waiting += 1
        self.unsent += 1
        return True

    def save(self, buf: bytearray) -> None:
        """Write the newest record to flash; buf: as for put, of any content."""
        slot = (self._head + self._used - 1) % SLOTS
        start, length = slot * SLOT_BYTES, self._length[slot]
        buf[1 : 1 + length] = memoryview(self._data)[start : start + length]
        journal = self._journal
        name, data = journal.sealed(slot, buf, length)
        journal.flash.write(name, data)

    def due(self, now_ms: int) -> int:
        """The slot to send now, or -1: those not sent since boot, then those sent 2 s ago."""
        repeat = -1
        for index in range(self._used):
            slot = (self._head + index) % SLOTS
            if not self._length[slot]:
                continue
            if self._sent[slot] != _SENT:
                return slot
            if repeat < 0 and diff(now_ms, self._sent_ms[slot]) >= _REPEAT_MS:
                repeat = slot
        return repeat

    def load(self, slot: int, buf: bytearray, now_ms: int) -> int:
        """Copy a record to buf[1:] as it is sent now; returns its length."""
        length = self._length[slot]
        start = slot * SLOT_BYTES - 1
        for index in range(1, length + 1):
            buf[index] = self._data[start + index]
        if self._sent[slot]:
            buf[1 + _FLAGS_AT] |= FLAG_RETRANSMITTED
        else:
            self.unsent -= 1
        self._sent[slot] = _SENT
        self._sent_ms[slot] = now_ms
        return length

    def acknowledge(self, boot: int, counter: int) -> bool:
        """Note an acknowledged record. False when no such record waits."""
        name = pack("<II", boot, counter)
        for index in range(self._used):
            slot = (self._head + index) % SLOTS
            start = slot * SLOT_BYTES + _BOOT_AT
            if not self._length[slot] or self._data[start + 4] != name[4]:
                continue
            if self._data[start : start + 8] == name:  # a slice is garbage: compared last
                self.unsent -= not self._sent[slot]
                self._length[slot] = 0
                self._sent[slot] = _STALE
                self._stale += 1
                self.waiting -= 1
                while self._used and not self._length[self._head]:
                    self._head = (self._head + 1) % SLOTS
                    self._used -= 1
                return True
        return False

    def sweep(self) -> None:
        """Free the flash of one acknowledged record; until then it is sent again after a boot."""
        if not self._stale:
            return
        for slot in range(SLOTS):
            if self._sent[slot] == _STALE:
                self._journal.clear(slot)
                self._sent[slot] = 0
                self._stale -= 1
                return
