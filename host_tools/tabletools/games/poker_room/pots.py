"""Pots: what each hand can win, the odd chip, the rake. oostende2011 2.4, 3.10, 3.11, 4.3.

No document says how side pots are built; the usual way is used: by what each player has put in.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from tabletools.rules.ante import Rank
from tabletools.rules.cards import Hand
from tabletools.rules.codes.stakes import NOT_WHOLE_CENTS
from tabletools.rules.poker import best_of
from tabletools.rules.violation import RuleViolation


class Pot(NamedTuple):
    """amount: cents, before the rake. players: who can win it, in seat order."""

    amount: int
    players: tuple[str, ...]


class Award(NamedTuple):
    """The award of a pot. shares: cents by winner, from the left of the button on."""

    amount: int
    rake: int
    shares: Mapping[str, int]


def holdem_rank(own: Hand, board: Hand) -> Rank:
    """Return how the best five of two own cards and the board rank."""
    return best_of((*own, *board))


def omaha_rank(own: Hand, board: Hand) -> Rank:
    """Return how the best hand of exactly two own cards and three of the board ranks (4.3)."""
    return max(
        best_of((*two, *three)) for two in combinations(own, 2) for three in combinations(board, 3)
    )


def uncalled(put_in: Mapping[str, int]) -> tuple[str, int]:
    """Return who has put in more than any other player, and how much more; that is in no pot."""
    most, second = sorted(put_in.values(), reverse=True)[:2]
    top = next(player for player, cents in put_in.items() if cents == most)
    return top, most - second


def pots_of(put_in: Mapping[str, int], live: Sequence[str], *, dead: int = 0) -> list[Pot]:
    """Return the main pot and the side pots. put_in: by player in seat order, called cents only.

    dead: in the main pot besides, for all live players to win (3.14).
    What players who folded have put in above every live one goes into the last pot.
    """
    levels = sorted({put_in[player] for player in live})
    pots, below = [Pot(dead, tuple(player for player in put_in if player in live))], 0
    for level in levels:
        top = level if level != levels[-1] else max(put_in.values())
        amount = sum(min(cents, top) - min(cents, below) for cents in put_in.values())
        players = tuple(player for player in put_in if player in live and put_in[player] >= level)
        pots.append(Pot(amount, players))
        below = level
    if pots[1].players == pots[0].players:
        pots[:2] = [Pot(dead + pots[1].amount, pots[1].players)]
    return [pot for pot in pots if pot.amount]


def rake_of(amount: int, share: tuple[int, int]) -> int:
    """Return the rake on what is pushed to the winners, cents; refuses a part of a cent."""
    parts, whole = share
    if amount * parts % whole:
        what = f"{parts}/{whole} of the pot {amount} is not a whole cent, and no article rounds it"
        raise RuleViolation(NOT_WHOLE_CENTS, what, "table.rake")
    return amount * parts // whole


def award(pot: Pot, ranks: Mapping[str, Rank], rake: int, chip: int) -> Award:
    """Divide a pot among its best hands. ranks: by player, from the left of the button on.

    A remainder in chips goes one each to the players closest to the left of the button (2.4).
    A remainder below one chip, left by the rake, goes to the first of them.
    """
    best = max(ranks[player] for player in pot.players)
    winners = [player for player in ranks if player in pot.players and ranks[player] == best]
    chips, below_chip = divmod(pot.amount - rake, chip)
    each, odd = divmod(chips, len(winners))
    shares = {
        player: chip * (each + (place < odd)) + (below_chip if place == 0 else 0)
        for place, player in enumerate(winners)
    }
    return Award(pot.amount, rake, shares)
