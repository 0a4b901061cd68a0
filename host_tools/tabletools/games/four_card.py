"""Four Card Poker: the best four of five cards against the best four of six. hc2023 3:7.

Rulebook 9.4. Every hand of the bank qualifies, and equal hands win. The second stake is one,
two or three times the ante.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar

from msgspec import Meta

from tabletools.rules.ante import (
    ANTE,
    BET,
    CHOICES,
    FOLD,
    Rank,
    Showdown,
    of_own,
    reopened,
    showdowns,
    unless_played,
    verify_stakes,
)
from tabletools.rules.cards import Hand, Results, card_kind
from tabletools.rules.citation import over
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.decks import ONE
from tabletools.rules.game import Choice, Game, Kind, State
from tabletools.rules.hands import Dealt, SixCards, reader_by_hands
from tabletools.rules.poker import levels_of, run_of, tally, top_of
from tabletools.rules.selection import On
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.verdict import Verdict, lose, paid, win, with_bonus
from tabletools.rules.violation import RuleViolation

ACES_UP = "aces_up"
PLAYER, BANK, HAND = 5, 6, 4
HIGH, PAIR, ACES, TWO_PAIR, STRAIGHT, FLUSH, THREE, STRAIGHT_FLUSH, FOUR = range(9)
"""Combinations, from low to high (3:7(6)). A pair of aces is separate for Aces Up."""
BONUS = {FOUR: 25, STRAIGHT_FLUSH: 20, THREE: 2}
"""Added to the ante, per stake (3:7(7))."""
ACES_UP_PAYS = {
    FOUR: 50,
    STRAIGHT_FLUSH: 40,
    THREE: 8,
    FLUSH: 5,
    STRAIGHT: 4,
    TWO_PAIR: 3,
    ACES: 1,
}
_OFFER, _FOLD, _SHOWDOWN, _BONUS, _ACES_UP, _VOID = (
    f"hc2023 {article}" for article in "3:7(1) 3:7(3) 3:7(6) 3:7(7) 3:7(8) 3:1(7)".split()
)


def best_of(cards: Sequence[str]) -> Rank:
    """Return the rank of the best four of four to six cards: combination, then cards by value."""
    one, two, three, four, suit = tally(cards, HAND)
    if four:
        return (FOUR, *[top_of(four)] * HAND)
    run = run_of(suit, HAND) if suit else ()
    if run:
        return (STRAIGHT_FLUSH, *run)
    if three:
        top = top_of(three)
        return (THREE, top, top, top, top_of(one ^ 1 << top))
    if suit:
        return (FLUSH, *levels_of(suit, HAND))
    run = run_of(one, HAND)
    if run:
        return (STRAIGHT, *run)
    if not two:
        return (HIGH, *levels_of(one, HAND))
    top = top_of(two)
    below = two ^ 1 << top
    if below:
        low = top_of(below)
        return (TWO_PAIR, top, top, low, low)
    return (ACES if top == 14 else PAIR, top, top, *levels_of(one ^ 1 << top, 2))


def results_of(player: Hand, bank: Hand, *, voided: bool) -> Results:
    """Return the results still possible; raise RuleViolation at hands of another size.

    voided: a fault ended the round. With the player's five cards Aces Up is decided.
    """
    if len(player) > PLAYER or len(bank) > BANK:
        raise RuleViolation(
            DEAL_NOT_BY_RULE, "five cards are dealt to the player, six to the bank"
        )
    full = len(player) == PLAYER, len(bank) == BANK
    if not all(full) and not voided:
        raise RuleViolation(DEAL_INCOMPLETE, "five cards are dealt to the player, six to the bank")
    own, other = best_of(player) if full[0] else None, best_of(bank) if full[1] else None
    possible = showdowns(own, other, (HIGH,), FOUR)
    return unless_played(possible, voided=voided)


def _ante(only_on_win: bool, _on: On, _state: State, choice: Choice, result: object) -> Verdict:
    """Higher or equal 1:1, with the bonus by the player's combination."""
    assert isinstance(result, Showdown)
    if choice == FOLD:
        return lose(_FOLD)
    bonus = BONUS.get(result.combination, 0)
    if result.sign >= 0:
        showdown = win((1, 1), _SHOWDOWN)
    else:
        showdown, bonus = lose(over(_BONUS, _SHOWDOWN)), 0 if only_on_win else bonus
    return with_bonus(showdown, bonus, _BONUS) if bonus else showdown


def _bet(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
    """Higher or equal 1:1."""
    assert isinstance(result, Showdown)
    return win((1, 1), _SHOWDOWN) if result.sign >= 0 else lose(_SHOWDOWN)


def _aces_up(_on: On, _state: State, choice: Choice, result: object) -> Verdict:
    """A pair of aces or better, whatever the bank has; lost with a fold. Edge 101144/2598960."""
    assert isinstance(result, Showdown)
    if choice == FOLD:
        return lose(_FOLD)
    return paid(ACES_UP_PAYS.get(result.combination), _ACES_UP)


def four_card(*, bonus_only_on_win: bool = True) -> Game:
    """Return the game. bonus_only_on_win: no bonus on an ante that the bank's hand beats.

    3:7(7) says when the ante is lost, "if the player has a lower hand than the bank", and then
    what it is paid "on a win", whatever the cards of the bank are worth (READING-29).
    """
    ante = partial(_ante, bonus_only_on_win)
    kinds: dict[str, Kind] = {
        ANTE: card_kind(ante, _VOID, choices=CHOICES),
        BET: card_kind(_bet, _VOID),
        ACES_UP: card_kind(_aces_up, _VOID, choices=CHOICES),
    }
    stakes = partial(verify_stakes, times=(1, 2, 3), beside={ACES_UP: _OFFER})
    open_again = partial(reopened, possible_results=partial(of_own, FOUR))
    return Game(
        "four_card", "hc2023", kinds, tuple(kinds), _OFFER, verify=stakes, reopened=open_again
    )


GAMES: Mapping[str, Game] = {"hc2023": four_card()}
"""By edition."""


class FiveAndSix(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "bank")
    DECKS: ClassVar = ONE
    player: SixCards | None = None
    bank: SixCards | None = None


class FourCardTable(Table, frozen=True, kw_only=True):
    bonus_only_on_win: Annotated[
        bool | None, Meta(description="No bonus on a beaten ante; left out: none.")
    ] = None


def _at_table(_game: Game, table: FourCardTable) -> Game:
    return four_card(bonus_only_on_win=table.bonus_only_on_win is not False)


GAME = TableGame(
    name="four_card",
    games=without_variants(GAMES),
    outcome=FiveAndSix,
    table=FourCardTable,
    read_outcome=reader_by_hands(results_of),
    example=(
        [{"id": "1", "bet": "ante", "stake": 500, "choice": "fold"}],
        {"player": "9H 7C 5D 3S 2D", "bank": "AS KH 4D 3C 2H 2C"},
    ),
    at_table=_at_table,
)
