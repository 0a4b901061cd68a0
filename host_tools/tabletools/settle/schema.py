"""The JSON Schema (2020-12) of the rounds taken and the answers given.

Bounds, names and pockets come from the rules themselves. A schema cannot say everything: which
numbers form a bet, that ids are unique, that 500.0 is no integer here. What it refuses is always
refused; what it lets pass may still be.
"""

from collections.abc import Mapping

from tabletools.rules.money import MAX_ODDS, MAX_STAKE
from tabletools.rules.verdict import OUTCOMES
from tabletools.settle.dealt import CARD, DOUBLE, SPLIT, STAND
from tabletools.settle.lines import CODES, GAMES
from tabletools.settle.settlement import Settlement
from tabletools.settle.strict_json import MAX_TEXT

_TEXT = {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}


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
"""What an answer of some games says beside the settlements."""


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
        "state": {"type": ["string", "null"], "description": "Given back in the next round."},
        "rule": {"type": "string", "description": "Edition and article."},
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(Settlement._fields),
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


_COUNT = {"type": ["integer", "null"], "minimum": 1}
_DECISION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["act"],
    "properties": {
        "box": _COUNT,
        "hand": _COUNT,
        "act": {"enum": [CARD, DOUBLE, SPLIT, STAND]},
    },
}


def _told_round() -> dict[str, object]:
    told = {
        "type": "object",
        "additionalProperties": False,
        "required": ["round"],
        "properties": {
            "round": {"type": "integer", "description": "Number the table gave it."},
            "device": {"type": ["integer", "null"], "description": "Left out: the only one."},
            "box": {**_COUNT, "description": "Which hand; left out: 1."},
            "boxes": {**_COUNT, "description": "Hands beside the bank's; left out: 1."},
            "decisions": {"type": ["array", "null"], "items": _DECISION},
            "dealt": {"type": ["object", "null"], "description": "Hands no shoe read."},
        },
    }
    return {
        "type": "object",
        "description": "A round with `told` in place of `outcome`, for --told FILE.",
        "required": ["rules", "game", "bets", "told"],
        "properties": {"game": {"enum": list(GAMES)}, "told": told},
    }


def settle_schema() -> dict[str, object]:
    """Return the schema: any line in or out matches it; `#/$defs/round` and `#/$defs/answer`."""
    rounds = {name: game.schema() for name, game in GAMES.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tabletool settle",
        "description": "JSON Lines: a round a line in, an answer a line out. null is left out.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("round", "told_round", "answer")],
        "$defs": {
            "told_round": _told_round(),
            "round": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in rounds]},
            "answer": _answer(),
            "settlement": _settlement(),
            **rounds,
        },
    }
