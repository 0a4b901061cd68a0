"""Edges lost because the ring was full: a fault until five quiet seconds have passed."""

from tablelogic.core.clock import diff
from tablewire.codes import EDGES_LOST
from tablewire.compat import const
from tablewire.messages import UNKNOWN_U8

_QUIET_MS = const(5000)


class EdgeWatch:
    """ring: edges.EdgeRing; clock: see hal; faults: faults.Faults."""

    def __init__(self, ring: object, clock: object, faults: object) -> None:
        self._ring = ring
        self._clock = clock
        self._faults = faults
        self._seen = ring.lost
        self._last_ms = clock.ticks_ms()

    def check(self, role: object, now_us: int) -> None:
        """Raise or clear the fault at the role; called with every control step."""
        lost = self._ring.lost
        if lost != self._seen:
            self._last_ms = self._clock.ticks_ms()
            if not self._faults.stands(EDGES_LOST):
                role.raise_fault(EDGES_LOST, UNKNOWN_U8, lost - self._seen, 0, now_us)
            self._seen = lost
        elif self._faults.stands(EDGES_LOST):
            if diff(self._clock.ticks_ms(), self._last_ms) >= _QUIET_MS:
                role.clear_fault(EDGES_LOST, now_us)
