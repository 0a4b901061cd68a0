"""How poker hands of five cards rank.

hc2023 3:4(6), hc2011 3:5(7) (rulebook 9.1): combinations, then the cards as they count; kickers
the text leaves out are compared all the same (READING-39). Suits are equal.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from tabletools.rules.ante import Rank
from tabletools.rules.cards import level

(
    HIGH,
    PAIR,
    TWO_PAIR,
    THREE,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR,
    STRAIGHT_FLUSH,
    ROYAL_FLUSH,
) = range(10)
"""Combinations, from low to high."""
_BY_COUNTS = {
    (1, 1, 1, 1, 1): HIGH,
    (2, 1, 1, 1): PAIR,
    (2, 2, 1): TWO_PAIR,
    (3, 1, 1): THREE,
    (3, 2): FULL_HOUSE,
    (4, 1): FOUR,
}


def rank_of(hand: Sequence[str]) -> Rank:
    """Return how five cards rank: the combination, then the cards as they count."""
    levels = sorted(map(level, hand), reverse=True)
    counts = Counter(levels)
    levels.sort(key=lambda each: (counts[each], each), reverse=True)
    combination = _BY_COUNTS[tuple(sorted(counts.values(), reverse=True))]
    if combination != HIGH:
        return (combination, *levels)
    if levels == [14, 5, 4, 3, 2]:
        levels = [5, 4, 3, 2, 1]  # the lowest straight
    straight = levels[0] - levels[4] == 4
    if len({card[1] for card in hand}) > 1:
        return (STRAIGHT if straight else HIGH, *levels)
    if not straight:
        return (FLUSH, *levels)
    return (ROYAL_FLUSH if levels[0] == 14 else STRAIGHT_FLUSH, *levels)


def best_of(cards: Sequence[str]) -> Rank:
    """Return how the best five of the cards rank."""
    return max(map(rank_of, combinations(cards, 5)))
