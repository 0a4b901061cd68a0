"""How a shoe deals a game: from its cards, in order, to the outcome `tabletool settle` reads.

Each game deals in a fixed order. One card too many or too few is refused, never dropped or
guessed: every later card would be assigned to the wrong hand. A misdeal needs a ruling.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tabletools.rules.cards import Hand
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.violation import RuleViolation

Outcome = dict[str, object]
CARD, DOUBLE, SPLIT, STAND = "card", "double", "split", "stand"
"""Decisions of a box: another card, the last one, split, stand."""
Decision = tuple[int, int, str]
"""Box from 1, hand of that box from 1, and its decision."""


class SharedDeal(NamedTuple):
    """All players bet on the same hands."""

    outcome: Callable[[Hand], Outcome]
    """Of a complete deal. Raises RuleViolation at cards the game does not deal."""
    so_far: Callable[[Hand], Outcome | None]
    """Of a deal that was broken off, a hand may be empty; None at more cards than are dealt."""


class Boxes(NamedTuple):
    """What the cards alone do not say about the boxes of a round.

    decisions: of all boxes, in the order they were made. hole_card: the bank's second card is
    dealt before them.
    """

    number: int
    decisions: Sequence[Decision] | None
    hole_card: bool


class BoxDeal(NamedTuple):
    """Each player has a hand in a box."""

    outcomes: Callable[[Hand, Boxes], list[Outcome]]
    """Of each box, in order. Raises RuleViolation at cards the game does not deal."""
    number: Callable[[int], int]
    """How many boxes there are by the number of cards, where nobody says how many."""
    bank_begins: Callable[[bool], int] | None = None
    """How many cards the bank has before the boxes decide, with a hole card or without; it draws
    the others after them. None: all its cards."""


def verify_count(dealt: Hand, due: int, what: str) -> None:
    """Raise RuleViolation unless so many cards were dealt. what: to whom, in words."""
    if len(dealt) != due:
        code = DEAL_INCOMPLETE if len(dealt) < due else DEAL_NOT_BY_RULE
        raise RuleViolation(code, f"{due} cards are dealt, {what}; the shoe dealt {len(dealt)}")


class ShoeCards(NamedTuple):
    """The cards a shoe read in a round, each list in order."""

    dealt: list[str]
    burned: list[str]
