"""How much is played: each n-th case of a long matrix by `make test`, every one by `make soak`."""

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")
EVERY_STEP = "TABLEWIRE_EVERY_STEP"


def thinned(cases: Sequence[Case], nth: int) -> Sequence[Case]:
    """Return every nth case, from the first on; all of them with TABLEWIRE_EVERY_STEP set."""
    return cases if os.environ.get(EVERY_STEP) else cases[::nth]


def share(count: int, nth: int) -> int:
    """Return how many examples to draw, or seconds to play: one nth, all of it by `make soak`."""
    return count if os.environ.get(EVERY_STEP) else count // nth


def soaked(cases: Sequence[Case]) -> Sequence[Case]:
    """Return cases that only `make soak` plays."""
    return cases if os.environ.get(EVERY_STEP) else ()
