"""Red Dog: a third card between two. hc2011 3:4 (rulebook 9.8). 2 is low, the ace high."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar, NamedTuple

from msgspec import Meta

from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import RANKS, Hand, Results, card_kind, level
from tabletools.rules.codes.bets import BET_NOT_IN_ROUND
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.codes.stakes import ABOVE_MAXIMUM
from tabletools.rules.dealing import Outcome, SharedDeal, verify_count
from tabletools.rules.decks import ShoeTable
from tabletools.rules.game import Choice, Game, PrintedTable, State
from tabletools.rules.hands import Dealt, ThreeCards, reader_by_hands
from tabletools.rules.selection import On
from tabletools.rules.table_game import TableGame, without_variants
from tabletools.rules.verdict import Verdict, lose, push, win
from tabletools.rules.violation import RuleViolation

PAYS = (5, 4, 2, 1)
"""Winnings per stake by spread 1, 2, 3, and 4 or more (3:4(3))."""
PAIR, CONSECUTIVE = -1, 0
"""Spreads without a rank between. A pair pays 11:1 when the third card equals it (3:4(5))."""
BET, EXTRA = "bet", "extra"
VOID_ARTICLE = "hc2011 3:1(7)"


_ON_PAIR = "hc2011 3:4(5), 3:4(4)"
"""By 3:4(4) a third card equal to the outer ones, or outside, would lose."""


class Result(NamedTuple):
    """spread: ranks strictly between the first two cards.

    hit: the third is between them or, with a pair, equal to it.
    """

    spread: int
    hit: bool


def _decide(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
    """Between: 5:1 to 1:1, else lost; edge 7.9681 % with 6 decks and no extra bet."""
    assert isinstance(result, Result)
    if result.spread == PAIR:
        return win((11, 1), _ON_PAIR) if result.hit else push(_ON_PAIR)
    if result.spread == CONSECUTIVE:
        return push("hc2011 3:4(4)")
    if not result.hit:
        return lose("hc2011 3:4(4)")
    return win((PAYS[min(result.spread, len(PAYS)) - 1], 1), "hc2011 3:4(3)")


def _result(first: str, second: str, third: str) -> Result:
    low, high = sorted((level(first), level(second)))
    if low == high:
        return Result(PAIR, level(third) == low)
    return Result(high - low - 1, low < level(third) < high)


def outcome_of(cards: Hand, *, voided: bool) -> Results:
    """Return the results still possible. Consecutive cards need no third, and one changes nothing.

    voided: a fault ended the round. Before the second card nothing is decided.
    """
    if len(cards) > 3:
        raise RuleViolation(DEAL_NOT_BY_RULE, f"at most three cards are dealt, found {len(cards)}")
    if len(cards) < 2:
        if not voided:
            raise RuleViolation(DEAL_INCOMPLETE, f"two cards are dealt first, found {len(cards)}")
        return frozenset()
    results = frozenset(_result(cards[0], cards[1], third) for third in cards[2:] or RANKS)
    spread = next(iter(results)).spread
    if len(cards) == 2 and spread != CONSECUTIVE and not voided:
        raise RuleViolation(
            DEAL_INCOMPLETE, "the third card is to come: these are not consecutive"
        )
    return results


def verify_round(bets: Sequence[CompiledBet], results: Results, *, up_to_bet: bool) -> None:
    """Raise RuleViolation at an extra bet with no bet before it, or that could not be placed.

    up_to_bet: the extra bet is no higher than the bet; the text sets no limit (READING-53).
    """
    left: dict[str | None, int] = {}
    for bet in bets:
        if bet.chance.kind == BET:
            left[bet.player] = left.get(bet.player, 0) + bet.stake
    for place, bet in enumerate(bets):
        if bet.chance.kind != EXTRA:
            continue
        if bet.player not in left or any(r.spread <= CONSECUTIVE for r in results):  # type: ignore[attr-defined]
            what = "an extra bet is added to a bet, when the first two cards leave a place between"
            raise RuleViolation(BET_NOT_IN_ROUND, f"{what} (hc2011 3:4(3))", f"bets[{place}]")
        left[bet.player] -= bet.stake if up_to_bet else 0
        if left[bet.player] < 0:
            what = "on this table the extra bet must not be higher than the bet"
            raise RuleViolation(ABOVE_MAXIMUM, what, f"bets[{place}].stake")


def red_dog(*, up_to_bet: bool = False) -> Game:
    """Return the game. up_to_bet: see verify_round."""
    kinds = {name: card_kind(_decide, VOID_ARTICLE) for name in (BET, EXTRA)}
    return Game(
        "red_dog",
        "hc2011",
        kinds,
        tuple(kinds),
        "hc2011 3:4(3)",
        PrintedTable("3:4(2)"),
        verify=partial(verify_round, up_to_bet=up_to_bet),
    )


GAMES: Mapping[str, Game] = {"hc2011": red_dog()}
"""By edition."""


class RedDogCards(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("cards",)
    cards: ThreeCards | None = None


class RedDogTable(ShoeTable, frozen=True, kw_only=True):
    extra_up_to_bet: Annotated[
        bool | None, Meta(description="Extra bet no higher than the bet; left out: no.")
    ] = None


def _at_table(_game: Game, table: RedDogTable) -> Game:
    return red_dog(up_to_bet=table.extra_up_to_bet or False)


_MOST_CARDS = 3


def _dealt(dealt: Hand) -> Outcome:
    """hc2011 3:4(4): consecutive cards end the round, otherwise a third card follows."""
    apart = abs(level(dealt[0]) - level(dealt[1])) if len(dealt) > 1 else 0
    due = 2 if apart == 1 else 3
    verify_count(dealt, due, "two, and a third unless they are consecutive (hc2011 3:4)")
    return {"cards": " ".join(dealt)}


def _so_far(dealt: Hand) -> Outcome | None:
    if len(dealt) > _MOST_CARDS:
        return None
    return {"cards": " ".join(dealt)} if dealt else {}


GAME = TableGame(
    name="red_dog",
    placed_later="extra",
    dealing=SharedDeal(_dealt, _so_far),
    games=without_variants(GAMES),
    outcome=RedDogCards,
    table=RedDogTable,
    read_outcome=reader_by_hands(outcome_of),
    example=([{"id": "1", "bet": "bet", "stake": 500}], {"cards": "4H 9C 7D"}),
    at_table=_at_table,
)
