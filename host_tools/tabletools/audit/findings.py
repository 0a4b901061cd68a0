"""What a test found, and what could not be tested."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tabletools.audit.error_budget import Test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GROUP_LEAST = 500
"""Results of a croupier, ball, direction or thrower that are tested by themselves."""


class Finding(NamedTuple):
    """p: the chance that a fair machine shows this or more. detail: the statistic in words."""

    test: Test
    p: float
    detail: str
    cause: Test | None = None
    """The test that looks for what was found alone: its advice applies."""

    @property
    def advice(self) -> str:
        """Return what to check."""
        return (self.cause or self.test).advice


Answer = tuple[float, str]
"""A p and its statistic in words."""


class Untested(NamedTuple):
    """A test that the file or ledger does not allow. reason: what is missing."""

    test: Test
    reason: str


class Findings(NamedTuple):
    """The tests of one audit, in the order of Test."""

    made: tuple[Finding, ...]
    untested: tuple[Untested, ...]


def sort(answers: list[Finding | Untested]) -> Findings:
    """Divide what was tested from what could not be."""
    made = tuple(answer for answer in answers if isinstance(answer, Finding))
    untested = tuple(answer for answer in answers if isinstance(answer, Untested))
    return Findings(made, untested)


def groups(members: Sequence[str]) -> tuple[list[str], "NDArray[np.int64]"]:
    """Return the names of croupiers, balls, directions or throwers, and which each result has."""
    import numpy as np

    codes = {name: code for code, name in enumerate(sorted(set(members)))}
    return list(codes), np.fromiter(map(codes.__getitem__, members), np.int64, len(members))


def is_sorted(places: "NDArray[np.int64]", sizes: "NDArray[np.int64]") -> bool:
    """Whether each throw or draw is from low to high, so that its order has no meaning."""
    import numpy as np

    steps = np.diff(places)
    steps[np.cumsum(sizes)[:-1] - 1] = 0
    return bool((steps >= 0).all())


def worst(test: Test, answers: list[Answer]) -> Finding:
    """Return the least p of several answers to a test, times their number."""
    p, detail = min(answers)
    return Finding(test, min(1.0, p * len(answers)), detail)
