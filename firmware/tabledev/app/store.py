"""What outlives the power: configuration, boot counter, round number, the round left open.

Writes happen at boot, at the opening and at the end of a round and on a set configuration: never
between launch and result, where a flash erase could hold up the edges.
"""

from tablewire.compat import const
from tablewire.config import KEYS
from tablewire.slots import CONFIGURATION, COUNTERS

from .slot_pair import SlotPair

_BOOT = const(0)
_ROUND = const(1)
_OPEN = const(2)  # 1 from the opening of the round to its end
_SERIAL = const(3)  # serial given at provisioning as a signed 32-bit integer, 0 for none


def key_entry(number: int) -> "tuple | None":
    """(key, name, low, high, factory value) of a configuration key, None when there is no such."""
    return KEYS[number - 1] if 1 <= number <= len(KEYS) else None


def is_configuration(values: list) -> bool:
    """Whether these are values for every key, each in its range."""
    if len(values) != len(KEYS):
        return False
    for index in range(len(KEYS)):
        if not KEYS[index][2] <= values[index] <= KEYS[index][3]:
            return False
    return True


def _is_counters(values: list) -> bool:
    return len(values) == 4 and values[_BOOT] >= 1 and values[_ROUND] >= 0


class Store:
    """Loaded once at boot, which counts the boot.

    config: values by key number, config[0] unused; factory values while `configured` is False.
    boot: from 1. round: number of the last round opened, 0 for none. left_open: the round that
    was open when the power went, 0 for none.
    """

    def __init__(self, flash: object, serial: int) -> None:
        self._configuration = SlotPair(flash, "config", CONFIGURATION, is_configuration)
        self._counters = SlotPair(flash, "counters", COUNTERS, _is_counters)
        values = self._configuration.load()
        self.configured = values is not None
        self.config = [0] + (values or [key[4] for key in KEYS])
        self._values = self._counters.load() or [0, 0, 0, 0]
        self._values[_BOOT] += 1
        self._counters.save_both(self._values)
        self.boot = self._values[_BOOT]
        self.serial = self._values[_SERIAL] & 0xFFFFFFFF or serial
        self.left_open = self.round if self._values[_OPEN] else 0

    @property
    def round(self) -> int:
        """Number of the last round opened, 0 for none."""
        return self._values[_ROUND]

    def open_round(self) -> int:
        """Count a new round and mark it open; returns its number once that is safe."""
        self._values[_ROUND] += 1
        self._mark(1)
        return self._values[_ROUND]

    def close_round(self) -> None:
        """The round is over: a boot from now on does not void it."""
        if self._values[_OPEN]:
            self._mark(0)

    def set(self, number: int, value: int) -> int:
        """Store one value in range under its key, returns the one before.

        With no valid configuration this stores the factory values with this one changed.
        """
        previous = self.config[number]
        values = self.config[1:]
        values[number - 1] = value
        self._configuration.save_both(values)
        self.config[number] = value
        self.configured = True
        return previous

    def _mark(self, is_open: int) -> None:
        self._values[_OPEN] = is_open
        self._counters.save(self._values)
