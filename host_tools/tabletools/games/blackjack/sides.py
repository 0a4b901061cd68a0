"""Side bets of Black Jack: decided by the first cards, BJ+ by the bank too (rulebook 9.11)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tabletools.games.blackjack.hands import Deal, points
from tabletools.rules.cards import Hand, level

RED = "DH"
PAIR_PAYS = {"perfect": 25, "coloured": 12, "mixed": 6}
"""Edge 6.1093 % with 6 decks, 4.0964 % with 8."""
PLUS3_PAYS = {"straight_flush": 30, "three": 20, "straight": 10, "flush": 5}
"""Edge 13.3896 % with 6 decks, 12.8912 % with 8."""
JACK_PAYS = {"real": 100, "suit": 10, "colour": 5, "any": 5}
MATCH_PAYS = {(4,): 40, (2, 2): 8, (3, 1): 5, (2, 1, 1): 1}
"""Super Match, by how often each rank is among the four cards."""


class Sides(NamedTuple):
    """Results of the first cards: a name of the tables above, "" for nothing, None while cards are
    missing."""

    pair: str | None
    plus3: str | None
    jack: str | None
    match: tuple[int, ...] | None


def pair_of(two: Sequence[str]) -> str:
    """Return the pair two cards form: the same picture, so King and Queen are not a pair."""
    one, other = two
    if one[0] != other[0]:
        return ""
    if one[1] == other[1]:
        return "perfect"
    return "coloured" if (one[1] in RED) == (other[1] in RED) else "mixed"


def plus3_of(three: Sequence[str]) -> str:
    """Return what three cards form; the highest counts (READING-47)."""
    levels = sorted(map(level, three))
    if len(set(levels)) == 1:
        return "three"
    straight = levels in ([2, 3, 14], list(range(levels[0], levels[0] + 3)))
    flush = len({card[1] for card in three}) == 1
    if straight:
        return "straight_flush" if flush else "straight"
    return "flush" if flush else ""


def jack_of(two: Sequence[str]) -> str:
    """Return which Black Jack two cards are: in spades, in one other suit, of one colour, or any.

    Which of them is the Color Jack is open (READING-32).
    """
    if points(two) != 21:
        return ""
    suits = {card[1] for card in two}
    if len(suits) == 1:
        return "real" if suits == {"S"} else "suit"
    return "colour" if suits in ({"D", "H"}, {"C", "S"}) else "any"


def _match(deal: Deal) -> tuple[int, ...] | None:
    fours = [card for group in deal.groups for card in _first_two(group)]
    if len(fours) < 4:
        return None
    counts = Counter(card[0] for card in fours)
    return tuple(sorted(counts.values(), reverse=True))


def _first_two(group: tuple[Hand, ...]) -> Hand:
    """Return the first two cards of a box: of a split hand those of its first two hands."""
    return group[0][:2] if len(group) == 1 else tuple(hand[0] for hand in group[:2] if hand)


def sides_of(deal: Deal) -> Sides:
    """Return the results of the first cards."""
    two = _first_two(deal.groups[0])
    known = len(two) == 2
    return Sides(
        pair_of(two) if known else None,
        plus3_of((*two, deal.bank[0])) if known and deal.bank else None,
        (jack_of(two) if len(deal.groups[0]) == 1 else "") if known else None,
        _match(deal) if len(deal.groups) == 2 else None,
    )


ODDS: Mapping[str, tuple[str, Mapping[str, int]]] = {
    "pair_pursuit": ("pair", PAIR_PAYS),
    "perfect_pairs": ("pair", PAIR_PAYS),
    "21+3": ("plus3", PLUS3_PAYS),
}
"""By bet: the field of Sides that decides it, and its winnings."""
