"""One record of integers in two flash files, so that a power cut at any byte leaves one good copy.

The newest valid copy counts. Knows the layout from tablewire.slots and no meaning of the values.
"""

from tablewire.codec import CRC_BYTES
from tablewire.crc import RESIDUE, crc32
from tablewire.slots import pack_slot, unpack_slot


class SlotPair:
    """The files name + ".0" and name + ".1" of one kind of record, always written in this order.

    kind: slots.CONFIGURATION, COUNTERS, FAULTS or KEY; check(values) -> bool refuses a copy whose
    CRC is right and whose values are not. found: files that were there at load(), 0..2.
    sequence: of the newest copy, 0 when there is none.
    """

    def __init__(self, flash: object, name: str, kind: int, check: object) -> None:
        self._flash = flash
        self._names = (name + ".0", name + ".1")
        self._kind = kind
        self._check = check
        self.sequence = 0
        self._seal = b""  # its CRC
        self.found = 0

    def load(self) -> "list | None":
        """The values of the newest valid copy, which then replaces the other one unless equal.

        None when neither is valid; then nothing is written.
        """
        files = [self._flash.read(name) for name in self._names]
        self.found = 2 - files.count(None)
        copies = [self._unpacked(data) for data in files]
        if copies[0] is None and copies[1] is None:
            return None
        best = 0
        if copies[0] is None or (copies[1] is not None and copies[1][0] > copies[0][0]):
            best = 1
        self.sequence, values = copies[best]
        self._seal = files[best][-CRC_BYTES:]
        if files[0] != files[1]:
            self._flash.write(self._names[1 - best], files[best])
        return values

    def save(self, values: list) -> None:
        """Write the next copy to both files; the older values count until the first is whole."""
        data = pack_slot(self._kind, self.sequence + 1, values)
        first, second = self._names
        self._flash.write(first, data)
        self.sequence += 1
        self._seal = data[-CRC_BYTES:]
        self._flash.write(second, data)

    def verify(self) -> bool:
        """Whether a copy still holds what was saved last; it then replaces a bad other one."""
        first, second = self._names
        good = self._good(first)
        if self._good(second):
            return good or self._repair(second, first)
        return good and self._repair(first, second)

    def _good(self, name: str) -> bool:
        data = self._flash.read(name)
        return bool(data) and crc32(data, 0) == RESIDUE and data[-CRC_BYTES:] == self._seal

    def _repair(self, source: str, target: str) -> bool:
        self._flash.write(target, self._flash.read(source))
        return self._good(target)

    def _unpacked(self, data: "bytes | None") -> "tuple | None":
        slot = unpack_slot(self._kind, data) if data else None
        return slot if slot is not None and self._check(slot[1]) else None
