"""Faults that stand: raised once, cleared when their cause is gone, told both times."""

from tablewire.codes import STANDING
from tablewire.compat import const

from .clock import diff, recent

_LONGEST_MS = const(0x0FFFFFFF)


class ActiveFaults:
    """One place for every standing code. count: how many stand. own: codes of one role alone.

    Times are milliseconds of the caller's 30-bit clock.
    """

    def __init__(self, out: object, own: tuple = ()) -> None:
        self._out = out
        self.count = 0
        self._codes = STANDING + own
        self._sensor = [-1] * len(self._codes)  # of a code that stands, -1 when it does not
        self._since_ms = [0] * len(self._codes)

    def is_up(self, code: int) -> bool:
        """Whether the code stands."""
        return self._sensor[self._codes.index(code)] >= 0

    def sensor(self, code: int) -> int:
        """The sensor a code names, -1 when it does not stand."""
        return self._sensor[self._codes.index(code)]

    def up(self, code: int, sensor: int, value: int, limit: int, now_ms: int) -> bool:
        """Raise a code; False when it stands already, or is another role's."""
        if code not in self._codes:
            return False
        place = self._codes.index(code)
        if self._sensor[place] >= 0:
            return False
        self._sensor[place] = sensor
        self._since_ms[place] = now_ms
        self.count += 1
        self._out.fault_raised([code, sensor, value, limit])
        return True

    def tick(self, now_ms: int) -> None:
        """Called while any stands: what stands for more than three days is told as three days."""
        for place in range(len(self._since_ms)):
            self._since_ms[place] = recent(now_ms, self._since_ms[place], _LONGEST_MS)

    def down(self, code: int, now_ms: int) -> None:
        """Clear a code, if it stands."""
        place = self._codes.index(code)
        sensor = self._sensor[place]
        if sensor < 0:
            return
        self._sensor[place] = -1
        self.count -= 1
        self._out.fault_cleared([code, sensor, diff(now_ms, self._since_ms[place])])
