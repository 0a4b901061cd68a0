"""Rounds of card games as records: hands as text, and a void beside them if a fault came.

`{"punto":"AH 7C","banco":"KD 5S"}` is a round played to its end; with `"void":"reason"` the cards
dealt until the fault decide what they decide, and no more.
"""

from collections.abc import Callable, Mapping, Sequence

from tabletools.rules import (
    caribbean,
    casino_holdem,
    casino_war,
    four_card,
    high_low,
    punto_banco,
    red_dog,
    three_card,
    ultimate,
)
from tabletools.rules.cards import RANKS, SUITS, Hand, Results, hand_of, higher_of
from tabletools.rules.game import Game
from tabletools.rules.misdeal import DECK
from tabletools.rules.refusal import Refusal, within
from tabletools.settle.misdeals import LIVE_GAME, MISDEAL, STUD, Cancelled, Misdeals
from tabletools.settle.records import OUTCOME_NOT_ONE
from tabletools.settle.strict_json import Fields
from tabletools.settle.table_game import TableGame, single
from tabletools.settle.table_schema import TEXT_OR_NULL, Schema, boolean

Deal = Callable[[Game, Sequence[Hand], bool], Results]
"""Results still possible of a game's hands; the last says whether a fault ended the round."""

_CARD = f"[{RANKS}][{SUITS}]"
HAND = f"^{_CARD}( {_CARD})*$"
"""Pattern of a hand of any number of cards."""


def _reader(
    names: Sequence[str], results_of: Deal, wrong: Misdeals | None = None
) -> Callable[[Fields, Game], Results | Cancelled]:
    """Return what reads an outcome. names: the fields of the hands. wrong: how misdeals go."""
    known = (*names, "void", *(wrong.schema if wrong else ()))

    def read(fields: Fields, game: Game) -> Results | Cancelled:
        record = fields.need("outcome")
        with within("outcome"):
            outcome = Fields(record, known)
            voided = outcome.optional_text("void") is not None
            texts = [outcome.optional_text(name) for name in names]
            if not voided and None in texts and outcome.get(MISDEAL) is None:
                what = f"without a void, {' and '.join(names)} are needed"
                raise Refusal(OUTCOME_NOT_ONE, what)
            hands = []
            for name, text in zip(names, texts, strict=True):
                with within(name):
                    hands.append(hand_of(text or ""))
            cancelled = wrong.cancelled(fields, outcome, game, hands) if wrong else None
            return cancelled or results_of(game, hands, voided)

    return read


def _schema(names: Sequence[str], most: int, wrong: Misdeals | None = None) -> Schema:
    """Return the schema of an outcome. most: cards in a hand. wrong: how misdeals go."""
    most = DECK if wrong else most
    more = f"( {_CARD}){{0,{most - 1}}}" if most > 1 else ""
    hand = {
        "type": ["string", "null"],
        "pattern": f"^{_CARD}{more}$",
        "description": "Cards in the order dealt: AH TD 7C.",
    }
    void = {**TEXT_OR_NULL, "description": "Why; bets the cards dealt have not decided are void."}
    text = {"type": "string"}
    alone = ("void", MISDEAL) if wrong else ("void",)
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            **dict.fromkeys(names, hand),
            "void": void,
            **(wrong.schema if wrong else {}),
        },
        "anyOf": [
            {"required": list(names), "properties": dict.fromkeys(names, text)},
            *({"required": [name], "properties": {name: text}} for name in alone),
        ],
    }


def _punto(game: Game, hands: Sequence[Hand], voided: bool) -> Results:
    return punto_banco.outcome_of(game, *hands, voided=voided)


def _one_each(_game: Game, hands: Sequence[Hand], voided: bool) -> Results:
    return higher_of(*hands, voided=voided)


def _three(_game: Game, hands: Sequence[Hand], voided: bool) -> Results:
    return red_dog.outcome_of(*hands, voided=voided)


def _five_each(game: Game, hands: Sequence[Hand], voided: bool) -> Results:
    return caribbean.results_of(game.edition, *hands, voided=voided)


def _five_and_six(_game: Game, hands: Sequence[Hand], voided: bool) -> Results:
    return four_card.results_of(*hands, voided=voided)


def _four_card_at(_game: Game, table: Fields) -> Game:
    only = table.optional_boolean("bonus_only_on_win") or False
    return four_card.four_card(bonus_only_on_win=only)


def _ultimate(_game: Game, hands: Sequence[Hand], voided: bool) -> Results:
    return ultimate.results_of(*hands, voided=voided)


def _holdem(_game: Game, hands: Sequence[Hand], voided: bool) -> Results:
    return casino_holdem.results_of(*hands, voided=voided)


def _three_each(_game: Game, hands: Sequence[Hand], voided: bool) -> Results:
    return three_card.results_of(*hands, voided=voided)


def _three_card_at(game: Game, table: Fields) -> Game:
    always = table.optional_boolean("bonus_always") or False
    return three_card.three_card(game.edition, bonus_always=always)


def _shoe_at(game: Game, table: Fields) -> Game:
    table.optional_boolean(SHOE)  # how its host makes outcomes; the game is the same
    return game


def _red_dog_at(game: Game, table: Fields) -> Game:
    _shoe_at(game, table)
    return red_dog.red_dog(up_to_bet=table.optional_boolean("extra_up_to_bet") or False)


def _casino_war_at(_game: Game, table: Fields) -> Game:
    return casino_war.casino_war(tie_kept=table.optional_boolean("tie_kept") or False)


