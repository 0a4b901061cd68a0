"""The two clocks of a host, injected: no code of this package reads one directly.

Wall time dates rows. Only monotonic time opens, closes or expires anything, so that a step of the
wall clock opens no bets and revives no lease. A step is detected by comparing the two.
"""

import threading
import time
from typing import Protocol

NS = 1_000_000_000
MS = 1_000_000


class Clock(Protocol):
    """A source of time."""

    def wall_ns(self) -> int:
        """Return UTC in nanoseconds since 1970; it may step."""

    def mono_ns(self) -> int:
        """Return nanoseconds that only rise, from any start."""


class SystemClock:
    """The clocks of this machine."""

    def wall_ns(self) -> int:
        """Return UTC in nanoseconds since 1970."""
        return time.time_ns()

    def mono_ns(self) -> int:
        """Return nanoseconds that only rise."""
        return time.monotonic_ns()


class StepWatch:
    """Detects steps of the wall clock against the monotonic one; follows slow corrections.

    steps: number of steps seen. Called from any thread; each step is returned once.
    """

    LEAST_NS = 500 * MS
    _MOST_APART_NS = 50 * MS  # the two clocks were read too far apart: the reading is not used

    def __init__(self, clock: Clock) -> None:
        self.steps = 0
        self._clock = clock
        self._lock = threading.Lock()
        self._ahead_ns: int | None = None

    def look(self) -> int | None:
        """Return by how much the clock stepped since the last call, None if it did not."""
        with self._lock:
            begun = self._clock.mono_ns()
            ahead_ns = self._clock.wall_ns() - begun
            if self._clock.mono_ns() - begun > self._MOST_APART_NS:
                return None
            before, self._ahead_ns = self._ahead_ns, ahead_ns
            if before is None or abs(ahead_ns - before) < self.LEAST_NS:
                return None
            self.steps += 1
            return ahead_ns - before
