"""Records of a shoe and of a draw machine, as type and values, for tests."""

from itertools import accumulate

from tablewire import messages as m
from tablewire.card_shoe import (
    CARD_DEALT,
    CARD_USE_BURNED,
    CARD_USE_ROUND,
    CARDS_ENDED,
    SHOE_REPORT,
)
from tablewire.draw_machine import BALL_DRAWN, DRAW_RESULT

# 2C is 1, then up to the ace, then diamonds, hearts, spades; 0 was not read.
NUMBERS = {
    rank + suit: 1 + 13 * high + low
    for high, suit in enumerate("CDHS")
    for low, rank in enumerate("23456789TJQKA")
} | {"??": 0}


def dealt(cards, burned=()):
    """Cards of a round, from the first of a shoe; burned: cards before them."""
    return [
        *(
            (CARD_DEALT, (place, 0, NUMBERS[card], CARD_USE_BURNED, 90))
            for place, card in enumerate(burned, 1)
        ),
        *(
            (CARD_DEALT, (len(burned) + place, place, NUMBERS[card], CARD_USE_ROUND, 90))
            for place, card in enumerate(cards, 1)
        ),
    ]


def ended(cards, *, wrong=0, burned=0):
    """That so many cards are all; wrong: added to a sum; burned: so many came before them."""
    sums = list(accumulate(NUMBERS[card] for card in cards))
    count = len(cards)
    first, last = burned + 1, burned + count
    return CARDS_ENDED, (count, first, last, sums[-1], sum(sums) + wrong, 9000, 0)


def drawn(balls, of):
    """Balls in order, then that they are all. of: in the machine."""
    bits = sum(1 << (ball - 1) for ball in balls).to_bytes(12, "little")
    records = [(BALL_DRAWN, (place, ball, 1000 * place)) for place, ball in enumerate(balls, 1)]
    return [*records, (DRAW_RESULT, (len(balls), len(balls), of, 1, 60_000, bits))]


def void(code, phase=m.PHASE_NO_MORE_BETS):
    """The round is void."""
    none = m.UNKNOWN_U16
    return m.ROUND_VOID, (code, phase, m.UNKNOWN_U8, none, 0, 0, none, none)


def shoe(event):
    """What happened to a shoe of eight decks: new, continued, cut_card or empty."""
    number = ("new", "continued", "cut_card", "empty").index(event) + 1
    return SHOE_REPORT, (number, 8, 416, 0 if event == "new" else 100, 0)
