"""Pots: what each hand can win, the odd chip, the rake. oostende2011 2.4, 3.10, 3.11, 4.3.

No document says how side pots are built; the usual way is used: each chip is matched by one of
everybody who goes on, and only those whose chips are in a pot can win it.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from tabletools.rules.ante import Rank
from tabletools.rules.cards import Hand
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE
from tabletools.rules.codes.stakes import NOT_WHOLE_CENTS
from tabletools.rules.poker import best_of
from tabletools.rules.violation import RuleViolation, shown


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


def pots_of(
    put_in: Mapping[str, int], live: Sequence[str], passed: Sequence[str], *, dead: int = 0
) -> list[Pot]:
    """Return the main pot and the side pots, layer by layer: a layer is what everybody who put in
    more than the one below put in up to the next amount that anybody put in.

    put_in: by player in seat order, called cents only. live: whose hands are compared. passed:
    those who folded or mucked, in that order, as far as it is known. dead: in the main pot
    besides, for all players to win (3.14). Raises RuleViolation as `claimants`.
    """
    pots, below = [Pot(dead, claimants(list(put_in), live, passed))] if dead else [], 0
    for level in sorted({*put_in.values()} - {0}):
        inside = [player for player, cents in put_in.items() if cents >= level]
        amount, players = (level - below) * len(inside), claimants(inside, live, passed)
        if pots and pots[-1].players == players:
            amount += pots.pop().amount
        pots.append(Pot(amount, players))
        below = level
    return pots


def claimants(
    inside: Sequence[str], live: Sequence[str], passed: Sequence[str]
) -> tuple[str, ...]:
    """Return who can win a layer: of those whose chips are in it, the ones with a live hand.

    If none has one, the last of them who passed: the others had passed before, so he had it alone
    and need not show (2.23). Nobody else has a claim, for nobody else put anything in. Raises
    RuleViolation if the record does not say who that was.
    """
    players = [player for player in inside if player in live]
    players = players or [player for player in passed if player in inside][-1:]
    if not players:
        what = (
            f"a pot has chips only of {' '.join(map(shown, inside))}, and all of them folded; who "
            "passed last had it alone and wins it without showing (2.23): list that player in "
            "mucked, not as folded"
        )
        raise RuleViolation(DEAL_INCOMPLETE, what, "outcome.mucked")
    return tuple(players)


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