SHOE = "shoe_as_shuffler"
_SHOE = {SHOE: boolean("hc: a shoe's fault voids as 3:1(7); left out: refused.")}

_ALL = (
    TableGame(
        name="punto_banco",
        games=punto_banco.GAMES,
        read_outcome=_reader(("punto", "banco"), _punto),
        outcome_schema=_schema(("punto", "banco"), 3),
        example=(
            [{"id": "1", "bet": "punto", "stake": 500}],
            {"punto": "AH 7C", "banco": "KD 5S"},
        ),
        options=_SHOE,
        at_table=_shoe_at,
    ),
    TableGame(
        name="baccarat",
        games=punto_banco.BACCARAT,
        read_outcome=_reader(("player", "banker"), _punto, LIVE_GAME),
        outcome_schema=_schema(("player", "banker"), 3, LIVE_GAME),
        example=(
            [{"id": "1", "bet": "tie", "stake": 500}],
            {"player": "AH 7C", "banker": "8D KS"},
        ),
        options=LIVE_GAME.options,
    ),
    TableGame(
        name="high_low",
        games=single(high_low.GAMES),
        read_outcome=_reader(("communal", "bank"), _one_each),
        outcome_schema=_schema(("communal", "bank"), 1),
        example=([{"id": "1", "bet": "high", "stake": 500}], {"communal": "AH", "bank": "7C"}),
        options=_SHOE,
        at_table=_shoe_at,
    ),
    TableGame(
        name="red_dog",
        games=single(red_dog.GAMES),
        read_outcome=_reader(("cards",), _three),
        outcome_schema=_schema(("cards",), 3),
        example=([{"id": "1", "bet": "bet", "stake": 500}], {"cards": "4H 9C 7D"}),
        options={
            "extra_up_to_bet": boolean("Extra bet no higher than the bet; left out: no."),
            **_SHOE,
        },
        at_table=_red_dog_at,
    ),
    TableGame(
        name="casino_war",
        games=single(casino_war.GAMES),
        read_outcome=_reader(("player", "bank"), _one_each),
        outcome_schema=_schema(("player", "bank"), 1),
        example=(
            [{"id": "1", "bet": "bet", "stake": 500, "choice": "war"}],
            {"player": "KH", "bank": "KD"},
        ),
        options={"tie_kept": boolean("Tie stake back when the war is won; left out: it loses.")},
        at_table=_casino_war_at,
    ),
    TableGame(
        name="three_card",
        games=single(three_card.GAMES),
        read_outcome=_reader(("player", "bank"), _three_each),
        outcome_schema=_schema(("player", "bank"), 3),
        example=(
            [{"id": "1", "bet": "pair_plus", "stake": 500}],
            {"player": "9H 9C 2D", "bank": "QD 7S 3C"},
        ),
        options={"bonus_always": boolean("Ante bonus whatever the bank has; left out: no.")},
        at_table=_three_card_at,
    ),
    TableGame(
        name="caribbean",
        games=single(caribbean.GAMES),
        read_outcome=_reader(("player", "bank"), _five_each, STUD),
        outcome_schema=_schema(("player", "bank"), 5, STUD),
        example=(
            [{"id": "1", "bet": "ante", "stake": 500, "choice": "fold"}],
            {"player": "9H 7C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"},
        ),
        options=STUD.options,
    ),
    TableGame(
        name="multi_poker",
        games=single(caribbean.MULTI_POKER),
        read_outcome=_reader(("player", "bank"), _five_each),
        outcome_schema=_schema(("player", "bank"), 5),
        example=(
            [{"id": "1", "bet": "ante", "stake": 500}, {"id": "2", "bet": "bet", "stake": 1000}],
            {"player": "9H 9C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"},
        ),
    ),
    TableGame(
        name="casino_holdem",
        games=single(casino_holdem.GAMES),
        read_outcome=_reader(("player", "board", "bank"), _holdem),
        outcome_schema=_schema(("player", "board", "bank"), 5),
        example=(
            [{"id": "1", "bet": "aa_bonus", "stake": 500}],
            {"player": "AD 3D", "board": "AS 9H 4D JC 2H", "bank": "4C 7C"},
        ),
    ),
    TableGame(
        name="four_card",
        games=single(four_card.GAMES),
        read_outcome=_reader(("player", "bank"), _five_and_six),
        outcome_schema=_schema(("player", "bank"), 6),
        example=(
            [{"id": "1", "bet": "ante", "stake": 500, "choice": "fold"}],
            {"player": "9H 7C 5D 3S 2D", "bank": "AS KH 4D 3C 2H 2C"},
        ),
        options={"bonus_only_on_win": boolean("No bonus on a beaten ante; left out: paid.")},
        at_table=_four_card_at,
    ),
    TableGame(
        name="ultimate",
        games=single(ultimate.GAMES),
        read_outcome=_reader(("player", "board", "bank"), _ultimate),
        outcome_schema=_schema(("player", "board", "bank"), 5),
        example=(
            [
                {"id": "1", "bet": "ante", "stake": 500},
                {"id": "2", "bet": "blind", "stake": 500},
            ],
            {"player": "9C 9S", "board": "KS 9H", "bank": "QD KC", "void": "shuffler_jam"},
        ),
    ),
)
CARD_GAMES: Mapping[str, TableGame] = {game.name: game for game in _ALL}
"""By id."""
