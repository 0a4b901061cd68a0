"""How much is played: each n-th case of a long matrix by `make test`, every one by `make soak`."""

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

Case = TypeVar("Case")
EVERY_STEP = "TABLEWIRE_EVERY_STEP"
IS_SOAK = bool(os.environ.get(EVERY_STEP))


def thinned(cases: Sequence[Case], nth: int) -> Sequence[Case]:
    """Return every nth case, from the first on; all of them with TABLEWIRE_EVERY_STEP set."""
    return cases if IS_SOAK else cases[::nth]


def share(count: int, nth: int) -> int:
    """Return how many examples to draw, or seconds to play: one nth, all of it by `make soak`."""
    return count if IS_SOAK else count // nth


def soaked(cases: Sequence[Case]) -> Sequence[Case]:
    """Return cases that only `make soak` plays."""
    return cases if IS_SOAK else ()


soak_only = pytest.mark.skipif(not IS_SOAK, reason="make soak plays it")
