"""One hall line: from its edges to genuine pulses.

A ball at 2.5 rev/s covers a sensor for 3.3 ms, a magnet for longer. What is over within 2 ms is
electrical, or the bounce that comes with either edge; a rise within 3 ms of a fall is bounce and
belongs to the same pulse.
"""

from tablewire.compat import const

from .ticks import diff

_BOUNCE_US = const(3000)
_SHORTEST_US = const(2000)


class Pulse:
    """A pulse is told when it ends, with the time it began.

    rose_us: when the pulse began. covered: the level now.
    """

    def __init__(self) -> None:
        self.rose_us = 0
        self.covered = False
        self._fell_us = 0
        self._told = True

    def edge(self, level: int, t_us: int) -> bool:
        """Take an edge; True when it completes a pulse that began at `rose_us`."""
        if level:
            self.covered = True
            if not 0 <= diff(t_us, self._fell_us) < _BOUNCE_US:
                self.rose_us = t_us
                self._told = False
            return False
        self.covered = False
        self._fell_us = t_us
        if self._told or diff(t_us, self.rose_us) < _SHORTEST_US:
            return False
        self._told = True
        return True

    def held_us(self, now_us: int) -> int:
        """How long the sensor has been covered, 0 when it is free."""
        return diff(now_us, self.rose_us) if self.covered else 0
