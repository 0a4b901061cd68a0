"""A plate of the far wall: how often it was hit, the touches of one tumbling die counted once.

A die touches the wall again a few milliseconds after it hit it, and a plate rings. So a touch
within hit_gap_ms of the one before, on the same plate, belongs to the same die: two dice that come
together are counted as one, never one die as two.
"""

from ..core.ticks import diff
from .tray_line import Beam


class Plate(Beam):
    """gap_us: hit_gap_ms of the configuration."""

    def __init__(self, gap_us: int) -> None:
        self._gap_us = gap_us
        super().__init__()

    def hit(self, level: int, t_us: int) -> bool:
        """The line switched; True when that ended the first touch of a die."""
        had, before_us = self.count, self.last_us
        if not self.edge(level, t_us):
            return False
        return not had or diff(self.last_us, before_us) >= self._gap_us
