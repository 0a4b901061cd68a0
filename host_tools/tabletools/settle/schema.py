"""The JSON Schema (2020-12) of the rounds accepted and the answers given.

Fields with their types and meanings come from the record declarations; bounds, names and pockets
from the rules. A schema cannot express everything: which numbers form a bet, that ids are unique,
that 500.0 is no integer here. What it refuses is always refused; what it accepts may still be.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from tabletools.games import GAMES
from tabletools.rules.declared import MAX_TEXT, field_type
from tabletools.rules.hands import Dealt
from tabletools.rules.money import MAX_ODDS, MAX_STAKE
from tabletools.rules.records import Outcome
from tabletools.rules.verdict import OUTCOMES
from tabletools.settle.boxes import CardRound
from tabletools.settle.json_lines import BOX_GAMES, CODES
from tabletools.settle.recorded_round import RecordedRound

_TEXT = {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}
_NOT_NULL = {"not": {"type": "null"}}
_NULL = {"type": "null"}


MORE: Mapping[str, object] = {
    "meters": {
        "type": "object",
        "additionalProperties": {"type": "integer"},
        "description": "Jackpot: what the meters show after the round, cents by name.",
    },
    "pots": {
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["amount", "rake", "winners"],
            "properties": {
                "amount": {"type": "integer"},
                "rake": {"type": "integer"},
                "winners": {"type": "array", "items": {"type": "string"}},
            },
        },
        "description": "Poker room: the main pot, then the side pots.",
    },
    "rake": {"type": "integer", "description": "Poker room: of all pots, cents."},
    "positions": {"type": "object", "description": "Poker room: seats of the next hand."},
    "chips": {"type": "object", "description": "Poker room: bigger chips by player."},
    "exposed": {"type": "object", "description": "Poker room: what cards that were seen do."},
}
"""Fields that the answers of some games have besides the settlements."""


_WHOLE = "_round"


def whole_name(game: str) -> str:
    """Return the name of the schema of a game's record of a whole round with its boxes."""
    return f"{game}{_WHOLE}"


def _cents(meaning: str, most: int = MAX_ODDS * MAX_STAKE) -> dict[str, object]:
    return {"type": "integer", "minimum": 0, "maximum": most, "description": f"Cents: {meaning}"}


def _settlement() -> dict[str, object]:
    fields: dict[str, object] = {
        "id": {**_TEXT, "description": "Of the bet."},
        "outcome": {"enum": list(OUTCOMES)},
        "stake": _cents("what was in play; back + live + lost.", MAX_STAKE),
        "win": _cents("winnings on top of the stake."),
        "back": _cents("stake returned.", MAX_STAKE),
        "live": _cents("stake staying in play; the next round's stake of this bet.", MAX_STAKE),
        "lost": _cents("stake to the bank.", MAX_STAKE),
        "state": {
            "type": ["string", "null"],
            "description": "Returned as input in the next round.",
        },
        "rule": {"type": "string", "description": "The paragraph that decides, with its edition."},
        "paragraphs": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "description": "All that decide, in order: rule, then those it overrides.",
        },
        "odds": {
            "type": ["string", "null"],
            "description": "As printed, winnings to stake; null where none are paid.",
        },
        "facts": {"type": "string", "description": "What came on what was bet, in words."},
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(fields),
        "properties": fields,
    }


def _answer() -> dict[str, object]:
    error = {
        "type": "object",
        "additionalProperties": False,
        "required": ["code", "message", "where"],
        "properties": {
            "code": {"enum": [code.name for code in CODES]},
            "message": {"type": "string", "description": "What is wrong; then what to do next."},
            "where": {"type": "string", "description": "Line and field."},
        },
    }
    settlements = {"type": "array", "items": {"$ref": "#/$defs/settlement"}}
    return {
        "description": "One line out: the settlements of the round's bets, in order, or an error.",
        "oneOf": [_only("settlements", settlements, MORE), _only("error", error, {})],
    }


def _only(
    name: str, schema: Mapping[str, object], more: Mapping[str, object]
) -> dict[str, object]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name],
        "properties": {name: schema, **more},
    }


_RECORDED_ROUND = {
    "type": "object",
    "description": "A round with `recorded` in place of `outcome`, for --records FILE.",
    "required": ["rules", "game", "bets", "recorded"],
    "properties": {"game": {"enum": list(GAMES)}, "recorded": {"$ref": "#/$defs/Recorded"}},
}


def _result_or_void(kind: type[Outcome]) -> Mapping[str, object]:
    """Return the schema of an outcome besides its fields."""
    names = kind.of_result()
    void = {**dict.fromkeys(names, _NULL), "void": _NOT_NULL}
    return {
        "oneOf": [
            {
                "required": [names[0]],
                "properties": {names[0]: _NOT_NULL, "void": _NULL},
            },
            {"required": ["void"], "properties": void},
        ]
    }


def _hands_or_void(kind: type[Dealt] | type[CardRound]) -> Mapping[str, object]:
    """Return the schema of hands besides its fields: all of them, or why not."""
    hand_type = kind.HAND if issubclass(kind, CardRound) else kind
    hands = [name for name in hand_type.HANDS if name in kind.__struct_fields__]
    whys = [name for name in ("void", "misdeal") if name in kind.__struct_fields__]
    return {
        "anyOf": [
            {"required": list(names), "properties": dict.fromkeys(names, _NOT_NULL)}
            for names in (hands, *((why,) for why in whys))
        ]
    }


def _records() -> dict[str, dict[str, Any]]:
    """Return the schema of each game's record by its name, and of the types they consist of."""
    games = {**GAMES, **{whole_name(name): game for name, game in BOX_GAMES.items()}}
    references, parts = msgspec.json.schema_components(
        [*(game.record for game in games.values()), RecordedRound], ref_template="#/$defs/{name}"
    )
    names = [_name_of(reference) for reference in references[:-1]]
    schemas: dict[str, dict[str, Any]] = {}
    for (game_name, game), name in zip(games.items(), names, strict=True):
        more: dict[str, Any] = dict(game.constraints)
        properties = {
            **parts[name]["properties"],
            "game": {"const": game_name.removesuffix(_WHOLE)},
        }
        for field, constraint in more.pop("properties", {}).items():
            properties[field] = {**properties[field], **constraint}
        schemas[game_name] = {**parts[name], "properties": properties, **more}
        kind = field_type(game.record, "outcome")
        if issubclass(kind, Outcome):
            parts[_name_of(properties["outcome"])] |= _result_or_void(kind)
        elif issubclass(kind, Dealt | CardRound):
            parts[_name_of(properties["outcome"])] |= _hands_or_void(kind)
    return {**schemas, **{name: part for name, part in parts.items() if name not in names}}


def _name_of(reference: Mapping[str, Any]) -> str:
    """Return the name of the definition that a `$ref` refers to."""
    return str(reference["$ref"]).rpartition("/")[2]


def settle_schema() -> dict[str, object]:
    """Return the schema of any line in or out: `#/$defs/round` and `#/$defs/answer`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tabletool settle",
        "description": "JSON Lines: a round a line in, an answer a line out. null is left out.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("round", "recorded_round", "answer")],
        "$defs": {
            "recorded_round": _RECORDED_ROUND,
            "round": {
                "oneOf": [
                    {"$ref": f"#/$defs/{name}"} for name in (*GAMES, *map(whole_name, BOX_GAMES))
                ]
            },
            "answer": _answer(),
            "settlement": _settlement(),
            **_records(),
        },
    }
