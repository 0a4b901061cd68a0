"""How much of a long matrix is played: each n-th case by `make test`, every one by `make soak`."""

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")


def thinned(cases: Sequence[Case], nth: int) -> Sequence[Case]:
    """Return every nth case, from the first on; all of them with TABLEWIRE_EVERY_STEP set."""
    return cases if os.environ.get("TABLEWIRE_EVERY_STEP") else cases[::nth]
