"""The time of a card at the gates of a shuffler, from a deck that passed them."""

from collections.abc import Sequence
from dataclasses import dataclass

from tabletools.errors import ToolError
from tablewire.shuffler import CARD_MS, CARD_SPREAD

CARD_SIGMAS = 5
"""One card is within so many of its spread, as tablelogic.shuffler.gate has it."""
# Permille; wider, and two cards that overlap by 70 % are within one card.
CARD_SPREAD_MOST = 60
CARDS_LEAST = 20


@dataclass(frozen=True)
class Passed:
    """What a table measured of the cards at one gate. spread, farthest: permille of the median."""

    count: int
    median_us: int
    spread: int
    farthest: int


def card_times(gates: Sequence[Passed]) -> dict[int, int]:
    """Return time and spread of a card, of a whole deck at both gates of a shuffler.

    The wider spread counts, and a tenth more: it is that of some hundred cards. Raises ToolError
    when it leaves no room between one card and two, or a card.
    """
    if len(gates) < 2 or min(gate.count for gate in gates) < CARDS_LEAST:
        raise ToolError(
            f"{min((gate.count for gate in gates), default=0)} cards passed a gate",
            limit=f"at least {CARDS_LEAST} at both",
            step="shuffle a whole deck while it watches",
        )
    spread = max(gate.spread for gate in gates)
    spread = max(spread + -(-spread // 10), 5)
    if spread > CARD_SPREAD_MOST:
        hides = 1000 - CARD_SIGMAS * spread
        raise ToolError(
            f"cards spread by {spread / 10} %: two that overlap by {max(hides, 0) // 10} % or more"
            f" and a card of which {max(hides, 0) // 10} % are left pass for one",
            limit=f"{CARD_SPREAD_MOST / 10} %",
            cause="worn or dirty rollers, or worn cards",
            step="clean or change the rollers, then measure again",
        )
    farthest = max(gate.farthest for gate in gates)
    if farthest > CARD_SIGMAS * spread:
        raise ToolError(
            f"a card took {farthest / 10} % more or less than the others",
            limit=f"{CARD_SIGMAS * spread / 10} %",
            cause="two at once, a torn card, or a slip",
            step="count the deck, look at its cards, then measure again",
        )
    median_us = sum(gate.median_us for gate in gates) // len(gates)
    return {CARD_MS: (median_us + 500) // 1000, CARD_SPREAD: spread}
