"""The options of a poker table, as its record has them."""

from collections.abc import Mapping
from typing import NamedTuple

from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.refusal import Refusal, within
from tabletools.settle.poker_room_schema import OPTIONS
from tabletools.settle.strict_json import Fields


class Table(NamedTuple):
    """What a table says. stacks: before the hand, None where no actions are verified."""

    button: str | None
    rake: tuple[int, int]
    chip: int | None
    big_blind: int | None
    stacks: Mapping[str, int] | None


def _rake(table: Fields) -> tuple[int, int]:
    if table.get("rake") is None:
        return 0, 1
    pair = table.integers("rake")
    if len(pair) != 2 or not 0 <= pair[0] <= pair[1] or pair[1] < 1:
        raise Refusal(LIMITS_INVALID, "a rake is [parts, of so many]", "rake")
    return pair[0], pair[1]


def read_table(record: object) -> Table:
    """Return the options of a table; raise Refusal at one it cannot have."""
    table = Fields({} if record is None else record, OPTIONS)
    stacks = None
    if table.get("stacks") is not None:
        with within("stacks"):
            given = Fields(table.get("stacks"))
            stacks = {player: given.integer(player) for player in given.names()}
    chip, big_blind = table.optional_integer("chip"), table.optional_integer("big_blind")
    for name, cents in (("chip", chip), ("big_blind", big_blind)):
        if cents is not None and cents < 1:
            raise Refusal(LIMITS_INVALID, f"{name} is a cent or more", name)
    if stacks and min(stacks.values()) < 1:
        raise Refusal(LIMITS_INVALID, "a stack is a cent or more", "stacks")
    return Table(table.optional_text("button"), _rake(table), chip, big_blind, stacks)
