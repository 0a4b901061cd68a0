"""One line of a tray: a light barrier, or the pulse of a hit of the wall.

A die needs two milliseconds and more through a beam, the wall's circuit gives pulses of five;
shorter changes are bounce or interference. Times: microseconds on the 30-bit clock.
"""

from tablewire.compat import const

from ..core.ticks import diff

SHORTEST_US = const(800)


class Beam:
    """level: 1 covered. count: pulses long enough since reset(), at most 255.

    first_us, last_us: when the first and the last of them began. width_us: of the last.
    """

    def __init__(self) -> None:
        self.level = 0
        self.since_us = 0  # of the level
        self.reset()

    def reset(self) -> None:
        """Count from zero; a pulse that has begun counts by its end."""
        self.count = 0
        self.first_us = 0
        self.last_us = 0
        self.width_us = 0

    def edge(self, level: int, t_us: int) -> bool:
        """The line switched; True when that ended a pulse that counts."""
        if level == self.level:
            return False
        self.level = level
        began_us = self.since_us
        self.since_us = t_us
        if level or diff(t_us, began_us) < SHORTEST_US:
            return False
        self.width_us = diff(t_us, began_us)
        self.last_us = began_us
        if not self.count:
            self.first_us = began_us
        self.count = min(self.count + 1, 255)
        return True

    def tick(self, t_us: int) -> None:
        """Limit the age of a level to five minutes, or it would wrap."""
        if not 0 <= diff(t_us, self.since_us) < 300000000:
            self.since_us = (t_us - 300000000) & 0x3FFFFFFF

    def for_us(self, t_us: int) -> int:
        """How long the level has been unchanged."""
        return diff(t_us, self.since_us)
