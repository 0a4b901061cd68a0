"""Hands of poker as tuples that compare: (category, deciding ranks...), rulebook 9.1.

A category is its index in the ranking of the game, from low to high. The deciding ranks are those
of the cards, the most frequent first; for a straight only its highest card.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from tabletools.shadow.playing_cards import ACE, Card, Hand

Rank = tuple[int, ...]
FIVE = (
    "high_card pair two_pair three straight flush full_house four straight_flush royal_flush"
).split()
FOUR = "high_card pair two_pair straight flush three straight_flush four".split()
THREE = "high_card pair flush straight three straight_flush".split()
# Counts of equal ranks, highest first -> category.
BY_COUNTS = {
    (4, 1): "four", (3, 2): "full_house", (3, 1, 1): "three", (2, 2, 1): "two_pair",
    (2, 1, 1, 1): "pair", (4,): "four", (3, 1): "three", (2, 2): "two_pair", (2, 1, 1): "pair",
    (3,): "three", (2, 1): "pair",
}  # fmt: skip


def best(cards: Hand, ranking: Sequence[str], size: int) -> Rank:
    """Return the highest hand of `size` cards among these, by one of the rankings."""
    return max(_rank(some, ranking) for some in combinations(cards, size))


def _rank(cards: tuple[Card, ...], ranking: Sequence[str]) -> Rank:
    counts = Counter(card.rank for card in cards)
    ordered = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    is_flush = len({card.suit for card in cards}) == 1
    top = _top_of_straight(ordered) if len(counts) == len(cards) else 0
    if top and is_flush:
        is_royal = top == ACE and "royal_flush" in ranking
        return ranking.index("royal_flush" if is_royal else "straight_flush"), top
    if top:
        return ranking.index("straight"), top
    if is_flush:
        return ranking.index("flush"), *ordered
    category = BY_COUNTS.get(tuple(counts[rank] for rank in ordered), "high_card")
    return ranking.index(category), *ordered


def _top_of_straight(ranks: list[int]) -> int:
    """The highest card, 0 of no straight. ranks: all different, from high to low."""
    size = len(ranks)
    if ranks == list(range(ranks[0], ranks[0] - size, -1)):
        return ranks[0]
    return size if ranks == [ACE, *range(size, 1, -1)] else 0
