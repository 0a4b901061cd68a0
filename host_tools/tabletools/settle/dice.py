"""Dice rounds as records: `{"dice":[1,2,3]}` or a void."""

from collections.abc import Callable, Sequence

from tabletools.rules import barbut, dice, diceball, rocket7, sic_bo
from tabletools.rules.game import Game
from tabletools.rules.refusal import within
from tabletools.settle.records import read_outcome
from tabletools.settle.strict_json import Fields
from tabletools.settle.table_game import TableGame, single
from tabletools.settle.table_schema import Schema, result_or_void

_FACE: Schema = {"type": "integer", "minimum": 1, "maximum": 6}


def _faces(count: int, meaning: str) -> Schema:
    return {
        "type": "array",
        "items": _FACE,
        "minItems": count,
        "maxItems": count,
        "description": meaning,
    }


def _throw_schema(count: int) -> Schema:
    faces = _faces(count, "What the dice show from above, in any order.")
    return result_or_void({"dice": faces}, "dice")


def _throw_reader(throw_of: Callable[[Sequence[int]], int]) -> Callable[[Fields, Game], int]:
    def key_of(outcome: Fields) -> int:
        faces = outcome.integers("dice")
        with within("dice"):
            return throw_of(faces)

    def read(fields: Fields, _game: Game) -> int:
        return int(read_outcome(fields, ("dice",), key_of, void=dice.VOID))

    return read


def _diceball_at(_game: Game, table: Fields) -> Game:
    return diceball.diceball(table.fields_of("place"), table.optional_integer("thrown"))


_FIELD: Schema = {"type": "array", "items": _faces(2, "Low to high."), "minItems": 1}

_ALL = (
    TableGame(
        name="sic_bo",
        games=single(sic_bo.GAMES),
        read_outcome=_throw_reader(sic_bo.throw_of),
        outcome_schema=_throw_schema(sic_bo.DICE),
        example=([{"id": "1", "bet": "total", "on": [9], "stake": 500}], {"dice": [1, 3, 5]}),
    ),
    TableGame(
        name="rocket7",
        games=single(rocket7.GAMES),
        read_outcome=_throw_reader(rocket7.throw_of),
        outcome_schema=_throw_schema(rocket7.DICE),
        example=([{"id": "1", "bet": "specific7", "on": [1, 6], "stake": 500}], {"dice": [1, 6]}),
    ),
    TableGame(
        name="diceball",
        games=single(diceball.GAMES),
        read_outcome=_throw_reader(diceball.throw_of),
        outcome_schema=_throw_schema(diceball.DICE),
        example=([{"id": "1", "bet": "slam", "stake": 500, "state": "slam11"}], {"dice": [2, 4]}),
        on_schemas={"place": _FIELD},
        options={
            "place": {
                "type": ["array", "null"],
                "items": _FIELD,
                "description": "Fields of the Place Line as printed; left out: any combinations.",
            },
            "thrown": {
                "type": ["integer", "null"],
                "minimum": 0,
                "maximum": diceball.MAX_THROWS,
                "description": "Throws without 7 so far; left out: bets count from their laying.",
            },
        },
        at_table=_diceball_at,
    ),
    TableGame(
        name="barbut",
        games=single(barbut.GAMES),
        read_outcome=_throw_reader(barbut.throw_of),
        outcome_schema=_throw_schema(barbut.DICE),
        example=([{"id": "1", "bet": "A", "stake": 500}], {"dice": [1, 1]}),
    ),
)
DICE_GAMES = {game.name: game for game in _ALL}
"""By id."""
