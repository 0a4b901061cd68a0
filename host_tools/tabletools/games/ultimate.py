"""Ultimate Texas Hold'em: two cards each and five on the board. hc2023 3:6 (rulebook 9.5).

Ante and blind are equal; the second stake is three or four times the ante before the flop, two
times on it, once after the river.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from tabletools.rules.ante import (
    ANTE,
    BET,
    CHOICES,
    FOLD,
    Showdown,
    of_own,
    reopened,
    showdowns,
    unless_played,
    verify_stakes,
)
from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import Hand, Results, card_kind
from tabletools.rules.citation import over
from tabletools.rules.codes.bets import BET_NOT_IN_ROUND
from tabletools.rules.game import Choice, Game, Kind, State
from tabletools.rules.hands import HoldemHands, reader_by_hands
from tabletools.rules.money import Odds
from tabletools.rules.poker import (
    FLUSH,
    FOUR,
    FULL_HOUSE,
    PAIR,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    holdem_ranks,
)
from tabletools.rules.selection import On
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.verdict import Verdict, lose, paid, push, win
from tabletools.rules.violation import RuleViolation, player_shown

BLIND, TRIPS = "blind", "trips"
BLIND_PAYS: Mapping[int, Odds] = {
    STRAIGHT: (1, 1),
    FLUSH: (3, 2),
    FULL_HOUSE: (3, 1),
    FOUR: (10, 1),
    STRAIGHT_FLUSH: (50, 1),
    ROYAL_FLUSH: (500, 1),
}
"""Of a higher hand; below a straight the blind is returned (3:6(8))."""
TRIPS_PAYS = {
    THREE: 3,
    STRAIGHT: 4,
    FLUSH: 7,
    FULL_HOUSE: 8,
    FOUR: 30,
    STRAIGHT_FLUSH: 40,
    ROYAL_FLUSH: 50,
}
_SCHEDULE = "hc2023 3:6(8)"
"""What the blind pays; 3:6(9) applies it."""
_OFFER, _FOLD, _TRIPS, _VOID = (
    f"hc2023 {article}" for article in "3:6(1) 3:6(4) 3:6(11) 3:1(7)".split()
)


def results_of(player: Hand, board: Hand, bank: Hand, *, voided: bool) -> Results:
    """Return the results still possible; raise RuleViolation at hands of another size.

    voided: a fault ended the round. With the whole board trips are decided.
    """
    own, other = holdem_ranks(player, board, bank, voided=voided)
    possible = showdowns(own, other, (PAIR,), ROYAL_FLUSH)
    return unless_played(possible, voided=voided)


def _article(result: Showdown) -> str:
    """Return the article of the case: bank qualified, or not and the player higher, or not."""
    paragraph = 8 if result.qualified else 9 if result.sign == 1 else 10
    return f"hc2023 3:6({paragraph})"


def _ante(_on: On, _state: State, choice: Choice, result: object) -> Verdict:
    """Decided only against a bank of a pair or better: higher 1:1, lower lost."""
    assert isinstance(result, Showdown)
    if choice == FOLD:
        return lose(_FOLD)
    if not result.qualified or result.sign == 0:
        return push(_article(result))
    return win((1, 1), _article(result)) if result.sign == 1 else lose(_article(result))


def _bet(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
    """Higher 1:1, lower lost, whatever the bank has."""
    assert isinstance(result, Showdown)
    if result.sign == 0:
        return push(_article(result))
    return win((1, 1), _article(result)) if result.sign == 1 else lose(_article(result))


def _blind(_on: On, _state: State, choice: Choice, result: object) -> Verdict:
    """Higher by the player's combination, lower lost; lost with a fold (READING-31)."""
    assert isinstance(result, Showdown)
    if choice == FOLD:
        return lose(_FOLD)
    if result.sign == -1:
        return lose(_article(result))
    odds = BLIND_PAYS.get(result.combination) if result.sign == 1 else None
    if odds is None:
        return push(_article(result))
    rule = _article(result) if result.qualified else over(_article(result), _SCHEDULE)
    return win(odds, rule, printed="1.5:1" if result.combination == FLUSH else None)


def _trips(_on: On, _state: State, choice: Choice, result: object) -> Verdict:
    """Three of a kind or better, whatever the bank has; edge 4679700/133784560."""
    assert isinstance(result, Showdown)
    if choice == FOLD:
        return lose(_FOLD)
    return paid(TRIPS_PAYS.get(result.combination), _TRIPS)


def verify_round(bets: Sequence[CompiledBet], results: Results) -> None:
    """Raise RuleViolation unless blind equals ante and the second stake is one bet of 1 to 4
    antes."""
    verify_stakes(bets, results, times=(1, 2, 3, 4))
    stakes: Counter[tuple[str | None, str]] = Counter()
    for place, bet in enumerate(bets):
        if bet.chance.kind == BET and stakes[bet.player, BET]:
            what = f"{player_shown(bet.player)} has two bets: there is one, at one moment, three "
            what += "or four times the ante before the flop, twice on it or once at the end"
            raise RuleViolation(BET_NOT_IN_ROUND, f"{what} ({_FOLD})", f"bets[{place}]")
        stakes[bet.player, bet.chance.kind] += bet.stake
    for place, bet in enumerate(bets):
        ante, blind = stakes[bet.player, ANTE], stakes[bet.player, BLIND]
        if ante != blind or not ante:
            what = f"{player_shown(bet.player)} has {ante} on ante and {blind} on blind, which "
            what += "must be equal and placed first (hc2023 3:6(1))"
            raise RuleViolation(BET_NOT_IN_ROUND, what, f"bets[{place}]")


_KINDS: dict[str, Kind] = {
    ANTE: card_kind(_ante, _VOID, choices=CHOICES),
    BLIND: card_kind(_blind, _VOID, choices=CHOICES, unit=BLIND_PAYS[FLUSH][1]),
    BET: card_kind(_bet, _VOID),
    TRIPS: card_kind(_trips, _VOID, choices=CHOICES),
}
GAMES: Mapping[str, Game] = {
    "hc2023": Game(
        "ultimate",
        "hc2023",
        _KINDS,
        tuple(_KINDS),
        _OFFER,
        verify=verify_round,
        reopened=partial(reopened, possible_results=partial(of_own, ROYAL_FLUSH)),
    )
}
"""By edition."""

GAME = TableGame(
    name="ultimate",
    games=without_variants(GAMES),
    outcome=HoldemHands,
    table=Table,
    read_outcome=reader_by_hands(results_of),
    example=(
        [
            {"id": "1", "bet": "ante", "stake": 500},
            {"id": "2", "bet": "blind", "stake": 500},
        ],
        {"player": "9C 9S", "board": "KS 9H", "bank": "QD KC", "void": "shuffler_jam"},
    ),
)
