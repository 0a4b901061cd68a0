"""Selections of a bet: faces, totals, combinations, payout numbers.

A selection has one normal form, sorted from low to high, so that equal chances compare equal.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from tabletools.rules.codes.bets import SELECTION_INVALID, SELECTION_MISSING, SELECTION_UNEXPECTED
from tabletools.rules.violation import RuleViolation

On = tuple[int | str | tuple[int, ...], ...]
"""A selection: (3,), (1, 2), ((1, 2), (1, 5)), (45, "red"); () if the name is enough."""


class Selections(Protocol):
    """The valid selections of one kind of bet. needed: what a valid one is, in words."""

    @property
    def needed(self) -> str:
        """Empty if the name of the bet is enough."""

    def verify(self, kind: str, on: On) -> None:
        """Raise RuleViolation unless `on` is one of them."""


def invalid(kind: str, needed: str) -> RuleViolation:
    """Return the refusal of an invalid selection. needed: what a valid one is, in words."""
    return RuleViolation(
        SELECTION_INVALID, f"that is not a selection for a {kind}: {needed}", "on"
    )


@dataclass(frozen=True, slots=True)
class OneOf:
    """A list of selections. needed: what a valid one is, in words. all: every one, in order."""

    needed: str
    all: Collection[On]

    def verify(self, kind: str, on: On) -> None:
        """Raise RuleViolation unless `on` is listed."""
        if not on:
            raise RuleViolation(SELECTION_MISSING, f"a {kind} is placed on {self.needed}", "on")
        if on not in self.all:
            raise invalid(kind, self.needed)


@dataclass(frozen=True, slots=True)
class Nothing:
    """The bet's name is enough; its only selection is ()."""

    needed: str = ""
    all: Collection[On] = ((),)

    def verify(self, kind: str, on: On) -> None:
        """Raise RuleViolation if there is a selection."""
        if on:
            raise RuleViolation(SELECTION_UNEXPECTED, f"{kind} has no selection", "on")


NOTHING = Nothing()
