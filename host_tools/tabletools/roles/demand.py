"""The terms a round is checked against, and what a role derives from them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Record = Mapping[str, Any]
"""A decoded record, see tabletools.decode."""


class Played(NamedTuple):
    """What is played at a table. game: None where no terms are known. options: its `table`.

    dice_reading: who reads dice, see roles.dice_tray; empty where that is not known.
    """

    game: str | None
    rules: str = ""
    options: Mapping[str, Any] = {}
    variant: str | None = None
    dice_reading: str = ""


class Demand(NamedTuple):
    """The values that terms allow for a key of the configuration. source: article or reason.

    never: a value between them with which the machine is for no stakes, whatever is played.
    """

    key: str
    low: int
    high: int
    source: str
    never: int | None = None

    def misfit(self, value: int) -> str:
        """Return what does not fit about a value, with what was expected; "" if it fits."""
        if self.low <= value <= self.high and value != self.never:
            return ""
        return f"{self.key} is {value}, expected {self._allowed()} ({self.source})"

    def _allowed(self) -> str:
        if self.never is not None:
            fit = (str(value) for value in range(self.low, self.high + 1) if value != self.never)
            return " or ".join(fit)
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


Objections = Callable[
    [Played, Record | None, Record, Sequence[Record]],
    Iterator[str],
]


class Role(NamedTuple):
    """result: type of its results. games: played on it. demands, objections: see the package.

    walked: the configuration keys that a walk round the machine proves (`tabletool diag
    --calibrate pockets`); empty where commissioning asks for none.
    """

    result: str
    games: frozenset[str]
    demands: Callable[[Played], list[Demand]]
    objections: Objections
    walked: tuple[str, ...] = ()


def option_demand(played: Played, option: str, key: str) -> list[Demand]:
    """Return the demand that a key has the value of an option of the table, if it is set."""
    value = played.options.get(option)
    if not isinstance(value, int) or isinstance(value, bool):
        return []
    return [Demand(key, value, value, f"the table's option {option}")]


def layout_objection(opened: Record | None, expected: str, what: str) -> Iterator[str]:
    """Yield the objection to a round that opened with another layout."""
    if opened is not None and opened["layout"] != expected:
        yield f"it opened with layout {opened['layout']}, {what} needs {expected}"


def requirement_objection(opened: Record | None, least: int, what: str) -> Iterator[str]:
    """Yield the objection to a round that opened with a lower requirement than the rules have."""
    if opened is not None and not (opened["requirement"] or 0) >= least:
        yield f"it opened requiring {opened['requirement']}, {what} requires {least}"
