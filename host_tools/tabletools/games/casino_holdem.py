"""Casino Hold'em: two cards each and five on the board. hc2011 3:8 (rulebook 9.6).

The call is the bet `bet`, twice the ante.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from tabletools.rules.ante import (
    ANTE,
    BET,
    CHOICES,
    FOLD,
    POKER_2011,
    Showdown,
    of_own,
    reopened,
    showdowns,
    unless_played,
    verify_stakes,
)
from tabletools.rules.cards import Hand, Results, card_kind
from tabletools.rules.citation import over
from tabletools.rules.game import Choice, Game, State
from tabletools.rules.hands import HoldemHands, reader_by_hands
from tabletools.rules.poker import (
    FLUSH,
    FOUR,
    FULL_HOUSE,
    HOLDEM_OWN,
    PAIR,
    ROYAL_FLUSH,
    STRAIGHT_FLUSH,
    best_of,
    holdem_ranks,
)
from tabletools.rules.selection import On
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.verdict import Verdict, lose, paid, push, win

AA_BONUS = "aa_bonus"
FLOP = 3
PAIR_OF_FOURS = (PAIR, 4, 4)
"""The lowest hand with which the bank qualifies."""
PAIR_OF_ACES = (PAIR, 14, 14)
ANTE_PAYS = {FLUSH: 2, FULL_HOUSE: 3, FOUR: 10, STRAIGHT_FLUSH: 20, ROYAL_FLUSH: 100}
"""Winnings per ante; every lower combination 1:1 (3:8(7))."""
BONUS_PAYS = {FLUSH: 20, FULL_HOUSE: 30, FOUR: 40, STRAIGHT_FLUSH: 50, ROYAL_FLUSH: 100}
"""Winnings per AA bonus; a pair of aces up to a straight 7:1 (3:8(5))."""
LEAST_BONUS = 7
_OFFER, _FOLD, _BONUS, _TABLE = "hc2011 3:8(1)", "hc2011 3:8(4)", "hc2011 3:8(5)", "hc2011 3:8(7)"
_LOWER, _HIGHER, _VOID = "hc2011 3:8(8)", "hc2011 3:8(9)", "hc2011 3:1(7)"


class Result(NamedTuple):
    """bonus: winnings per AA bonus, 0 when it loses. showdown: of the best five cards each."""

    bonus: int
    showdown: Showdown


def _bonuses(player: Hand, flop: Hand) -> Sequence[int]:
    """Return the possible winnings of the AA bonus: a single one once the flop is dealt."""
    if len(player) < HOLDEM_OWN or len(flop) < FLOP:
        return (0, LEAST_BONUS, *BONUS_PAYS.values())
    rank = best_of((*player, *flop))
    return (BONUS_PAYS.get(rank[0], LEAST_BONUS) if rank >= PAIR_OF_ACES else 0,)


def results_of(player: Hand, board: Hand, bank: Hand, *, voided: bool) -> Results:
    """Return the results still possible; raise RuleViolation at hands of another size.

    voided: a fault ended the round. With the flop the AA bonus is decided.
    """
    own, other = holdem_ranks(player, board, bank, voided=voided)
    possible = showdowns(own, other, PAIR_OF_FOURS, ROYAL_FLUSH)
    results = frozenset(
        Result(*each) for each in product(_bonuses(player, board[:FLOP]), possible)
    )
    return unless_played(results, voided=voided)


def _of_own(result: object) -> Results:
    """The AA bonus is known; the showdown is open to a player who sees only the own cards."""
    assert isinstance(result, Result)
    possible = of_own(ROYAL_FLUSH, result.showdown)
    return frozenset(Result(result.bonus, each) for each in possible if isinstance(each, Showdown))


def _ante(_on: On, _state: State, choice: Choice, result: object) -> Verdict:
    """Paid by the player's combination, if it is higher or the bank does not qualify."""
    assert isinstance(result, Result)
    combination, qualified, sign = result.showdown
    if choice == FOLD:
        return lose(_FOLD)
    if not qualified or sign == 1:
        rule = over(_HIGHER, _TABLE) if qualified else _TABLE
        return win((ANTE_PAYS.get(combination, 1), 1), rule)
    return push(_LOWER) if sign == 0 else lose(_LOWER)


def _bet(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
    """Paid 1:1, only against a qualified bank."""
    assert isinstance(result, Result)
    _, qualified, sign = result.showdown
    if not qualified:
        return push(_TABLE)
    if sign == 0:
        return push(_LOWER)
    return win((1, 1), _HIGHER) if sign == 1 else lose(_LOWER)


def _aa_bonus(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
    """A pair of aces or better in the own cards and the flop; edge 162652/2598960."""
    assert isinstance(result, Result)
    return paid(result.bonus, _BONUS)


_KINDS = {
    ANTE: card_kind(_ante, _VOID, choices=CHOICES),
    BET: card_kind(_bet, _VOID),
    AA_BONUS: card_kind(_aa_bonus, _VOID),
}
GAMES: Mapping[str, Game] = {
    "hc2011": Game(
        "casino_holdem",
        "hc2011",
        _KINDS,
        tuple(_KINDS),
        _OFFER,
        POKER_2011,
        verify=partial(verify_stakes, times=(2,), beside={AA_BONUS: _OFFER}),
        reopened=partial(reopened, possible_results=_of_own),
    )
}
"""By edition."""

GAME = TableGame(
    name="casino_holdem",
    games=without_variants(GAMES),
    outcome=HoldemHands,
    table=Table,
    read_outcome=reader_by_hands(results_of),
    example=(
        [
            {"id": "1", "bet": "ante", "stake": 500, "choice": "fold"},
            {"id": "2", "bet": "aa_bonus", "stake": 500},
        ],
        {"player": "AD 3D", "board": "AS 9H 4D JC 2H", "bank": "4C 7C"},
    ),
)
