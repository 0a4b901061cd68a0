"""A shoe that reads its cards: every card of the round recorded, adding up to the shoe's sum."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from tabletools.roles.demand import (
    Demand,
    Played,
    Record,
    Role,
    layout_objection,
    option_demand,
)
from tabletools.roles.shuffler import CARD_GAMES

CARD = "card_dealt"
NUMBERS = {
    rank + suit: 1 + 13 * high + low
    for high, suit in enumerate("CDHS")
    for low, rank in enumerate("23456789TJQKA")
}
_MODULUS = 65535
_ENDS = ("cards_ended", "round_void")


class ShoeCards(NamedTuple):
    """The cards a shoe read in a round, each list in order."""

    dealt: list[str]
    burned: list[str]


class IncompleteDealError(ValueError):
    """The records of a round do not contain all of its cards."""


def dealt_in(records: Iterable[Record]) -> list[str]:
    """Return the cards of a round that were read, in the order dealt."""
    dealt = (r for r in records if r["type"] == CARD and r["use"] == "round")
    return [r["card"] for r in dealt if r["card"] is not None]


def burned_in(records: Iterable[Record]) -> list[str]:
    """Return the cards that were burned in a round and read, in their order.

    records: in the order of the table. A card burned after the end belongs to no round.
    """
    played = takewhile(lambda record: record["type"] not in _ENDS, records)
    burned = (r for r in played if r["type"] == CARD and r["use"] == "burned")
    return [r["card"] for r in burned if r["card"] is not None]


def cards_of(ended: Record, records: Sequence[Record]) -> list[str]:
    """Return the cards of a round in the order dealt. Raises IncompleteDealError.

    ended: its decoded cards_ended. records: decoded records of the same round.
    """
    dealt = [r for r in records if r["type"] == CARD and r["use"] == "round"]
    cards = [r["card"] for r in dealt]
    places = [(r["shoe_index"], r["round_index"]) for r in dealt]
    due = [(ended["first"] + n, n + 1) for n in range(ended["count"])]
    if places != due or None in cards or dealt[-1]["shoe_index"] != ended["last"]:
        what = f"{len(cards)} cards of {ended['count']} have arrived, or they are out of place"
        raise IncompleteDealError(what)
    one = two = 0
    for card in cards:
        one = (one + NUMBERS[card]) % _MODULUS
        two = (two + one) % _MODULUS
    if (one, two) != (ended["check_1"], ended["check_2"]):
        raise IncompleteDealError("the cards do not match the summary of the shoe")
    return cards


def demands(played: Played) -> list[Demand]:
    """The decks, where the table or its edition specifies them."""
    if (played.rules, played.game) == ("de-live", "baccarat"):
        return [Demand("decks", 8, 8, "de-live Bac 1.3.1")]
    return option_demand(played, "decks", "decks")


def objections(
    played: Played, opened: Record | None, ended: Record, records: Sequence[Record]
) -> Iterator[str]:
    """Every card, and no more of one than the decks have."""
    yield from layout_objection(opened, "shoe", "a shoe")
    decks = (opened or {}).get("requirement")
    for demand in demands(played):
        if decks is not None and not demand.low <= decks <= demand.high:
            yield f"it opened with {decks} decks, {demand.source} says {demand.low}"
    try:
        cards = cards_of(ended, records)
    except IncompleteDealError as error:
        yield str(error)
        return
    if decks is not None:
        for card, times in sorted(Counter([*cards, *burned_in(records)]).items()):
            if times > decks:
                yield f"{times} times {card} in one round, of {decks} decks"


ROLE = Role("cards_ended", CARD_GAMES, demands, objections)
