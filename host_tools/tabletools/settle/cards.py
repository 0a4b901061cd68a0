"""Rounds of card games as records: hands as text, with a void beside them after a fault.

`{"punto":"AH 7C","banco":"KD 5S"}` is a complete round; with `"void":"reason"` only the bets
that the cards dealt before the fault decide are decided.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from tabletools.rules import (
    caribbean,
    casino_holdem,
    casino_war,
    four_card,
    high_low,
    misdeals,
    punto_banco,
    red_dog,
    three_card,
    ultimate,
)
from tabletools.rules.cards import Hand, Results, higher_of
from tabletools.rules.decks import EIGHT, ONE, DeckTable, decks_at
from tabletools.rules.game import Game
from tabletools.rules.hands import AnyHand, Dealt, FiveCards, OneCard, SixCards, ThreeCards
from tabletools.rules.table_game import Cancelled, Table, TableGame, without_variants
from tabletools.rules.violation import within

Deal = Callable[[Game, Sequence[Hand], bool], Results]
"""Results still possible with a game's hands; the last argument: a fault ended the round."""
ReadOutcome = Callable[[Game, Dealt, Any], Results]


class PuntoHands(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("punto", "banco")
    punto: ThreeCards | None = None
    banco: ThreeCards | None = None


class BaccaratHands(misdeals.MaybeMisdealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "banker")
    DECKS: ClassVar = EIGHT
    player: AnyHand | None = None
    banker: AnyHand | None = None


class CommunalAndBank(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("communal", "bank")
    communal: OneCard | None = None
    bank: OneCard | None = None


class RedDogCards(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("cards",)
    cards: ThreeCards | None = None


class CardEach(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "bank")
    player: OneCard | None = None
    bank: OneCard | None = None


class ThreeCardsEach(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "bank")
    DECKS: ClassVar = ONE
    player: ThreeCards | None = None
    bank: ThreeCards | None = None


class FiveCardsEach(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "bank")
    DECKS: ClassVar = ONE
    player: FiveCards | None = None
    bank: FiveCards | None = None


class FiveAndSix(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "bank")
    DECKS: ClassVar = ONE
    player: SixCards | None = None
    bank: SixCards | None = None


class HoldemHands(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "board", "bank")
    DECKS: ClassVar = ONE
    player: FiveCards | None = None
    board: FiveCards | None = None
    bank: FiveCards | None = None


class ShoeTable(DeckTable, frozen=True, kw_only=True):
    """shoe_as_shuffler affects how the host derives outcomes; the game is the same."""

    shoe_as_shuffler: Annotated[
        bool | None,
        Meta(description="hc: a shoe's fault voids as 3:1(7); left out: refused."),
    ] = None


class RedDogTable(ShoeTable, frozen=True, kw_only=True):
    extra_up_to_bet: Annotated[
        bool | None, Meta(description="Extra bet no higher than the bet; left out: no.")
    ] = None


class WarTable(DeckTable, frozen=True, kw_only=True):
    tie_kept: Annotated[
        bool | None,
        Meta(description="Tie stake back when the war is won; left out: it loses."),
    ] = None


class ThreeCardTable(Table, frozen=True, kw_only=True):
    bonus_always: Annotated[
        bool | None, Meta(description="Ante bonus whatever the bank has; left out: no.")
    ] = None


class FourCardTable(Table, frozen=True, kw_only=True):
    bonus_only_on_win: Annotated[
        bool | None, Meta(description="No bonus on a beaten ante; left out: paid.")
    ] = None


def _by(results_of: Deal) -> ReadOutcome:
    """Return the function that gives the results of an outcome."""

    def read(game: Game, outcome: Dealt, table: Table | None) -> Results:
        decks = decks_at(game.name, outcome.DECKS, table)
        with within("outcome"):
            return results_of(game, outcome.hands(decks), outcome.void is not None)

    return read


def _by_hands(results_of: Callable[..., Results]) -> ReadOutcome:
    """As `_by`, of a game whose editions have the same results: results_of(*hands, voided=...)."""
    return _by(lambda _game, hands, voided: results_of(*hands, voided=voided))


def _punto(game: Game, hands: Sequence[Hand], voided: bool) -> Results:
    return punto_banco.outcome_of(game, *hands, voided=voided)


def _baccarat(
    game: Game, outcome: BaccaratHands, table: misdeals.LiveTable | None
) -> Results | Cancelled:
    decks = decks_at(game.name, outcome.DECKS, table)
    with within("outcome"):
        hands = outcome.hands(decks)
        cancelled = misdeals.of_live(game, outcome, table)
        return cancelled or _punto(game, hands, outcome.void is not None)


def _five_each(game: Game, hands: Sequence[Hand], voided: bool) -> Results:
    return caribbean.results_of(game.edition, *hands, voided=voided)


def _caribbean(
    game: Game, outcome: misdeals.StudOutcome, table: misdeals.StudTable | None
) -> Results | Cancelled:
    with within("outcome"):
        hands = outcome.hands()
        cancelled = misdeals.of_stud(game, outcome, table, hands)
        return cancelled or _five_each(game, hands, outcome.void is not None)


def _four_card_at(_game: Game, table: FourCardTable) -> Game:
    return four_card.four_card(bonus_only_on_win=table.bonus_only_on_win or False)


def _three_card_at(game: Game, table: ThreeCardTable) -> Game:
    return three_card.three_card(game.edition, bonus_always=table.bonus_always or False)


def _red_dog_at(_game: Game, table: RedDogTable) -> Game:
    return red_dog.red_dog(up_to_bet=table.extra_up_to_bet or False)


def _casino_war_at(_game: Game, table: WarTable) -> Game:
    return casino_war.casino_war(tie_kept=table.tie_kept or False)


SHOE = "shoe_as_shuffler"

_ALL: tuple[TableGame[Any, Any], ...] = (
    TableGame(
        name="punto_banco",
        games=punto_banco.GAMES,
        outcome=PuntoHands,
        table=ShoeTable,
        read_outcome=_by(_punto),
        example=(
            [{"id": "1", "bet": "punto", "stake": 500}],
            {"punto": "AH 7C", "banco": "KD 5S"},
        ),
    ),
    TableGame(
        name="baccarat",
        games=punto_banco.BACCARAT,
        outcome=BaccaratHands,
        table=misdeals.LiveTable,
        read_outcome=_baccarat,
        example=(
            [{"id": "1", "bet": "tie", "stake": 500}],
            {"player": "AH 7C", "banker": "8D KS"},
        ),
        at_table=misdeals.live_at,
    ),
    TableGame(
        name="high_low",
        games=without_variants(high_low.GAMES),
        outcome=CommunalAndBank,
        table=ShoeTable,
        read_outcome=_by_hands(higher_of),
        example=([{"id": "1", "bet": "high", "stake": 500}], {"communal": "AH", "bank": "7C"}),
    ),
    TableGame(
        name="red_dog",
        games=without_variants(red_dog.GAMES),
        outcome=RedDogCards,
        table=RedDogTable,
        read_outcome=_by_hands(red_dog.outcome_of),
        example=([{"id": "1", "bet": "bet", "stake": 500}], {"cards": "4H 9C 7D"}),
        at_table=_red_dog_at,
    ),
    TableGame(
        name="casino_war",
        games=without_variants(casino_war.GAMES),
        outcome=CardEach,
        table=WarTable,
        read_outcome=_by_hands(higher_of),
        example=(
            [{"id": "1", "bet": "bet", "stake": 500, "choice": "war"}],
            {"player": "KH", "bank": "KD"},
        ),
        at_table=_casino_war_at,
    ),
    TableGame(
        name="three_card",
        games=without_variants(three_card.GAMES),
        outcome=ThreeCardsEach,
        table=ThreeCardTable,
        read_outcome=_by_hands(three_card.results_of),
        example=(
            [{"id": "1", "bet": "pair_plus", "stake": 500}],
            {"player": "9H 9C 2D", "bank": "QD 7S 3C"},
        ),
        at_table=_three_card_at,
    ),
    TableGame(
        name="caribbean",
        games=without_variants(caribbean.GAMES),
        outcome=misdeals.StudOutcome,
        table=misdeals.StudTable,
        read_outcome=_caribbean,
        example=(
            [{"id": "1", "bet": "ante", "stake": 500, "choice": "fold"}],
            {"player": "9H 7C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"},
        ),
        at_table=misdeals.stud_at,
    ),
    TableGame(
        name="multi_poker",
        games=without_variants(caribbean.MULTI_POKER),
        outcome=FiveCardsEach,
        table=Table,
        read_outcome=_by(_five_each),
        example=(
            [{"id": "1", "bet": "ante", "stake": 500}, {"id": "2", "bet": "bet", "stake": 1000}],
            {"player": "9H 9C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"},
        ),
    ),
    TableGame(
        name="casino_holdem",
        games=without_variants(casino_holdem.GAMES),
        outcome=HoldemHands,
        table=Table,
        read_outcome=_by_hands(casino_holdem.results_of),
        example=(
            [
                {"id": "1", "bet": "ante", "stake": 500, "choice": "fold"},
                {"id": "2", "bet": "aa_bonus", "stake": 500},
            ],
            {"player": "AD 3D", "board": "AS 9H 4D JC 2H", "bank": "4C 7C"},
        ),
    ),
    TableGame(
        name="four_card",
        games=without_variants(four_card.GAMES),
        outcome=FiveAndSix,
        table=FourCardTable,
        read_outcome=_by_hands(four_card.results_of),
        example=(
            [{"id": "1", "bet": "ante", "stake": 500, "choice": "fold"}],
            {"player": "9H 7C 5D 3S 2D", "bank": "AS KH 4D 3C 2H 2C"},
        ),
        at_table=_four_card_at,
    ),
    TableGame(
        name="ultimate",
        games=without_variants(ultimate.GAMES),
        outcome=HoldemHands,
        table=Table,
        read_outcome=_by_hands(ultimate.results_of),
        example=(
            [
                {"id": "1", "bet": "ante", "stake": 500},
                {"id": "2", "bet": "blind", "stake": 500},
            ],
            {"player": "9C 9S", "board": "KS 9H", "bank": "QD KC", "void": "shuffler_jam"},
        ),
    ),
)
CARD_GAMES: Mapping[str, TableGame[Any, Any]] = {game.name: game for game in _ALL}
"""By id."""
