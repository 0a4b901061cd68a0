"""The two clocks of a host, handed in: nothing in this room reads one by itself.

Wall time dates rows. Only monotonic time opens, closes or expires anything, so that a step of the
wall clock opens no bets and revives no lease.
"""

import time
from typing import Protocol

NS = 1_000_000_000
MS = 1_000_000


class Clock(Protocol):
    """Where the time comes from."""

    def wall_ns(self) -> int:
        """Return UTC in nanoseconds since 1970; it may step."""

    def mono_ns(self) -> int:
        """Return nanoseconds that only rise, from any beginning."""


class SystemClock:
    """The clocks of this machine."""

    def wall_ns(self) -> int:
        """Return UTC in nanoseconds since 1970."""
        return time.time_ns()

    def mono_ns(self) -> int:
        """Return nanoseconds that only rise."""
        return time.monotonic_ns()
