"""One rim sensor: from its edges to passes of the ball.

A ball covers the sensor for 3 to 30 ms. A shorter pulse is electrical; a rise within 3 ms of a
fall is contact bounce and belongs to the same pass.
"""

from tablewire.compat import const

from .ticks import diff

_BOUNCE_US = const(3000)
_SHORTEST_US = const(800)


class Rim:
    """A pass is told when the ball leaves the sensor, with the time it came.

    at_us: when the pulse rose. covered: the level now.
    """

    def __init__(self) -> None:
        self.at_us = 0
        self.covered = False
        self._fell_us = 0
        self._told = True

    def edge(self, level: int, t_us: int) -> bool:
        """Take an edge; True when it completes a pass that began at `at_us`."""
        if level:
            self.covered = True
            if not 0 <= diff(t_us, self._fell_us) < _BOUNCE_US:
                self.at_us = t_us
                self._told = False
            return False
        self.covered = False
        self._fell_us = t_us
        if self._told or diff(t_us, self.at_us) < _SHORTEST_US:
            return False
        self._told = True
        return True

    def held_us(self, now_us: int) -> int:
        """How long the sensor has been covered, 0 when it is free."""
        return diff(now_us, self.at_us) if self.covered else 0
