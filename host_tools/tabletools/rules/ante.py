"""Poker against the bank: an ante, a second stake or a fold, and a showdown.

A line is one player's hand against the bank's. The second stake is the bet `bet`. A player who
folds states it as the choice of the ante (and of the bets lost with it) and places no second
stake.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import CardVerdicts, Results, verify_choices
from tabletools.rules.codes.bets import BET_NOT_IN_ROUND
from tabletools.rules.declared import replaced
from tabletools.rules.game import PrintedTable
from tabletools.rules.violation import RuleViolation, player_shown

ANTE, BET = "ante", "bet"
PLAY, FOLD = "play", "fold"
CHOICES = (PLAY, FOLD)

POKER_2011 = PrintedTable("3:5(5)", most=1_000_000)
"""hc2011: the casino sets the maxima, none above EUR 10,000."""

Rank = tuple[int, ...]
"""How a hand ranks: its combination, then its cards in order of value."""


class Showdown(NamedTuple):
    """combination: the player's. qualified: the bank's hand is good enough to play. sign: 1 if the
    player's hand is higher, 0 equal, -1 lower."""

    combination: int
    qualified: bool
    sign: int


Showdowns = frozenset[Showdown]


class Interrupted(frozenset[Hashable]):
    """Results of a round that a fault ended, equal to those of a completed one."""


def unless_played(results: Results, *, voided: bool) -> Results:
    """Return the results, marked if a fault ended the round."""
    return Interrupted(results) if voided else results


def showdowns(own: Rank | None, bank: Rank | None, least: Rank, best: int) -> Showdowns:
    """Return the showdowns still possible.

    own, bank: None while cards of a hand are missing. least: the lowest hand with which the bank
    qualifies. best: the highest combination. A fold has the same verdict in all of them.
    """
    if own is None or bank is None:
        return _open(None if own is None else own[0], best)
    return frozenset((Showdown(own[0], bank >= least, (own > bank) - (own < bank)),))


@cache
def _open(combination: int | None, best: int) -> Showdowns:
    """Return the showdowns of a combination, or of any, against an unknown hand."""
    combinations = range(best + 1) if combination is None else (combination,)
    possible = product(combinations, (True, False), (1, 0, -1))
    return frozenset(Showdown(*each) for each in possible)


def _stakes(bets: Sequence[CompiledBet]) -> tuple[Counter[str | None], Counter[str | None]]:
    """Return what each player has on antes that play, and as second stakes."""
    antes: Counter[str | None] = Counter()
    seconds: Counter[str | None] = Counter()
    for bet in bets:
        if bet.chance.kind == BET:
            seconds[bet.player] += bet.stake
        elif bet.chance.kind == ANTE:
            assert isinstance(bet.verdicts, CardVerdicts)
            antes[bet.player] += 0 if bet.verdicts.choice == FOLD else bet.stake
    return antes, seconds


def reopened(
    bets: Sequence[CompiledBet],
    results: Results,
    *,
    possible_results: Callable[[Hashable], Results],
) -> Sequence[CompiledBet]:
    """Return the bets; those of players who had not decided when a fault occurred stay undecided.

    Even with all cards on the table the ante of such a player is neither won nor lost
    (READING-55). possible_results: those that a given result could have been, for a player who
    knows only the own cards.
    """
    if not isinstance(results, Interrupted) or len(results) != 1:
        return bets
    antes, seconds = _stakes(bets)
    possible = possible_results(next(iter(results)))
    return [
        replaced(bet, verdicts={results: bet.verdicts[possible]})
        if antes[bet.player] and not seconds[bet.player]
        else bet
        for bet in bets
    ]


def of_own(best: int, result: Hashable) -> Results:
    """Return every showdown of the player's combination. best: the highest combination."""
    assert isinstance(result, Showdown)
    return _open(result.combination, best)


def _verify_beside(bets: Sequence[CompiledBet], beside: Mapping[str, str]) -> None:
    with_ante = {bet.player for bet in bets if bet.chance.kind == ANTE}
    for place, bet in enumerate(bets):
        kind = bet.chance.kind
        if kind in beside and bet.player not in with_ante:
            what = f"{player_shown(bet.player)} has {kind} and no ante, which comes first "
            raise RuleViolation(BET_NOT_IN_ROUND, f"{what}({beside[kind]})", f"bets[{place}]")


def verify_stakes(
    bets: Sequence[CompiledBet],
    results: Results,
    *,
    times: Sequence[int],
    beside: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Raise RuleViolation unless each second stake is one of `times` the player's ante in play.

    beside: the bets that need an ante of the player, folded or not, with the article that says so.
    If a fault ended the round, an ante may still wait for its decision.
    """
    verify_choices(bets)
    antes, seconds = _stakes(bets)
    is_cut = isinstance(results, Interrupted)
    if beside:
        _verify_beside(bets, beside)
    for place, bet in enumerate(bets):
        played, second = antes[bet.player], seconds[bet.player]
        waits = (len(results) != 1 or is_cut) and not second
        fits = second in [played * each for each in times]
        if bet.chance.kind in (ANTE, BET) and not fits and not waits:
            allowed = " or ".join(map(str, times))
            what = (
                f"{player_shown(bet.player)} plays {played} on ante with {second} on bet, needed "
            )
            what += f"is {allowed} times the ante; a fold is the choice of the ante"
            raise RuleViolation(BET_NOT_IN_ROUND, what, f"bets[{place}]")
