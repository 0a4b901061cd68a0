"""The ring between interrupt and task: one producer, one consumer, nothing allocated.

Only the interrupt moves the head and counts lost edges; only the task moves the tail. Each index
is written last, in one store, so neither side ever sees half an entry.
"""

from array import array

from tablewire.compat import const

_HALF = const(0x20000000)


class EdgeRing:
    """Edges as (ticks_us, sensor * 2 + level), oldest first.

    lost: edges that found the ring full since boot; they are dropped, the older ones stay.
    size: a power of two; the ring holds size - 1 edges.
    """

    def __init__(self, size: int = 256) -> None:
        if size < 2 or size & (size - 1):
            raise ValueError("ring size %d is not a power of two" % size)
        self.times = array("i", bytes(4 * size))
        self.codes = bytearray(size)
        self.lost = 0
        self._mask = size - 1
        self._head = 0  # next to fill, written by the interrupt only
        self._tail = 0  # next to take, written by the task only

    def put(self, code: int, ticks_us: int) -> None:
        """Store one edge; called from the interrupt. code: sensor * 2 + level, 0..255."""
        head = self._head
        after = (head + 1) & self._mask
        if after == self._tail:
            self.lost += 1
            return
        self.times[head] = ticks_us
        self.codes[head] = code
        self._head = after

    def drain(self, take: object, now_us: int) -> None:
        """Pass every edge up to now_us to take(sensor, level, ticks_us), in order of time.

        An edge later than now_us waits for the next call, so that actions of the caller at now_us
        are in their place among the edges.
        """
        tail = self._tail
        if tail == self._head:
            return
        times, codes, mask = self.times, self.codes, self._mask
        while tail != self._head:
            ticks = times[tail]
            if (now_us - ticks) & _HALF:  # tablelogic.core.clock.diff below zero, without the call
                return
            code = codes[tail]
            tail = (tail + 1) & mask
            self._tail = tail
            take(code >> 1, code & 1, ticks)
