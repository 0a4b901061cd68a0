"""One record of integers in two flash files, so that a power cut at any byte leaves one good copy.

The newest valid copy counts. Knows the layout from tablewire.slots and no meaning of the values.
"""

from tablewire.slots import pack_slot, unpack_slot


class SlotPair:
    """The files name + ".0" and name + ".1" of one kind of record.

    kind: slots.CONFIGURATION or slots.COUNTERS; check(values) -> bool refuses a copy whose CRC is
    right and whose values are not. sequence: of the newest copy, 0 when there is none.
    """

    def __init__(self, flash: object, name: str, kind: int, check: object) -> None:
        self._flash = flash
        self._names = (name + ".0", name + ".1")
        self._kind = kind
        self._check = check
        self._newest = 1  # place of the newest copy: 0 or 1
        self.sequence = 0

    def load(self) -> "list | None":
        """The values of the newest valid copy, which then replaces the other one unless equal.

        None when neither is valid; then nothing is written.
        """
        copies = [self._read(0), self._read(1)]
        if copies[0] is None and copies[1] is None:
            return None
        best = 0
        if copies[0] is None or (copies[1] is not None and copies[1][0] > copies[0][0]):
            best = 1
        self._newest = best
        self.sequence, values = copies[best]
        if copies[1 - best] != copies[best]:
            self._write(1 - best, self.sequence, values)
        return values

    def save(self, values: list) -> None:
        """Write the next copy over the older one. The older values count until it is whole."""
        place = 1 - self._newest
        self._write(place, self.sequence + 1, values)
        self._newest = place
        self.sequence += 1

    def save_both(self, values: list) -> None:
        """Write both copies, one after the other: for what changes rarely and must not age."""
        self.save(values)
        self._write(1 - self._newest, self.sequence, values)

    def _read(self, place: int) -> "tuple | None":
        data = self._flash.read(self._names[place])
        slot = unpack_slot(self._kind, data) if data else None
        return slot if slot is not None and self._check(slot[1]) else None

    def _write(self, place: int, sequence: int, values: list) -> None:
        self._flash.write(self._names[place], pack_slot(self._kind, sequence, values))
