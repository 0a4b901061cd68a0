"""The schema of a jackpot round."""

from collections.abc import Iterable, Mapping

from tabletools.rules.money import MAX_STAKE
from tabletools.settle.cards import HAND
from tabletools.settle.table_schema import TEXT, TEXT_OR_NULL, Schema, boolean

BET = "jackpot"


def _by_id(value: Schema, meaning: str) -> Schema:
    return {
        "type": ["object", "null"],
        "additionalProperties": value,
        "description": f"{meaning} By id of the bet.",
    }


_CENTS: Schema = {"type": "integer", "minimum": -MAX_STAKE, "maximum": MAX_STAKE}
_CENTS_OR_NULL: Schema = {"type": ["integer", "null"]}
_METERS: Schema = {"type": ["object", "null"], "additionalProperties": _CENTS}
_OUTCOME: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "hands": _by_id({"type": "string", "pattern": HAND}, "The player's cards."),
        "won": _by_id(TEXT_OR_NULL, "Meter won, where no combination is printed."),
        "folded": {"type": ["array", "null"], "items": TEXT, "description": "Ids without a bet."},
        "times_ms": _by_id(_CENTS_OR_NULL, "When it fell; the earliest is the first winner."),
        "tables": _by_id(TEXT_OR_NULL, "Where it was won."),
        "growth": _by_id(_CENTS_OR_NULL, "Slots: growth of the new jackpot until then, cents."),
        "void": {**TEXT_OR_NULL, "description": "Why; every bet comes back."},
    },
}
OPTIONS: Mapping[str, Schema] = {
    "start": {**_METERS, "description": "Start amounts; left out: as printed, or 0."},
    "contribution": {
        "type": ["object", "null"],
        "additionalProperties": {"type": "array", "items": {"type": "integer"}},
        "description": "Share of each stake by meter, [parts, of so many]; left out: none.",
    },
    "bonuses_from": {**TEXT_OR_NULL, "description": "Meter bonuses come off."},
    "stake_kept": boolean("n:1 prizes leave the stake; left out: yes."),
    "folded_wins": boolean("A folded hand wins; left out: hc2023 yes, gr2003 no."),
    "round_up": boolean("Shares are rounded up to a whole euro; left out: refused."),
    "rake": {"type": ["integer", "null"], "description": "gr2003: percent kept, 15 to 20."},
    "progressive": boolean("gr2003: the amount grows; left out: yes."),
    "straight_flush_first": boolean(
        "gr2003: a tenth comes off before a royal flush of the round is paid; left out: no."
    ),
    "against_previous": boolean(
        "Slots: five seconds count from the winner before; left out: from the first."
    ),
    "consolation": {**_METERS, "description": "gr2003: four, full_house and flush, cents."},
}


def jackpot_schema(variants: Iterable[tuple[str, str]]) -> dict[str, object]:
    """Return the JSON Schema of one round. variants: edition and variant."""
    bet: Schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["id", "bet", "stake"],
        "properties": {
            "id": TEXT,
            "player": TEXT_OR_NULL,
            "bet": {"const": BET},
            "stake": {"type": "integer", "minimum": 1, "maximum": MAX_STAKE},
        },
    }
    games = [{"properties": {"rules": {"const": e}, "variant": {"const": v}}} for e, v in variants]
    table: Schema = {
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": OPTIONS,
    }
    return {
        "type": "object",
        "description": "Jackpot bets of one round; the answer has the meters after it.",
        "additionalProperties": False,
        "required": ["rules", "game", "variant", "bets", "outcome"],
        "properties": {
            "rules": True,
            "game": {"const": "jackpot"},
            "variant": True,
            "bets": {"type": "array", "items": bet},
            "meters": {**_METERS, "description": "Levels before the round; left out: the start."},
            "outcome": _OUTCOME,
            "table": table,
        },
        "oneOf": games,
        "examples": [
            {
                "rules": "hc2023",
                "game": "jackpot",
                "variant": "caribbean",
                "bets": [{"id": "1", "bet": BET, "stake": 100}],
                "meters": {"mega": 2_612_300},
                "outcome": {"hands": {"1": "AD KD QD JD TD"}},
            }
        ],
    }
