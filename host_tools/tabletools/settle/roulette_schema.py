"""The schema of a roulette round, from the tables of the rules."""

from tabletools.rules import roulette
from tabletools.rules.money import MAX_STAKE
from tabletools.settle.records import ROUND_FIELDS
from tabletools.settle.strict_json import MAX_TEXT

_TEXT = {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}
_TEXT_OR_NULL = {**_TEXT, "type": ["string", "null"]}
_STAKE = {"type": "integer", "minimum": 1, "maximum": MAX_STAKE}
_STAKE_OR_NULL = {**_STAKE, "type": ["integer", "null"]}
_NULL = {"type": "null"}
_ALL = roulette.all_rules()

_EXAMPLE = {
    "rules": "hc2023",
    "game": "roulette",
    "variant": "french",
    "bets": [
        {"id": "1", "player": "p", "bet": "split", "numbers": ["0", "1"], "stake": 500},
        {"id": "2", "player": "p", "bet": "rouge", "stake": 1000, "choice": "prison"},
    ],
    "outcome": {"pocket": "0"},
}


def _bet() -> dict[str, object]:
    labels = dict.fromkeys(label for rules in _ALL for label in rules.wheel.pockets)
    numbers = {
        "type": ["array", "null"],
        "items": {"enum": list(labels)},
        "maxItems": max(roulette.WIDTHS),
        "uniqueItems": True,
    }
    kinds = ", ".join(roulette.KINDS)
    choices = "What the player does at zero with an even chance on a French table; null is half."
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["id", "bet", "stake"],
        "properties": {
            "id": {**_TEXT, "description": "Unique in its round."},
            "player": {**_TEXT_OR_NULL, "description": "Needed when the round has a table."},
            "bet": {**_TEXT, "description": f"{kinds}, or a French name."},
            "numbers": {
                **numbers,
                "description": "The numbers covered, any order. May be left out for even "
                "chances, the top line, and a dozen or column given by its index.",
            },
            "index": {
                "enum": [1, 2, 3, None],
                "description": "Of a dozen or column: 1 is 1-12 or the column of 1.",
            },
            "stake": {
                **_STAKE,
                "description": "Cents in play, no fraction, no exponent: S when new and in "
                "prison1, S/2 in prison2; after a live line, its live.",
            },
            "choice": {"enum": [*roulette.CHOICES, None], "description": choices},
            "state": {
                "enum": list(roulette.STATES),
                "description": "null when new, else the state of the bet's last settlement.",
            },
        },
    }


def _outcome(labels: list[str]) -> dict[str, object]:
    pocket: dict[str, object] = {"enum": labels}
    reason: dict[str, object] = {**_TEXT, "description": "Why; every bet stands."}
    return {
        "type": "object",
        "additionalProperties": False,
        "oneOf": [
            {"required": ["pocket"], "properties": {"pocket": pocket, "void": _NULL}},
            {"required": ["void"], "properties": {"void": reason, "pocket": _NULL}},
        ],
        "properties": {"pocket": True, "void": True},
    }


def _table() -> dict[str, object]:
    maximum = {
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {str(width): _STAKE_OR_NULL for width in roulette.WIDTHS},
        "description": "Cents per player and chance, by how many numbers a bet covers.",
    }
    not_offered = {"type": ["array", "null"], "items": {"enum": list(roulette.NOT_OFFERED_NAMES)}}
    special = "For columns, dozens and even chances; null is the minimum."
    return {
        "type": ["object", "null"],
        "additionalProperties": False,
        "required": ["minimum"],
        "properties": {
            "minimum": {**_STAKE, "description": "Displayed minimum, cents."},
            "special_minimum": {**_STAKE_OR_NULL, "description": special},
            "maximum": maximum,
            "not_offered": not_offered,
        },
        "description": "Limits; with them, new bets are verified as at placement.",
    }


def _variant(rules: roulette.RouletteRules) -> dict[str, object]:
    """Return what one variant of one edition adds: its pockets."""
    return {
        "properties": {
            "rules": {"const": rules.edition},
            "variant": {"const": rules.variant},
            "outcome": _outcome(list(rules.wheel.pockets)),
        }
    }


def roulette_schema() -> dict[str, object]:
    """Return the schema of one round of roulette."""
    return {
        "type": "object",
        "description": "One round of roulette.",
        "additionalProperties": False,
        "required": [name for name in ROUND_FIELDS if name != "table"],
        "properties": {
            "rules": {"enum": list(roulette.EDITIONS)},
            "game": {"const": "roulette"},
            "variant": {"enum": list(roulette.VARIANTS)},
            "bets": {"type": "array", "items": _bet()},
            "outcome": True,
            "table": _table(),
        },
        "oneOf": [_variant(rules) for rules in _ALL],
        "examples": [_EXAMPLE],
    }
