"""The croupier of a Punto Banco table with a shoe: what the hands do in one round."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hil_tests.emulators.card_shoe.model import CUT_CARD, Pull

SUITS, RANKS = "CDHS", "23456789TJQKA"


def decks(count: int) -> list[str]:
    """Return so many whole decks, unshuffled."""
    return [rank + suit for _ in range(count) for suit in SUITS for rank in RANKS]


@dataclass
class DealPlan:
    """One planned round. rng: for what bends it. pulls: how a card is pulled, by its place.

    before: what befalls the table before the round; at_close: right after no more bets, at_end:
    before the round is ended. open_s, pause_s, first_s: bets open, between two cards, before the
    first. cards: to be dealt whatever the rules say. early: one is pulled with bets open. walks:
    the croupier goes away after so many cards. repair: what is mended after the round.
    """

    rng: random.Random
    open_s: float
    pause_s: float
    first_s: float = 1.0
    pulls: dict[int, Pull] = field(default_factory=dict)
    before: list[Callable[[Any], None]] = field(default_factory=list)
    at_close: list[Callable[[Any], None]] = field(default_factory=list)
    at_end: list[Callable[[Any], None]] = field(default_factory=list)
    cards: int | None = None
    early: bool = False
    walks: int | None = None
    end_s: float = 1.0
    fault: str | None = None
    repair: Callable[[Any], None] | None = None


class ShoeCroupier:
    """Draws how each round is dealt; the same seed deals the same."""

    def __init__(self, seed: int | str) -> None:
        self._rng = random.Random(f"{seed}/shoe croupier")

    def plan(self) -> DealPlan:
        """Plan a healthy round."""
        return DealPlan(self._rng, self._rng.uniform(2.0, 6.0), self._rng.uniform(0.5, 1.2))

    def shuffled(self, count: int) -> list[str]:
        """Return decks shuffled, with the cut card seven cards from the end (de-live 1.3.1)."""
        cards = decks(count)
        self._rng.shuffle(cards)
        cards.insert(len(cards) - 7, CUT_CARD)
        return cards

    def pull(self) -> Pull:
        """Draw how a card is pulled: 0.35 to 1.1 m/s, a little faster or slower at the end."""
        return Pull(self._rng.uniform(0.35, 1.1), self._rng.uniform(0.85, 1.5))


def is_dealt(cards: list[str]) -> bool:
    """Return whether these are all cards of a round of Punto Banco, in the order dealt."""
    if len(cards) < 4:
        return False
    punto, banco = _points(cards[0], cards[2]), _points(cards[1], cards[3])
    if max(punto, banco) >= 8:
        return True
    if punto >= 6:
        return banco >= 6 or len(cards) == 5
    if len(cards) < 5:
        return False
    return len(cards) == 6 or _points(cards[4]) not in _BANK_DRAWS[banco]


def _points(*cards: str) -> int:
    return sum(int(c[0]) if c[0].isdigit() else c[0] == "A" for c in cards) % 10


# By the bank's points: third cards of the punto on which the bank draws (hc2023 3:3(2)).
_BANK_DRAWS = (
    range(10), range(10), range(10), (0, 1, 2, 3, 4, 5, 6, 7, 9), range(2, 8), range(4, 8), (6, 7),
    (),
)  # fmt: skip
