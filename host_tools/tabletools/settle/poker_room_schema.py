"""The schema of a record of the poker room."""

from collections.abc import Sequence

from tabletools.rules.money import MAX_STAKE
from tabletools.rules.poker_room.betting import ACTIONS
from tabletools.rules.poker_room.floor import MISDEALS
from tabletools.settle.cards import HAND
from tabletools.settle.table_schema import TEXT, TEXT_OR_NULL, Schema

BET, FOLD = "hand", "fold"
STREETS = ("preflop", "flop", "turn", "river")
OPTIONS = ("button", "rake", "chip", "stacks", "big_blind", "seats")

_CENTS: Schema = {"type": "integer"}
_MAYBE: Schema = {"type": ["integer", "null"]}
_FLAG: Schema = {"type": ["boolean", "null"]}
_BET: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "player", "bet", "stake"],
    "properties": {
        "id": TEXT,
        "player": TEXT,
        "bet": {"const": BET},
        "stake": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_STAKE,
            "description": "Cents put in over all streets; bets in seat order.",
        },
        "choice": {"enum": [FOLD, None]},
    },
}
_ACTION: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["player", "action"],
    "properties": {
        "player": TEXT,
        "action": {"enum": list(ACTIONS)},
        "amount": {**_MAYBE, "description": "What a bet or raise goes to; call, chips: added."},
        "chips": {**_MAYBE, "description": "How many were pushed without a word; left out: 1."},
        "early": {**_FLAG, "description": "Out of turn, as the floor let it stand (2.16)."},
        "called_ms": {**_MAYBE, "description": "When time was called."},
        "acted_ms": {**_MAYBE, "description": "When he acted; more than 60000 later: a fold."},
    },
}
_BY_PLAYER: Schema = {"type": ["object", "null"], "additionalProperties": _CENTS}
_CARDS: Schema = {
    "type": ["object", "null"],
    "additionalProperties": {"type": "string", "pattern": HAND},
}
_OUTCOME: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "board": {"anyOf": [{"type": "string", "pattern": HAND}, {"type": "null"}]},
        "hands": {**_CARDS, "description": "Cards shown, by player."},
        "actions": {
            "type": ["object", "null"],
            "additionalProperties": False,
            "properties": {
                street: {"type": ["array", "null"], "items": _ACTION} for street in STREETS
            },
        },
        "misdeal": {"enum": [*MISDEALS, None]},
        "acted": {**_MAYBE, "description": "Players that had acted at the misdeal."},
        "void": TEXT_OR_NULL,
        **dict.fromkeys(("button", "small_blind", "big_blind"), _MAYBE),
        "seats": {"type": ["array", "null"], "items": _CENTS},
        "flashed": {**_MAYBE, "description": "Cards seen in the deal."},
        "boxed": {**_MAYBE, "description": "Cards that lay face up in the deck."},
        "decisive": {**_FLAG, "description": "The first card or the button's was flashed."},
        "odd": {**_BY_PLAYER, "description": "Chip race: value of odd chips, from seat 1 on."},
        "cards": _CARDS,
        "whole": {"type": ["array", "null"], "items": TEXT},
    },
}
_TABLE: Schema = {
    "type": ["object", "null"],
    "additionalProperties": False,
    "properties": {
        "button": {**TEXT_OR_NULL, "description": "Left out: the first bet is on its left."},
        "rake": {"type": ["array", "null"], "items": _CENTS, "description": "[parts, of]."},
        "chip": {**_MAYBE, "description": "Smallest chip, of a race the bigger one; cents."},
        "stacks": {**_BY_PLAYER, "description": "With actions: before the hand."},
        "big_blind": _MAYBE,
        "seats": {
            "type": ["array", "null"],
            "items": TEXT,
            "description": "All with a stack, from the left of the button: turns are verified.",
        },
    },
}


def poker_room_schema(variants: Sequence[str]) -> dict[str, object]:
    """Return the JSON Schema of one record."""
    bets = [
        {"id": str(place), "player": player, "bet": BET, "stake": stake}
        for place, (player, stake) in enumerate((("A", 5000), ("B", 20000), ("C", 20000)))
    ]
    hands = {"A": "AH AD", "B": "KH KD", "C": "9H 9D"}
    return {
        "type": "object",
        "description": "A hand, where the button goes, or a chip race.",
        "additionalProperties": False,
        "required": ["rules", "game", "outcome"],
        "properties": {
            "rules": {"const": "oostende2011"},
            "game": {"const": "poker_room"},
            "variant": {"enum": [*variants, None]},
            "bets": {"type": ["array", "null"], "items": _BET},
            "outcome": _OUTCOME,
            "table": _TABLE,
        },
        "examples": [
            {
                "rules": "oostende2011",
                "game": "poker_room",
                "variant": "holdem",
                "bets": bets,
                "outcome": {"board": "2C 7S TD JC 4H", "hands": hands},
                "table": {"button": "A", "rake": [1, 20]},
            }
        ],
    }
