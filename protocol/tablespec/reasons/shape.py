"""What a reason code says, and the rules many of them follow."""

from dataclasses import dataclass
from typing import Literal

ROULETTE_VOIDS = "hc2023 2:1(2); hc2011 2:1(2)"
OTHER_CAUSE = f"{ROULETTE_VOIDS} (the list is not exhaustive: a stop for another cause)"
NO_PLAY_WITH_A_FAULT = "25 CFR 547.8: no play with a fault that affects the outcome"


@dataclass(frozen=True)
class Reason:
    """One code. severity: 1 spin again, 2 the croupier acts, 3 the technician acts."""

    number: int
    name: str
    kind: Literal["void", "fault", "check"]
    severity: int
    cause: str
    remedy: str
    rule: str
