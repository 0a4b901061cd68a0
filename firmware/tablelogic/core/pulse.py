"""One hall line: from its edges to genuine pulses.

A ball at 2.5 rev/s covers a sensor for 3.3 ms, a magnet for longer. What is over within 2 ms is
electrical, or the bounce that comes with either edge; a gap of less than 3 ms is the same.
"""

from tablewire.compat import const

from .ticks import diff

_GAP_US = const(3000)
_SHORTEST_US = const(2000)


class Pulse:
    """A pulse counts once it has lasted; then it is taken, once, with the time it began.

    rose_us: when it began. covered: the level now. pending: it was not taken yet.
    """

    def __init__(self) -> None:
        self.rose_us = 0
        self.covered = False
        self.pending = False
        self._fell_us = 0

    def edge(self, level: int, t_us: int) -> bool:
        """The line switched; True when that makes one more pulse pending."""
        if not level:
            self.covered = False
            self._fell_us = t_us
            return False
        begins = not self.covered and not 0 <= diff(t_us, self._fell_us) < _GAP_US
        self.covered = True
        if not begins:
            return False
        self.rose_us = t_us
        more = not self.pending
        self.pending = True
        return more

    def take(self, now_us: int) -> bool:
        """Whether a pulse that was not taken yet has lasted long enough by now; takes it."""
        if not self.pending:
            return False
        end_us = now_us if self.covered else self._fell_us
        if diff(end_us, self.rose_us) < _SHORTEST_US:
            return False
        self.pending = False
        return True

    def held_us(self, now_us: int) -> int:
        """How long the sensor has been covered, 0 when it is free."""
        return diff(now_us, self.rose_us) if self.covered else 0
