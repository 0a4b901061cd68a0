"""Dice: throws, selections and rows of verdicts shared by the dice games.

A throw is its faces from low to high, because dice have no order. The result is what is seen from
above (hc2023 4:2(2), 4:3(2), 4:4(2); hc2011 4:1(2)).
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from itertools import combinations, combinations_with_replacement
from typing import Annotated

from msgspec import Meta

from tabletools.rules import records
from tabletools.rules.codes.outcomes import UNKNOWN_THROW
from tabletools.rules.declared import needed
from tabletools.rules.game import MOST_COMPILED, Choice, Game, Kind, State
from tabletools.rules.selection import NOTHING, On, OneOf, Selections
from tabletools.rules.verdict import Verdict, stand
from tabletools.rules.violation import RuleViolation, within

FACES = range(1, 7)
Throw = tuple[int, ...]

VOID = -1
"""Index of the void in a row of verdicts: after the last throw."""

FACE = OneOf("one face from 1 to 6, as [3]", tuple((face,) for face in FACES))
TWO_FACES = OneOf("two different faces, the lower first, as [1,2]", (*combinations(FACES, 2),))


@cache
def throws(dice: int) -> tuple[Throw, ...]:
    """Return every possible throw of this many dice."""
    return tuple(combinations_with_replacement(FACES, dice))


@cache
def _places(dice: int) -> dict[Throw, int]:
    return {throw: place for place, throw in enumerate(throws(dice))}


def outcome_of(dice: int, faces: Sequence[int]) -> int:
    """Return the index, in a row of verdicts, of the faces shown, in any order."""
    place = _places(dice).get(tuple(sorted(faces)))
    if place is None:
        what = f"a throw is {dice} faces from 1 to 6, found {len(faces)} numbers"
        raise RuleViolation(UNKNOWN_THROW, what)
    return place


def totals(least: int, most: int) -> OneOf:
    """Return the selections of a bet on one total."""
    return OneOf(
        f"one total from {least} to {most}, as [{least}]",
        tuple((total,) for total in range(least, most + 1)),
    )


def paired_total(on: On, sum_of_pair: int) -> str:
    """Return the row of a total in a printed table, as total_4_17: both share odds and limit."""
    [total] = on
    assert isinstance(total, int)
    low, high = sorted((total, sum_of_pair - total))
    return f"total_{low}_{high}"


def dice_kind(
    dice: int,
    decide: Callable[[On, Throw], Verdict],
    void_article: str,
    selections: Selections = NOTHING,
    row: Callable[[On], str] | None = None,
    *,
    unit: int = 1,
) -> Kind:
    """Return a kind that one throw decides, or that stands until a throw decides it."""

    @lru_cache(MOST_COMPILED)
    def verdicts(on: On, _state: State, _choice: Choice) -> tuple[Verdict, ...]:
        return (*[decide(on, throw) for throw in throws(dice)], stand(void_article))

    return Kind(selections, verdicts, row, unit=unit)


Face = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 6})]
_DICE_TEXT = "What the dice show from above, in any order."


class TwoDice(records.Outcome, frozen=True, kw_only=True):
    """A throw."""

    dice: Annotated[
        tuple[Face, ...] | None,
        Meta(description=_DICE_TEXT, extra_json_schema={"minItems": 2, "maxItems": 2}),
    ] = None


class ThreeDice(records.Outcome, frozen=True, kw_only=True):
    """A throw."""

    dice: Annotated[
        tuple[Face, ...] | None,
        Meta(description=_DICE_TEXT, extra_json_schema={"minItems": 3, "maxItems": 3}),
    ] = None


def reader_of(dice: int) -> Callable[[Game, TwoDice | ThreeDice, object], int]:
    """Return what reads an outcome: the index, in a row of verdicts, of its throw or void."""
    return partial(_throw, dice)


def _throw(dice: int, _game: Game, outcome: TwoDice | ThreeDice, _table: object) -> int:
    if not outcome.has_result():
        return VOID
    with within("outcome.dice"):
        return outcome_of(dice, needed(outcome.dice, ""))
