"""Edges a machine cannot make: more, between two ticks, than all its motions give together."""

from tablewire.compat import const

from .ticks import diff

_QUIET_MS = const(5000)


class Plausible:
    """Counts edges of any sensor, and keeps the one that leads (Boyer and Moore's vote).

    limit: edges in a tick of 40 ms that are not too many. edges: since the last tick.
    leader: the sensor that made most of a burst.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.edges = 0
        self.leader = 0
        self._lead = 0
        self._burst_ms = 0

    def edge(self, sensor: int) -> None:
        """An edge of any kind on a sensor."""
        self.edges += 1
        if sensor == self.leader:
            self._lead += 1
        elif self._lead:
            self._lead -= 1
        else:
            self.leader = sensor

    def is_burst(self, now_ms: int) -> bool:
        """Whether what came since the last tick is too much."""
        if self.edges <= self.limit:
            return False
        self._burst_ms = now_ms
        return True

    def begin(self) -> None:
        """Count anew."""
        self.edges = 0
        self._lead = 0

    def is_quiet(self, now_ms: int) -> bool:
        """Whether five seconds passed since the last burst."""
        return diff(now_ms, self._burst_ms) > _QUIET_MS
