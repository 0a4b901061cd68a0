"""Active faults: raised once, cleared when their cause is gone, reported both times."""

from tablewire.codes import FAULT_CODES
from tablewire.compat import const

from .ticks import diff, recent

if -0:  # for mypy
    from tabletypes import FaultSink

_LONGEST_MS = const(0x0FFFFFFF)


class ActiveFaults:
    """One entry per code. count: how many are active. own: codes of one role only.

    Times are milliseconds of the caller's 30-bit clock.
    """

    def __init__(self, out: "FaultSink", own: "tuple[int, ...]" = ()) -> None:
        self._out = out
        self.count = 0
        self._codes: "tuple[int, ...]" = FAULT_CODES + own
        self._sensor = [-1] * len(self._codes)  # of an active code, -1 when it is not
        self._since_ms = [0] * len(self._codes)
        self._next = 0  # index whose time is checked next

    def first_own(self) -> int:
        """The first active code of the role, 0 if none is active."""
        sensor = self._sensor
        for place in range(len(FAULT_CODES), len(sensor)):
            if sensor[place] >= 0:
                return self._codes[place]
        return 0

    def is_active(self, code: int) -> bool:
        """Whether the code is active."""
        return self._sensor[self._codes.index(code)] >= 0

    def sensor(self, code: int) -> int:
        """The sensor a code names, -1 when it is not active."""
        return self._sensor[self._codes.index(code)]

    def activate(self, code: int, sensor: int, value: int, limit: int, now_ms: int) -> bool:
        """Raise a code; False when it is active already, or belongs to another role."""
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
        """Called every 40 ms while any is active, for one index after the other.

        More than three days are reported as three days.
        """
        place = self._next
        self._since_ms[place] = recent(now_ms, self._since_ms[place], _LONGEST_MS)
        self._next = (place + 1) % len(self._codes)

    def clear(self, code: int, now_ms: int) -> None:
        """Clear a code, if it is active."""
        place = self._codes.index(code)
        sensor = self._sensor[place]
        if sensor < 0:
            return
        self._sensor[place] = -1
        self.count -= 1
        self._out.fault_cleared([code, sensor, diff(now_ms, self._since_ms[place])])
