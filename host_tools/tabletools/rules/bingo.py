"""Bingo with 75, 80 or 90 balls. hc2023 5:1 (rulebook 12.1).

A card is its rows, from above, 0 where there is no number. Balls are drawn until a card has the
pattern; all cards that complete it with that ball share the prize.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tabletools.rules.codes.bets import SELECTION_INVALID
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.violation import RuleViolation, shown

Card = tuple[tuple[int, ...], ...]
Line = frozenset[int]
Pattern = Callable[[Card], list[Line]]
"""The sets of numbers one of which completes the pattern."""


class Form(NamedTuple):
    """A card of one variant.

    numbers: in all. each: numbers in a row, None where all cells are used.
    """

    rows: int
    columns: int
    numbers: int
    each: int | None


FORMS: Mapping[str, Form] = {
    "75": Form(5, 5, 24, None),
    "80": Form(4, 4, 16, None),
    "90": Form(3, 9, 15, 5),
}


def _numbers(cells: Sequence[int]) -> Line:
    return frozenset(cells) - {0}


def _rows(card: Card) -> list[Line]:
    return [_numbers(row) for row in card]


def _columns(card: Card) -> list[Line]:
    return [_numbers(column) for column in zip(*card, strict=True)]


def _all(card: Card) -> list[Line]:
    return [frozenset().union(*_rows(card))]


def _x(card: Card) -> list[Line]:
    last = len(card) - 1
    return [_numbers([row[at] for i, row in enumerate(card) for at in (i, last - i)])]


def _frame(card: Card) -> list[Line]:
    sides = [side for row in card for side in (row[0], row[-1])]
    return [_numbers([*card[0], *card[-1], *sides])]


PATTERNS: Mapping[str, Pattern] = {
    "row": _rows,
    "column": _columns,
    "x": _x,
    "frame": _frame,
    "black_out": _all,
    "full_card": _all,
}
"""hc2023 5:1(8); the list is not exhaustive, a table may define other patterns by their cells."""


def cells_pattern(cells: Sequence[Sequence[int]]) -> Pattern:
    """Return the pattern of these cells, [row, column] from 1."""

    def pattern(card: Card) -> list[Line]:
        return [_numbers([card[row - 1][column - 1] for row, column in cells])]

    return pattern


def pattern_of(name: str, variant: str) -> Pattern:
    """Return a pattern by name; raise RuleViolation if the variant has no pattern of that name."""
    if name not in PATTERNS:
        what = f"there is no pattern {shown(name)}; known: {' '.join(PATTERNS)}"
        raise RuleViolation(LIMITS_INVALID, what, "pattern")
    if name == "x" and FORMS[variant].rows != FORMS[variant].columns:
        raise RuleViolation(LIMITS_INVALID, "an X needs a square card", "pattern")
    return PATTERNS[name]


def verify_cells(cells: Sequence[Sequence[int]], variant: str) -> None:
    """Raise RuleViolation unless all are cells of the card."""
    form = FORMS[variant]
    for cell in cells:
        inside = len(cell) == 2 and 1 <= cell[0] <= form.rows and 1 <= cell[1] <= form.columns
        if not inside:
            what = f"a cell is [row, column] of {form.rows} rows and {form.columns} columns"
            raise RuleViolation(LIMITS_INVALID, what, "pattern")
    if not cells:
        raise RuleViolation(LIMITS_INVALID, "a pattern has cells", "pattern")


def verify_card(card: Card, variant: str) -> None:
    """Raise RuleViolation unless the card is one of the variant (5:1(3)-(5))."""
    form, highest = FORMS[variant], int(variant)
    numbers = [n for row in card for n in row if n]
    shaped = len(card) == form.rows and {len(row) for row in card} == {form.columns}
    if not shaped or len(numbers) != form.numbers or len(set(numbers)) != form.numbers:
        what = f"a card has {form.rows} rows of {form.columns}, {form.numbers} numbers, else 0"
        raise RuleViolation(SELECTION_INVALID, what, "on")
    if not all(1 <= n <= highest for n in numbers):
        raise RuleViolation(SELECTION_INVALID, f"its numbers are from 1 to {highest}", "on")
    if variant == "75" and card[2][2]:
        raise RuleViolation(SELECTION_INVALID, "there is no number in the middle", "on")
    if form.each and any(sum(map(bool, row)) != form.each for row in card):
        raise RuleViolation(SELECTION_INVALID, f"each row has {form.each} numbers", "on")


def winners(
    cards: Sequence[Card], drawn: Sequence[int], variant: str, pattern: Pattern
) -> list[int]:
    """Return the indexes of the cards that complete the pattern with the last ball.

    Raises RuleViolation if balls repeat or do not belong to the variant, if a card had the pattern
    before the last ball, or if none has it: balls are drawn until there is a bingo (5:1(7)). If no
    card plays there is no winner.
    """
    if len(set(drawn)) != len(drawn) or not all(1 <= ball <= int(variant) for ball in drawn):
        raise RuleViolation(
            DEAL_NOT_BY_RULE, f"balls 1 to {variant} are drawn, each once", "drawn"
        )
    place_of = {ball: place for place, ball in enumerate(drawn)}
    never = len(drawn)
    done = [
        min(max((place_of.get(n, never) for n in line), default=never) for line in pattern(card))
        for card in cards
    ]
    first = min(done, default=never)
    if not cards:
        return []
    if first == never:
        raise RuleViolation(DEAL_INCOMPLETE, "no card has the pattern yet", "drawn")
    if first < len(drawn) - 1:
        what = f"a card had the pattern with ball {first + 1}, drawn were {len(drawn)}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "drawn")
    return [place for place, at in enumerate(done) if at == first]
