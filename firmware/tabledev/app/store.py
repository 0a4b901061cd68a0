"""Persistent values: configuration, boot counter, round number, open round, faults.

Each is stored in two copies. Writes happen at boot, at opening and end of a round, when a fault
comes or goes and on a set configuration: never in a good spin, where they could delay edges.
"""

from struct import unpack

from tablewire.codec import CRC_BYTES
from tablewire.codes import MEMORY_DAMAGED
from tablewire.compat import const
from tablewire.crc import RESIDUE, crc32
from tablewire.messages import UNKNOWN_U8
from tablewire.settings import completed, factory, is_valid
from tablewire.slots import CONFIGURATION, COUNTERS, FAULTS, pack_slot, unpack_slot

from .version import RELEASE

if -0:  # for mypy
    from collections.abc import Callable
    from typing import Any

    from tabletypes import Flash, Random, Values

_BOOT = const(0)
_ROUND = const(1)
_OPEN = const(2)  # 1 from the opening of the round to its end
_SERIAL = const(3)  # serial set at provisioning as a signed 32-bit integer, 0 for none
_RELEASE = const(4)  # highest that ever ran here; records from before releases lack it
# If the counters are lost, boot and round continue from here plus a random number: no repeats.
_LOST = const(0x20000000)


def _is_configuration(values: "Values") -> bool:
    return is_valid(completed(values))


def _is_counters(values: "Values") -> bool:
    return 4 <= len(values) <= 5 and values[_BOOT] >= 1 and values[_ROUND] >= 0


class SlotPair:
    """One record of integers in two files, so that a power cut at any byte leaves one good copy.

    The newest valid copy counts. The files are name + ".0" and name + ".1", written in turns: one
    whose writing was refused comes first at the next.

    kind: slots.CONFIGURATION, COUNTERS, FAULTS or KEY; check(values) -> bool refuses a copy with a
    valid CRC and invalid values. copies: files that existed at load(), 0..2.
    sequence: of the newest copy, 0 when there is none.
    """

    def __init__(
        self, flash: "Flash", name: str, kind: int, check: "Callable[[list[int]], bool]"
    ) -> None:
        self._flash = flash
        self._names = (name + ".0", name + ".1")
        self._kind = kind
        self._check = check
        self.sequence = 0
        self._seal = b""  # its CRC
        self.copies = 0

    def load(self) -> "list[int] | None":
        """The values of the newest valid copy, which then replaces the other one unless equal.

        None when neither is valid; then nothing is written.
        """
        files: "list[Any]" = [self._flash.read(name) for name in self._names]
        self.copies = 2 - files.count(None)
        copies: "list[Any]" = [self._unpacked(data) for data in files]
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

    def save(self, values: "Values") -> None:
        """Write the next copy to both files; the older values count until one is complete."""
        data = pack_slot(self._kind, self.sequence + 1, values)
        first, second = self._names
        self._flash.write(first, data)
        self.sequence += 1
        self._seal = data[-CRC_BYTES:]
        self._names = second, first
        self._flash.write(second, data)

    def verify(self) -> bool:
        """Whether a copy still has the values saved last; it then replaces a bad other one."""
        first, second = self._names
        good = self._good(first)
        if self._good(second):
            return good or self._repair(second, first)
        return good and self._repair(first, second)

    def _good(self, name: str) -> bool:
        data: "Any" = self._flash.read(name)
        return bool(data) and crc32(data, 0) == RESIDUE and data[-CRC_BYTES:] == self._seal

    def _repair(self, source: str, target: str) -> bool:
        # The caller has just read it.
        self._flash.write(target, self._flash.read(source))  # type: ignore[arg-type]
        return self._good(target)

    def _unpacked(self, data: "bytes | None") -> "tuple[int, list[int]] | None":
        slot = unpack_slot(self._kind, data) if data else None
        return slot if slot is not None and self._check(slot[1]) else None


