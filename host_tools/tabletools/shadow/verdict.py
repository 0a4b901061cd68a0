"""The verdict on a bet, and the errors of a shadow without an answer."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

Record = Mapping[str, Any]
"""A round, a bet or an outcome, as docs/SETTLE.md has it."""
Cents = Fraction | int


class Verdict(NamedTuple):
    """A bet settled: the fields of an answer of docs/SETTLE.md. A Fraction is not a whole cent.

    paragraphs: those that decide, the deciding one first; `judge` adds the edition.
    """

    outcome: str
    win: Cents = 0
    back: Cents = 0
    live: Cents = 0
    lost: Cents = 0
    state: str | None = None
    paragraphs: tuple[str, ...] = ()

    def by(self, *paragraphs: str) -> "Verdict":
        """Return the verdict with the paragraphs that decide it."""
        return self._replace(paragraphs=paragraphs)


GARBLED = (AttributeError, LookupError, TypeError, ValueError)
"""Errors raised when reading a record of another shape."""


class Unjudged(Exception):
    """The shadow cannot judge this."""


class Impossible(Exception):
    """The rulebook has no such bet, card or outcome, so nothing can be paid on it."""


def win(stake: int, odds: Cents) -> Verdict:
    """Paid odds to 1, and the stake is returned."""
    return Verdict("win", stake * odds, back=stake)


def win_and_stay(stake: int, odds: Cents, state: str | None = None) -> Verdict:
    """Paid odds to 1, and the stake stays in play."""
    return Verdict("win", stake * odds, live=stake, state=state)


def lose(stake: int) -> Verdict:
    """The stake goes to the bank."""
    return Verdict("lose", lost=stake)


def push(stake: int) -> Verdict:
    """The stake is returned, nothing is won."""
    return Verdict("push", back=stake)


def void(stake: int) -> Verdict:
    """The bet is cancelled and the stake is returned."""
    return Verdict("void", back=stake)


def stand(stake: int, state: str | None = None) -> Verdict:
    """Nothing is decided."""
    return Verdict("stand", live=stake, state=state)


def half(stake: int, returned: Fraction) -> Verdict:
    """A part of the stake is returned, the rest is lost."""
    back = stake * returned
    return Verdict("half", back=back, lost=stake - back)
