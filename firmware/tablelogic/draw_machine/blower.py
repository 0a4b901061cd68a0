"""The blower of a draw machine by its sensor (airflow, speed or current): whether the balls mix.

Times: milliseconds of the role's clock.
"""

from tablewire import draw_machine as words
from tablewire.compat import const

from ..core.ticks import diff, recent

if -0:  # for mypy
    from tabletypes import Config

_LONGEST_MS = const(0x0FFFFFFF)


class Blower:
    """raw: reading, 0..4095. runs: it was above blower_min_raw."""

    def __init__(self, cfg: "Config") -> None:
        self.raw = 0
        self.runs = False
        self.least_raw = cfg[words.BLOWER_MIN_RAW]
        self._stall_ms = cfg[words.BLOWER_STALL_MS]
        self._since_ms = 0  # it runs, or does not

    def see(self, raw: int, now_ms: int) -> None:
        """A reading."""
        self.raw = raw
        runs = raw >= self.least_raw
        if runs != self.runs:
            self.runs = runs
            self._since_ms = now_ms

    def tick(self, now_ms: int) -> None:
        """Time passed."""
        if not 0 <= diff(now_ms, self._since_ms) <= _LONGEST_MS:
            self._since_ms = recent(now_ms, self._since_ms, _LONGEST_MS)

    def ran_ms(self, now_ms: int) -> int:
        """How long it has run."""
        return diff(now_ms, self._since_ms) if self.runs else 0

    def is_stalled(self, now_ms: int) -> bool:
        """Whether it has been stopped for too long to be a flicker."""
        return not self.runs and diff(now_ms, self._since_ms) >= self._stall_ms
