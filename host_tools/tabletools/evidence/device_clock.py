"""What is known of the clock of a device: when an event was, and what it shows.

See link.freshness.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """When something was: at_ns, plus or minus uncertainty_ns."""

    at_ns: int
    uncertainty_ns: int


@dataclass(frozen=True)
class Reading:
    """A reading of a device's clock: uptime_ms, plus or minus uncertainty_ms, in that boot.

    is_fresh: the last frame of the table is recent enough to accept a bet.
    """

    boot: int
    uptime_ms: int
    uncertainty_ms: int
    is_fresh: bool = True
