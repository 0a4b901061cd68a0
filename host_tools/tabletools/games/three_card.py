"""Three Card Poker. hc2011 3:7, hc2023 3:8 (rulebook 9.3). The second stake equals the ante."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Annotated, ClassVar, NamedTuple

from msgspec import Meta

from tabletools.rules.ante import (
    ANTE,
    BET,
    CHOICES,
    FOLD,
    POKER_2011,
    Rank,
    Showdown,
    of_own,
    reopened,
    showdowns,
    unless_played,
    verify_stakes,
)
from tabletools.rules.cards import Hand, Results, card_kind, level
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.decks import ONE
from tabletools.rules.game import Choice, Game, Kind, State
from tabletools.rules.hands import Dealt, ThreeCards, reader_by_hands
from tabletools.rules.selection import On
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.verdict import Verdict, lose, paid, push, win, with_bonus
from tabletools.rules.violation import RuleViolation

PAIR_PLUS = "pair_plus"
CARDS = 3
HIGH, PAIR, FLUSH, STRAIGHT, THREE, STRAIGHT_FLUSH = range(6)
"""Combinations, from low to high."""
BONUS = {STRAIGHT: 1, THREE: 4, STRAIGHT_FLUSH: 5}
"""Added to the ante, per stake."""
PAIR_PLUS_PAYS = {PAIR: 1, FLUSH: 4, STRAIGHT: 6, THREE: 33, STRAIGHT_FLUSH: 35}
QUEEN_HIGH = (HIGH, 12)
"""The lowest hand with which the bank qualifies; read literally, by "one of the three cards is a
Queen or higher" a pair of nines would not (READING-28)."""


class Articles(NamedTuple):
    """The articles of an edition."""

    offer: str
    fold: str
    lower: str
    higher: str
    unqualified: str
    pair_plus: str
    void: str


def rank_of(hand: Hand) -> Rank:
    """Return how a hand ranks: its combination, then its cards by value."""
    levels = sorted(map(level, hand), reverse=True)
    if levels == [14, 3, 2]:
        levels = [3, 2, 1]  # the lowest straight (READING-38)
    if len(set(levels)) < CARDS:
        counts = Counter(levels)
        levels.sort(key=lambda each: (counts[each], each), reverse=True)
        return (THREE if len(counts) == 1 else PAIR, *levels)
    straight = levels[0] - levels[2] == CARDS - 1
    flush = len({card[1] for card in hand}) == 1
    if straight:
        return (STRAIGHT_FLUSH if flush else STRAIGHT, *levels)
    return (FLUSH if flush else HIGH, *levels)


def results_of(player: Hand, bank: Hand, *, voided: bool) -> Results:
    """Return the results still possible; raise RuleViolation unless both hands have three cards.

    voided: a fault ended the round. With the player's three cards Pair Plus is decided.
    """
    if max(len(player), len(bank)) > CARDS:
        raise RuleViolation(DEAL_NOT_BY_RULE, "player and bank are dealt three cards each")
    if not voided and not len(player) == len(bank) == CARDS:
        raise RuleViolation(DEAL_INCOMPLETE, "player and bank are dealt three cards each")
    own, other = (rank_of(hand) if len(hand) == CARDS else None for hand in (player, bank))
    possible = showdowns(own, other, QUEEN_HIGH, STRAIGHT_FLUSH)
    return unless_played(possible, voided=voided)


def _ante(
    articles: Articles, bonus_always: bool, _on: On, _state: State, choice: Choice, result: object
) -> Verdict:
    """Higher, or the bank not qualified: 1:1. Edge 5.0419 % (letter), 3.3730 % (bonus always)."""
    assert isinstance(result, Showdown)
    if choice == FOLD:
        return lose(articles.fold)
    bonus = BONUS.get(result.combination, 0)
    beaten = result.qualified and result.sign == 1
    extra = bonus if bonus_always or beaten else 0
    if not result.qualified:
        verdict_ = win((1, 1), articles.unqualified)
    elif result.sign == 1:
        verdict_ = win((1, 1), articles.higher)
    else:
        verdict_ = push(articles.lower) if result.sign == 0 else lose(articles.lower)
    return with_bonus(verdict_, extra, articles.higher) if extra else verdict_


def _bet(articles: Articles, _on: On, _state: State, _choice: Choice, result: object) -> Verdict:
    """Paid 1:1, only against a qualified bank."""
    assert isinstance(result, Showdown)
    if not result.qualified:
        return push(articles.unqualified)
    if result.sign == 0:
        return push(articles.lower)
    return win((1, 1), articles.higher) if result.sign == 1 else lose(articles.lower)


def _pair_plus(
    articles: Articles, _on: On, _state: State, _choice: Choice, result: object
) -> Verdict:
    """The player's own combination, whatever the bank has; edge 596/22100."""
    assert isinstance(result, Showdown)
    return paid(PAIR_PLUS_PAYS.get(result.combination), articles.pair_plus)


_ARTICLES = {
    "hc2011": ("3:7(1)", "3:7(3)", "3:7(6)", "3:7(7)", "3:7(8)", "3:7(9)", "3:1(7)"),
    "hc2023": ("3:8(1)", "3:8(3)", "3:8(6)", "3:8(7)", "3:8(8)", "3:8(9)", "3:1(7)"),
}


def three_card(edition: str, *, bonus_always: bool = False) -> Game:
    """Return the game. bonus_always: the ante bonus is paid whatever the bank has.

    Read literally, it is an addition to the case "bank qualified and player higher" (READING-29).
    """
    articles = Articles(*(f"{edition} {article}" for article in _ARTICLES[edition]))
    ante = partial(_ante, articles, bonus_always)
    kinds: dict[str, Kind] = {
        ANTE: card_kind(ante, articles.void, choices=CHOICES),
        BET: card_kind(partial(_bet, articles), articles.void),
        PAIR_PLUS: card_kind(partial(_pair_plus, articles), articles.void),
    }
    printed = POKER_2011 if edition == "hc2011" else None
    return Game(
        "three_card",
        edition,
        kinds,
        tuple(kinds),
        articles.offer,
        printed,
        verify=partial(verify_stakes, times=(1,)),
        reopened=partial(reopened, possible_results=partial(of_own, STRAIGHT_FLUSH)),
    )


GAMES: Mapping[str, Game] = {edition: three_card(edition) for edition in _ARTICLES}
"""By edition."""


class ThreeCardsEach(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "bank")
    DECKS: ClassVar = ONE
    player: ThreeCards | None = None
    bank: ThreeCards | None = None


class ThreeCardTable(Table, frozen=True, kw_only=True):
    bonus_always: Annotated[
        bool | None, Meta(description="Ante bonus whatever the bank has; left out: no.")
    ] = None


def _at_table(game: Game, table: ThreeCardTable) -> Game:
    return three_card(game.edition, bonus_always=table.bonus_always or False)


GAME = TableGame(
    name="three_card",
    games=without_variants(GAMES),
    outcome=ThreeCardsEach,
    table=ThreeCardTable,
    read_outcome=reader_by_hands(results_of),
    example=(
        [{"id": "1", "bet": "pair_plus", "stake": 500}],
        {"player": "9H 9C 2D", "bank": "QD 7S 3C"},
    ),
    at_table=_at_table,
)
