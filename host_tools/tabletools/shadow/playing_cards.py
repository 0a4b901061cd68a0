"""Cards as text, and what is decided while cards are missing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tabletools.shadow.play import Play
from tabletools.shadow.verdict import Impossible, Verdict, void

RANKS = {rank: value for value, rank in enumerate("23456789TJQKA", 2)}
ACE = 14
DECKS = 8
"""The most decks in play, except in poker against the bank, which has one."""


class Card(NamedTuple):
    """A card. rank: 2 to 14, the ace."""

    rank: int
    suit: str


Hand = Sequence[Card]


def hand(text: str | None) -> list[Card]:
    """Return the cards of a hand in the order dealt. Raises Impossible."""
    cards = (text or "").split()
    if any(len(c) != 2 or c[0] not in RANKS or c[1] not in "SHDC" for c in cards):
        raise Impossible(f"no cards: {text!r}")
    return [Card(RANKS[card[0]], card[1]) for card in cards]


def count_dealt(play: Play, hands: Iterable[Hand]) -> None:
    """Raise Impossible if hands and burned cards cannot come from the decks of the table."""
    decks = play.table.get("decks", DECKS)
    if not 0 < decks <= DECKS:
        raise Impossible(f"{decks} decks")
    count([*hands, hand(play.outcome.burned)], decks)


def count(hands: Iterable[Hand], most: int) -> None:
    """Raise Impossible if a card occurs more often than in this many decks."""
    for card, times in Counter(card for cards in hands for card in cards).items():
        if times > most:
            raise Impossible(f"{card} {times} times in {most} decks")


def decided(stake: int, possible: Iterable[Verdict]) -> Verdict:
    """Return the verdict if it is the same for all possible cards, else return the stake."""
    verdicts: Iterator[Verdict] = iter(possible)
    first = next(verdicts)
    return first if all(verdict == first for verdict in verdicts) else void(stake)
