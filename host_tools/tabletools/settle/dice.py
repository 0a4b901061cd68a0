"""Dice rounds as records: `{"dice":[1,2,3]}` or a void."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from msgspec import Meta

from tabletools.rules import barbut, dice, diceball, rocket7, sic_bo
from tabletools.rules.declared import needed
from tabletools.rules.game import Game
from tabletools.rules.violation import within
from tabletools.settle import records
from tabletools.settle.records import Schema
from tabletools.settle.table_game import Table, TableGame, single

_Face = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 6})]
_SHOWN = "What the dice show from above, in any order."


class TwoDice(records.Outcome, frozen=True, kw_only=True):
    """A throw."""

    dice: Annotated[
        tuple[_Face, ...] | None,
        Meta(description=_SHOWN, extra_json_schema={"minItems": 2, "maxItems": 2}),
    ] = None


class ThreeDice(records.Outcome, frozen=True, kw_only=True):
    """A throw."""

    dice: Annotated[
        tuple[_Face, ...] | None,
        Meta(description=_SHOWN, extra_json_schema={"minItems": 3, "maxItems": 3}),
    ] = None


_Pair = Annotated[
    tuple[_Face, ...],
    Meta(description="Low to high.", extra_json_schema={"minItems": 2, "maxItems": 2}),
]


class DiceballTable(Table, frozen=True, kw_only=True):
    """Limits, the Place Line, and the throws of the present series."""

    place: Annotated[
        tuple[Annotated[tuple[_Pair, ...], Meta(extra_json_schema={"minItems": 1})], ...] | None,
        Meta(description="Fields of the Place Line as printed; left out: any combinations."),
    ] = None
    thrown: Annotated[
        int | None,
        Meta(
            description="Throws without 7 so far; left out: bets count from their placement.",
            extra_json_schema={"minimum": 0, "maximum": diceball.MAX_THROWS},
        ),
    ] = None


def _throw(
    throw_of: Callable[[Sequence[int]], int],
) -> Callable[[Game, TwoDice | ThreeDice, Any], int]:
    def read(_game: Game, outcome: TwoDice | ThreeDice, _table: object) -> int:
        if not outcome.has_result():
            return dice.VOID
        with within("outcome.dice"):
            return throw_of(needed(outcome.dice, ""))

    return read


def _diceball_at(_game: Game, table: DiceballTable) -> Game:
    return diceball.diceball(table.place or (), table.thrown)


_FIELD: Schema = {
    "type": "array",
    "items": {
        "type": "array",
        "items": {"type": "integer", "minimum": 1, "maximum": 6},
        "minItems": 2,
        "maxItems": 2,
    },
    "minItems": 1,
}

_ALL: tuple[TableGame[Any, Any], ...] = (
    TableGame(
        name="sic_bo",
        games=single(sic_bo.GAMES),
        outcome=ThreeDice,
        table=Table,
        read_outcome=_throw(sic_bo.throw_of),
        example=([{"id": "1", "bet": "total", "on": [9], "stake": 500}], {"dice": [1, 3, 5]}),
    ),
    TableGame(
        name="rocket7",
        games=single(rocket7.GAMES),
        outcome=TwoDice,
        table=Table,
        read_outcome=_throw(rocket7.throw_of),
        example=([{"id": "1", "bet": "specific7", "on": [1, 6], "stake": 500}], {"dice": [1, 6]}),
    ),
    TableGame(
        name="diceball",
        games=single(diceball.GAMES),
        outcome=TwoDice,
        table=DiceballTable,
        read_outcome=_throw(diceball.throw_of),
        example=([{"id": "1", "bet": "slam", "stake": 500, "state": "slam11"}], {"dice": [2, 4]}),
        on_schemas={"place": _FIELD},
        at_table=_diceball_at,
    ),
    TableGame(
        name="barbut",
        games=single(barbut.GAMES),
        outcome=TwoDice,
        table=Table,
        read_outcome=_throw(barbut.throw_of),
        example=([{"id": "1", "bet": "A", "stake": 500}], {"dice": [1, 1]}),
    ),
)
DICE_GAMES = {game.name: game for game in _ALL}
"""By id."""
