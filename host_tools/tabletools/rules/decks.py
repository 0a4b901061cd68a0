"""How many decks the cards of a round come from, and whether they can come from so many."""

from collections.abc import Collection
from typing import Annotated, NamedTuple

from msgspec import Meta

from tabletools.rules.cards import Hand
from tabletools.rules.codes.outcomes import CARDS_INVALID
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.table_game import Table
from tabletools.rules.violation import RuleViolation

_MOST = 8


class Decks(NamedTuple):
    """How many decks a game is dealt from. source: the rule that says so."""

    fewest: int
    most: int
    source: str

    def has(self, count: int) -> bool:
        """Whether the game may be dealt from this many decks."""
        return self.fewest <= count <= self.most

    def __str__(self) -> str:
        some = f"{self.fewest} to {self.most}" if self.fewest < self.most else str(self.most)
        return f"{some} deck{'' if self.most == 1 else 's'} ({self.source})"


ANY = Decks(1, _MOST, "hc2011 and hc2023 3:1(1): as the house determines; no shoe here holds more")
ONE = Decks(1, 1, "poker against the bank; gr2003 §1")
EIGHT = Decks(8, 8, "de-live Bac 1.3.1")


class DeckTable(Table, frozen=True, kw_only=True):
    """Limits, and how many decks the table is dealt from."""

    decks: Annotated[
        int | None,
        Meta(
            description=f"Decks the table is dealt from; left out: {_MOST} at most.",
            extra_json_schema={"minimum": 1, "maximum": _MOST},
        ),
    ] = None


def decks_at(game: str, allowed: Decks, table: Table | None) -> int | None:
    """Return the number of decks of a table, None if it does not say.

    Raises RuleViolation at a number that is not allowed.
    """
    count = table.decks if isinstance(table, DeckTable) else None
    if count is not None and not allowed.has(count):
        what = f"decks is {count}; {game} is dealt from {allowed}"
        raise RuleViolation(LIMITS_INVALID, what, "table.decks")
    return count


def verify_cards(places: Collection[tuple[str, Hand]], allowed: Decks, count: int | None) -> None:
    """Raise RuleViolation at a card that appears more often than in all the decks.

    places: the field of each hand, and its cards. count: number of decks, None: the most allowed.
    """
    cards = [card for _, hand in places for card in hand]
    if len(set(cards)) == len(cards):
        return  # the usual case
    decks = allowed.most if count is None else count
    places_by_card: dict[str, list[str]] = {}
    for place, hand in places:
        for card in hand:
            before = places_by_card.setdefault(card, [])
            before.append(place)
            if len(before) > decks:
                times = "twice" if len(before) == 2 else f"{len(before)} times"
                what = f"{card} appears {times}, first in {before[0]}; the cards are of "
                what += "one deck" if decks == 1 else f"{decks} decks"
                if count is None and allowed.fewest < allowed.most:
                    what += " at most"
                raise RuleViolation(CARDS_INVALID, what, place)


class ShoeTable(DeckTable, frozen=True, kw_only=True):
    """shoe_as_shuffler affects how the host derives outcomes; the game is the same."""

    shoe_as_shuffler: Annotated[
        bool | None,
        Meta(description="hc: a shoe's fault voids as 3:1(7); left out: refused."),
    ] = None


SHOE = "shoe_as_shuffler"
"""The option by which a fault of the shoe voids as one of a shuffler."""
