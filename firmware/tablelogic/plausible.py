"""Edges a machine cannot make: more on one sensor, between two ticks, than any motion gives."""

from tablewire.compat import const

from .ticks import diff

LIMIT = const(12)  # per 40 ms tick; ball, rotor and their bounce stay below
_QUIET_MS = const(5000)


class Plausible:
    """Counts edges per sensor. burst: sensor beyond the limit in the last tick, or -1.

    edges: how many it made. Quiet means no burst for five seconds.
    """

    def __init__(self, sensors: int) -> None:
        self._counts = bytearray(sensors)
        self.burst = -1
        self.edges = 0
        self._burst_ms = 0

    def edge(self, sensor: int) -> None:
        """An edge of any kind on a sensor."""
        if self._counts[sensor] < 255:
            self._counts[sensor] += 1

    def tick(self, now_ms: int) -> None:
        """Judge what came since the last tick."""
        self.burst = -1
        counts = self._counts
        for sensor in range(len(counts)):
            if counts[sensor] > LIMIT:
                self.burst = sensor
                self.edges = counts[sensor]
                self._burst_ms = now_ms
            counts[sensor] = 0

    def is_quiet(self, now_ms: int) -> bool:
        """Whether five seconds passed since the last burst."""
        return diff(now_ms, self._burst_ms) > _QUIET_MS