class Store:
    """Loaded once at boot; counts the boot.

    config: values by key number, config[0] unused; factory values while `configured` is False.
    boot: from 1. faults: code and sensor of each active fault, one after the other.
    highest: highest release that ever ran here, including this one.
    damaged: at boot no copy of counters or faults was good on a board that had them; random(n)
    then gives n bytes. orphan: after settle() the round that was open when the counters were
    lost, if the journal knows it, else 0.
    """

    def __init__(self, flash: "Flash", serial: int, random: "Random") -> None:
        self._configuration = SlotPair(flash, "config", CONFIGURATION, _is_configuration)
        self._counters = SlotPair(flash, "counters", COUNTERS, _is_counters)
        self._fault_slots = SlotPair(flash, "faults", FAULTS, lambda pairs: not len(pairs) & 1)
        values = self._configuration.load()
        self.configured = values is not None
        self.config = factory() if values is None else completed(values)
        counters = self._counters.load()
        faults = self._fault_slots.load()
        # One torn file and no other: a power cut at the very first boot.
        self.damaged = faults is None and self._fault_slots.copies == 2
        if counters is None and (self._counters.copies == 2 or self._fault_slots.copies):
            self.damaged = True
            counters = [_LOST + (n >> 3) for n in unpack("<II", random(8))] + [0, 0]
        self._is_new = faults is None
        self.faults = faults or []
        self.orphan = 0
        self._values = ((counters or [0, 0, 0, 0]) + [0])[: _RELEASE + 1]
        self.highest = self._values[_RELEASE] = max(self._values[_RELEASE], RELEASE)
        self._values[_BOOT] += 1
        self.boot = self._values[_BOOT]
        self.serial = self._values[_SERIAL] & 0xFFFFFFFF or serial

    @property
    def round(self) -> int:
        """Number of the last round opened, 0 for none."""
        return self._values[_ROUND]

    @property
    def is_open(self) -> bool:
        """Whether that round has not ended yet."""
        return self._values[_OPEN] == 1

    def settle(self, last: "tuple[int, bool] | None", *, damaged: bool) -> None:
        """Count the boot, with newer values of the journal; nothing may be sent before.

        last: outbox.last_round(), written before the counters. damaged: something is lost; the
        lock is on flash before the counters are valid again.
        """
        # The round before a loss in this boot, or in one that was cut. One since then may lack its
        # end in the journal because the host has it.
        if last is not None and not last[1] and last[0] < self.round >= _LOST:
            if self.damaged or last[0] < _LOST:
                self.orphan = last[0]
        elif last is not None and last[0] > self.round:
            self._values[_ROUND], self._values[_OPEN] = last[0], 0 if last[1] else 1
        elif last is not None and last[0] == self.round and last[1]:
            self._values[_OPEN] = 0
        if damaged and MEMORY_DAMAGED not in self.faults[::2]:
            faults = list(self.faults)
            faults += (MEMORY_DAMAGED, UNKNOWN_U8)
            self.keep_faults(faults)
        self._counters.save(self._values)
        if self._is_new and not self.faults:
            self._fault_slots.save(self.faults)

    def open_round(self) -> None:
        """Start a new round: it has its number at once, on flash after save_round()."""
        self._values[_ROUND] += 1
        self._values[_OPEN] = 1

    def close_round(self) -> None:
        """End the round: after save_round() a boot does not void it."""
        self._values[_OPEN] = 0

    def save_round(self) -> None:
        """Write the counters of the round to flash."""
        self._counters.save(self._values)

    def rename(self, serial: int) -> None:
        """Set another serial number, 1..2^32-1, and write it to flash."""
        self._values[_SERIAL] = serial - 0x100000000 if serial > 0x7FFFFFFF else serial
        self.save_round()
        self.serial = serial

    def keep_faults(self, faults: "list[int]") -> None:
        """Write the active faults, if they changed."""
        if faults != self.faults:
            self._fault_slots.save(faults)
            self.faults = faults

    @property
    def revision(self) -> int:
        """How often a configuration was stored; each has one of these numbers."""
        return self._configuration.sequence

    def revise(self, revision: int) -> None:
        """Continue from the revision of a configuration that is lost."""
        self._configuration.sequence = revision

    def replace(self, values: "list[int]") -> None:
        """Store values for every key, as in `config`, and keep the list: in force from now on."""
        self._configuration.save(values[1:])
        self.config = values
        self.configured = True

    def verify(self, place: int) -> bool:
        """Whether counters 0, faults 1, configuration 2 have a good copy; it repairs the other."""
        if place == 2 and not self.configured:
            return True
        return (self._counters, self._fault_slots, self._configuration)[place].verify()

    def rewrite(self) -> None:
        """Write everything again, from memory."""
        self._counters.save(self._values)
        self._fault_slots.save(self.faults)
        if self.configured:
            self._configuration.save(self.config[1:])
