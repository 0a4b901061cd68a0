"""What is known of the clock of a device: when it was, and what it shows. See link.freshness."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """When something was: at_ns give or take uncertainty_ns."""

    at_ns: int
    uncertainty_ns: int


@dataclass(frozen=True)
class Reading:
    """What a device's clock shows: uptime_ms give or take uncertainty_ms, in that boot.

    is_fresh: what is known of the table is young enough to accept a bet.
    """

    boot: int
    uptime_ms: int
    uncertainty_ms: int
    is_fresh: bool = True
