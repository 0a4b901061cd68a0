"""The schema of a round of a table game, from the game's own tables."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from tabletools.rules.game import Game, Kind
from tabletools.rules.money import MAX_STAKE
from tabletools.rules.selection import Nothing, OneOf
from tabletools.settle.strict_json import MAX_TEXT

Schema = Mapping[str, object]

TEXT: Schema = {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}
TEXT_OR_NULL: Schema = {**TEXT, "type": ["string", "null"]}
NULL: Schema = {"type": "null"}
_STAKE = {"type": "integer", "minimum": 1, "maximum": MAX_STAKE}
_STAKE_OR_NULL = {**_STAKE, "type": ["integer", "null"]}
_VOID = {**TEXT, "description": "Why; every bet stands."}


def boolean(meaning: str) -> Schema:
    """Return the schema of an option that holds or not."""
    return {"type": ["boolean", "null"], "description": meaning}


def one_bet_schema(bet: str, on: Schema, stake: str = "", **more: Schema) -> Schema:
    """Return the schema of a bet of a game that has only one. stake: what it is for."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["id", "bet", "on", "stake"],
        "properties": {
            "id": TEXT,
            "player": TEXT_OR_NULL,
            "bet": {"const": bet},
            "on": on,
            "stake": {**_STAKE, "description": stake} if stake else _STAKE,
            **more,
        },
    }


class Described(Protocol):
    """What the schema is made from (see TableGame)."""

    @property
    def name(self) -> str:
        """Id of the game."""

    @property
    def games(self) -> Mapping[tuple[str, str | None], Game]:
        """The game by edition and variant."""

    @property
    def outcome_schema(self) -> Schema:
        """Schema of the outcome."""

    @property
    def example(self) -> tuple[Sequence[Schema], Schema]:
        """Bets and an outcome."""

    @property
    def on_schemas(self) -> Mapping[str, Schema]:
        """Schemas of selections that cannot be listed, by kind."""

    @property
    def options(self) -> Mapping[str, Schema]:
        """Schemas of the table's own fields."""


def result_or_void(result: Mapping[str, Schema], needed: str) -> Schema:
    """Return the schema of an outcome: a result or a void. needed: the field a result has."""
    empty = dict.fromkeys(result, NULL)
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": dict.fromkeys((*result, "void"), True),
        "oneOf": [
            {"required": [needed], "properties": {**result, "void": NULL}},
            {"required": ["void"], "properties": {**empty, "void": _VOID}},
        ],
    }


def _on(kind: Kind, given: Schema | None) -> Schema:
    if given is not None:
        return given
    if isinstance(kind.selections, Nothing):
        return {"enum": [None, []]}
    assert isinstance(kind.selections, OneOf)
    return {"enum": [list(on) for on in kind.selections.all]}


def _bet(name: str, kind: Kind, on: Schema) -> Schema:
    is_bare = isinstance(kind.selections, Nothing) or kind.default != ()
    return {
        "additionalProperties": False,
        "required": ["id", "bet", "stake", *([] if is_bare else ["on"])],
        "properties": {
            "id": {**TEXT, "description": "Unique in its round."},
            "player": {**TEXT_OR_NULL, "description": "Needed when the table has limits."},
            "bet": {"const": name},
            "on": on,
            "stake": {**_STAKE, "description": "Cents in play; after a live line, its live."},
            "choice": {"enum": [*kind.choices, None]},
            "state": {"enum": [None, *(state for state in kind.states if state)]},
        },
    }


def _table(described: Described, game: Game) -> Schema:
    if len(game.rows) > 20:
        rows: Schema = {"additionalProperties": _STAKE_OR_NULL}
    else:
        rows = {
            "additionalProperties": False,
            "properties": dict.fromkeys(game.rows, _STAKE_OR_NULL),
        }
    return {
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {
            "minimum": {
                **_STAKE_OR_NULL,
                "description": "Displayed minimum, cents; left out with all other limits: none.",
            },
            "maximum": {
                "type": ["object", "null"],
                **rows,
                "description": "Cents per player and chance; left out: as printed.",
            },
            "not_offered": {"type": ["array", "null"], "items": {"enum": list(game.kinds)}},
            **described.options,
        },
        "description": "Options, and limits; with limits, new bets are verified as at placement.",
    }


def _edition(described: Described, edition: str, variant: str | None, game: Game) -> Schema:
    """Return what one variant of one edition adds: its bets and the limits of its table."""
    variants = [other for known, other in described.games if known == edition]
    kinds = [
        _bet(name, kind, _on(kind, described.on_schemas.get(name)))
        for name, kind in game.kinds.items()
    ]
    return {
        "required": [] if len(variants) == 1 or variant is None else ["variant"],
        "properties": {
            "rules": {"const": edition},
            "variant": {"enum": [variant, None] if len(variants) == 1 else [variant]},
            "bets": {"type": "array", "items": {"type": "object", "oneOf": kinds}},
            "table": _table(described, game),
        },
    }


def table_game_schema(described: Described) -> dict[str, object]:
    """Return the schema of one round."""
    bets, outcome = described.example
    editions = [_edition(described, *key, game) for key, game in described.games.items()]
    (edition, variant), _ = next(iter(described.games.items()))
    example = {"rules": edition, "game": described.name, "bets": bets, "outcome": outcome}
    return {
        "type": "object",
        "description": f"One round of {described.name}.",
        "additionalProperties": False,
        "required": ["rules", "game", "bets", "outcome"],
        "properties": {
            **dict.fromkeys(("rules", "variant", "bets", "table"), True),
            "game": {"const": described.name},
            "outcome": described.outcome_schema,
        },
        "oneOf": editions,
        "examples": [{**example, "variant": variant}],
    }
