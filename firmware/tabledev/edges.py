"""The ring between interrupt and task: one producer, one consumer, nothing allocated.

Only the interrupt moves the head and counts lost edges; only the task moves the tail. Each index
is written last, in one store, so neither side ever sees half an entry.
"""

from array import array

from tablewire.compat import const

if -0:  # for mypy
    from collections.abc import Callable

    from tabletypes import Pin, TakeEdge

_HALF = const(0x20000000)


class EdgeRing:
    """Edges as (ticks_us, sensor * 2 + level), oldest first.

    An EdgeSource fills it.

    lost: edges that found the ring full since boot; they are dropped, the older ones stay.
    size: a power of two; the ring holds size - 1 edges.
    """

    def __init__(self, size: int = 256) -> None:
        if size < 2 or size & (size - 1):
            raise ValueError("ring size %d is not a power of two" % size)
        self.times = array("i", bytes(4 * size))
        self.codes = bytearray(size)
        self.lost = 0
        self.mask = size - 1
        self.head = 0  # next to fill, written by the interrupt only
        self.tail = 0  # next to take, written by the task only

    def drain(self, take: "TakeEdge", now_us: int) -> None:
        """Pass every edge up to now_us to take(sensor, level, ticks_us), in order of time.

        An edge later than now_us waits for the next call, so that actions of the caller at now_us
        are in their place among the edges.
        """
        tail = self.tail
        if tail == self.head:
            return
        times, codes, mask = self.times, self.codes, self.mask
        while tail != self.head:
            ticks = times[tail]
            if (now_us - ticks) & _HALF:  # tablelogic.core.ticks.diff below zero, without the call
                return
            code = codes[tail]
            tail = (tail + 1) & mask
            self.tail = tail
            take(code >> 1, code & 1, ticks)

    def has_rise(self, sensors: "tuple[int, ...]") -> bool:
        """Whether an edge to level 1 of one of these sensors was not taken yet."""
        tail, codes, mask = self.tail, self.codes, self.mask
        while tail != self.head:
            code = codes[tail]
            if code & 1 and code >> 1 in sensors:
                return True
            tail = (tail + 1) & mask
        return False

    def level(self, sensor: int, level: int) -> int:
        """The level of a sensor after the edges not taken yet. level: before them."""
        tail, codes, mask = self.tail, self.codes, self.mask
        while tail != self.head:
            if codes[tail] >> 1 == sensor:
                level = codes[tail] & 1
            tail = (tail + 1) & mask
        return level

    def clear(self) -> None:
        """Forget the edges that were not taken yet; called from the task."""
        self.tail = self.head


class EdgeSource:
    """One line whose edges go into a ring.

    code: sensor * 2; inactive: level of the pin that is level 0; ticks_us: the clock.
    """

    def __init__(
        self, ring: EdgeRing, code: int, inactive: int, ticks_us: "Callable[[], int]"
    ) -> None:
        self._ring = ring
        self._code = code
        self._inactive = inactive
        self._ticks_us = ticks_us

    def edge(self, pin: "Pin") -> None:
        """Store one edge; called from the interrupt, whose pin.value() is the level now.

        One call and no further one of Python: the interrupt comes on the stack of the task, which
        may be writing to the flash. On an RP2040 1 KB of 8 was left then, and a second call took
        a quarter of that (protocol/decisions/firmware.md).
        """
        ring = self._ring
        head = ring.head
        after = (head + 1) & ring.mask
        if after == ring.tail:
            ring.lost += 1
            return
        ring.times[head] = self._ticks_us()
        ring.codes[head] = self._code | (pin.value() ^ self._inactive)
        ring.head = after
