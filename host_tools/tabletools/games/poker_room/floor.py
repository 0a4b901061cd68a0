"""Decisions of the floor: misdeals, the clock, the dead button, the chip race.

oostende2011 2.2, 2.5, 2.8, 2.19, 2.20.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from tabletools.rules.cards import level

TIME_MS = 60_000
"""2.5: after "time" a player has exactly one minute, then the hand is folded."""
MISDEALS = (
    "wrong_shuffle",
    "first_card_flashed",
    "two_cards_in_a_row",
    "button_card_flashed",
    "wrong_player_first",
    "player_forgotten",
    "wrong_number_of_cards",
    "card_to_empty_seat",
    "more_than_one_flashed",
    "foreign_card",
    "two_boxed_cards",
    "wrong_deck",
    "button_misplaced",
)
"""2.19, in its order."""
ACTED = 2
"""Number of players who have acted from which on there is no misdeal."""


def is_misdeal(cause: str, acted: int) -> bool:
    """Return whether the hand is cancelled. acted: players who have acted."""
    return cause in MISDEALS and acted < ACTED


class Exposed(NamedTuple):
    """What happens to cards exposed in the deal.

    misdeal: the hand is cancelled (2.19). burned: the flashed card is the first burn card, its
    player gets another after the deal. replaced: the boxed card is worthless, the next one takes
    its place (2.20).
    """

    misdeal: bool
    burned: bool
    replaced: bool


def exposed(flashed: int, boxed: int, *, decisive: bool) -> Exposed:
    """Return what happens.

    flashed: including a card on the floor. decisive: the first card or that of the button is among
    the flashed ones, for which 2.19 takes precedence (READING-59).
    """
    misdeal = flashed > 1 or boxed > 1 or (decisive and flashed == 1)
    return Exposed(misdeal, not misdeal and flashed == 1, not misdeal and boxed == 1)


def is_folded(called_ms: int, acted_ms: int) -> bool:
    """Return whether a player's minute has passed: exactly one minute is still in time."""
    return acted_ms - called_ms > TIME_MS


class Positions(NamedTuple):
    """Seats of the button and the blinds; the first two may be empty."""

    button: int
    small_blind: int
    big_blind: int


def _after(seats: Sequence[int], seat: int) -> int:
    """Return the next of the seats clockwise after one, in the order of their numbers."""
    return min((other for other in seats if other > seat), default=min(seats))


def next_positions(last: Positions, seats: Sequence[int]) -> Positions:
    """Return the positions of the next hand. seats: of the players still in, at least two.

    Dead button: the big blind goes to the next player, small blind and button follow it to where
    it was. Heads-up the small blind has the button, and no player has the big blind twice.
    """
    big = _after(seats, last.big_blind)
    if len(seats) == 2:
        small = next(seat for seat in seats if seat != big)
        return Positions(small, small, big)
    return Positions(last.small_blind, last.big_blind, big)


def chip_race(
    odd: Mapping[str, int], cards: Mapping[str, str], big: int, whole: Collection[str] = ()
) -> dict[str, int]:
    """Return how many bigger chips each player gets for odd chips, 0 or 1.

    odd: value of the small chips left after the exchange, by player from seat 1 on; below big.
    cards: one card each. whole: players who have nothing else: each gets one and takes no part.
    The total of the others is rounded up; equal cards go by seat.
    """
    racing = [player for player, cents in odd.items() if cents and player not in whole]
    chips = -(-sum(odd[player] for player in racing) // big)
    first = sorted(racing, key=lambda player: -level(cards[player]))[:chips]
    return {player: int(player in first or player in whole) for player in odd}
