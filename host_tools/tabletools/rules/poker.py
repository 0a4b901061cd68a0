"""How poker hands of five cards rank.

hc2023 3:4(6), hc2011 3:5(7) (rulebook 9.1): combinations, then the cards by value; kickers that
the text does not mention are compared too (READING-39). Suits are equal.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from tabletools.rules.ante import Rank
from tabletools.rules.cards import RANKS, SUITS, Hand, level
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.violation import RuleViolation

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
FIVE = 5
HOLDEM_OWN, HOLDEM_BOARD = 2, 5
_PLACES = {
    rank + suit: (place, 1 << level(rank)) for place, suit in enumerate(SUITS) for rank in RANKS
}
"""Of each card its suit and the bit of its level, 2 to 14."""


class Tally(NamedTuple):
    """Cards as sets of levels, bit n for level n.

    one, two, three, four: levels of which there are at least so many cards. suit: levels of the
    suit with `size` cards or more, 0 if there is none.
    """

    one: int
    two: int
    three: int
    four: int
    suit: int


def tally(cards: Sequence[str], size: int) -> Tally:
    """Return the tally of the cards, which are fewer than twice `size`."""
    suits = [0, 0, 0, 0]
    one = two = three = four = 0
    for card in cards:
        suit, bit = _PLACES[card]
        suits[suit] |= bit
        four |= three & bit
        three |= two & bit
        two |= one & bit
        one |= bit
    for levels in suits:
        if levels.bit_count() >= size:
            return Tally(one, two, three, four, levels)
    return Tally(one, two, three, four, 0)


@cache
def levels_of(levels: int, most: int) -> Rank:
    """Return the highest levels of a set, from the top."""
    highest = [each for each in range(14, 1, -1) if levels >> each & 1]
    return tuple(highest[:most])


@cache
def run_of(levels: int, size: int) -> Rank:
    """Return the highest straight of that size in a set; () if none. The ace is low as well."""
    levels |= (levels >> 14 & 1) << 1
    for top in range(14, size - 1, -1):
        run = (1 << size) - 1 << top - size + 1
        if levels & run == run:
            return tuple(range(top, top - size, -1))
    return ()


def top_of(levels: int) -> int:
    """Return the highest level of a set."""
    return levels.bit_length() - 1


def best_of(cards: Sequence[str]) -> Rank:
    """Return the rank of the best five of up to seven cards: combination, then cards by value."""
    one, two, three, four, suit = tally(cards, FIVE)
    run = run_of(suit, FIVE) if suit else ()
    if run:
        return (ROYAL_FLUSH if run[0] == 14 else STRAIGHT_FLUSH, *run)
    if four:
        top = top_of(four)
        return (FOUR, top, top, top, top, top_of(one ^ 1 << top))
    top = top_of(three) if three else 0
    pairs = two ^ 1 << top if three else 0
    if pairs:
        pair = top_of(pairs)
        return (FULL_HOUSE, top, top, top, pair, pair)
    if suit:
        return (FLUSH, *levels_of(suit, FIVE))
    run = run_of(one, FIVE)
    if run:
        return (STRAIGHT, *run)
    if three:
        return (THREE, top, top, top, *levels_of(one ^ 1 << top, 2))
    return _pairs_of(one, two)


def _pairs_of(one: int, two: int) -> Rank:
    if not two:
        return (HIGH, *levels_of(one, FIVE))
    top = top_of(two)
    below = two ^ 1 << top
    if not below:
        return (PAIR, top, top, *levels_of(one ^ 1 << top, 3))
    low = top_of(below)
    return (TWO_PAIR, top, top, low, low, top_of(one ^ 1 << top ^ 1 << low))


def holdem_ranks(
    player: Hand, board: Hand, bank: Hand, *, voided: bool
) -> tuple[Rank | None, Rank | None]:
    """Return how player and bank rank with the board, None while cards of theirs are missing.

    Raises RuleViolation at hands of another size. voided: a fault ended the round, so cards may be
    missing.
    """
    sizes = len(player), len(board), len(bank)
    full = HOLDEM_OWN, HOLDEM_BOARD, HOLDEM_OWN
    if any(size > most for size, most in zip(sizes, full, strict=True)):
        raise RuleViolation(DEAL_NOT_BY_RULE, "two cards each and five on the board are dealt")
    if sizes != full and not voided:
        raise RuleViolation(DEAL_INCOMPLETE, "two cards each and five on the board are dealt")
    own = best_of((*player, *board)) if sizes[:2] == full[:2] else None
    return own, best_of((*bank, *board)) if sizes == full else None
