"""Stakes and payments of Holland Casino whatever the game: hc2011 and hc2023 1:1.

Bets left without their owner, and payments it may take its time over.
"""

from collections.abc import Mapping
from typing import NamedTuple

KEPT_ROUNDS = 3
"""1:1(3): rounds an abandoned bet stays its owner's, with what it wins."""
SCHIPHOL = "schiphol"


class HouseRules(NamedTuple):
    """What an edition says. held: from which payment on, cents. held_at: at one location."""

    abandoned: str
    held_article: str
    held: int
    held_at: Mapping[str, int]


HOUSE_RULES: Mapping[str, HouseRules] = {
    "hc2011": HouseRules("hc2011 1:1(3)", "hc2011 1:1(15)", 10_000_000, {SCHIPHOL: 1_000_000}),
    "hc2023": HouseRules("hc2023 1:1(3)", "hc2023 1:1(14)", 10_000_000, {}),
}
"""By edition."""


def falls_to_house(rounds: int) -> bool:
    """Say whether an abandoned bet is the house's. rounds: it lay without its owner, this too."""
    return rounds > KEPT_ROUNDS


def is_held(rules: HouseRules, cents: int, location: str | None) -> bool:
    """Say whether a payment may wait for its release; the amount itself is reached, not passed."""
    return cents >= rules.held_at.get(location or "", rules.held)
