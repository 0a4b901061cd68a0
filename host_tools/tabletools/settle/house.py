"""What holds for the bets of every game: abandoned bets, and payments held for release.

Two fields of a round belong to no game: `abandoned` and `location`. They are read here and taken
away before the game sees the round.
"""

from collections.abc import Mapping, Sequence

from tabletools.rules.bets import Placed
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.refusal import Refusal, shown, within
from tabletools.rules.stakes import HOUSE_RULES, SCHIPHOL, HouseRules, falls_to_house, is_held
from tabletools.rules.verdict import LOSE
from tabletools.settle.settlement import Settlement
from tabletools.settle.strict_json import Fields
from tabletools.settle.table_schema import Schema

HOUSE_FIELDS: Mapping[str, Schema] = {
    "abandoned": {
        "type": ["object", "null"],
        "additionalProperties": {"type": "integer", "minimum": 1},
        "description": "Rounds a bet lay without its owner, this one too; by id of the bet.",
    },
    "location": {
        "enum": [SCHIPHOL, None],
        "description": "Where hc2011 holds payments from EUR 10,000 on.",
    },
}
"""Schemas, by field."""


def without_house_fields(record: object) -> object:
    """Return the round as its game reads it."""
    if not isinstance(record, dict):
        return record
    return {name: value for name, value in record.items() if name not in HOUSE_FIELDS}


def _rules(fields: Fields) -> HouseRules | None:
    rules = HOUSE_RULES.get(fields.text("rules"))
    for name in HOUSE_FIELDS:
        if rules is None and fields.get(name) is not None:
            raise Refusal(LIMITS_INVALID, f"{name} is a matter of hc2011 and hc2023", name)
    return rules


def _abandoned(fields: Fields, bets: Sequence[Placed]) -> dict[str, int]:
    record = fields.get("abandoned")
    if record is None:
        return {}
    with within("abandoned"):
        given = Fields(record, [bet.id for bet in bets])
        found = {name: given.integer(name) for name in given.names()}
        for name, rounds in found.items():
            if rounds < 1:
                raise Refusal(LIMITS_INVALID, "an abandoned bet lay a round or more", name)
    return found


def house_rules(
    record: object, bets: Sequence[Placed], lines: Sequence[Settlement]
) -> tuple[list[Settlement], list[str]]:
    """Return the lines with those of bets that fall to the house, and the ids that are held.

    A player's payments of one round count together.
    """
    fields = Fields(record)
    rules = _rules(fields)
    if rules is None:
        return list(lines), []
    location = fields.optional_text("location")
    if location is not None and location not in rules.held_at:
        what = f"location {shown(location)} is none with a rule of its own"
        raise Refusal(LIMITS_INVALID, what, "location")
    rounds = _abandoned(fields, bets)
    settled = [
        _lost(line, rules.abandoned) if falls_to_house(rounds.get(line.id, 1)) else line
        for line in lines
    ]
    paid: dict[tuple[str | None, str], int] = {}
    owners = [(bet.player, "" if bet.player is not None else bet.id) for bet in bets]
    for owner, line in zip(owners, settled, strict=True):
        paid[owner] = paid.get(owner, 0) + line.win + line.back
    held = [
        line.id
        for owner, line in zip(owners, settled, strict=True)
        if line.win + line.back and is_held(rules, paid[owner], location)
    ]
    return settled, held


def _lost(line: Settlement, article: str) -> Settlement:
    return line._replace(
        outcome=LOSE, win=0, back=0, live=0, lost=line.stake, state=None, rule=article
    )
