"""How much is played: each n-th case of a long matrix by `make test`, every one by `make soak`.

A test marked `one_in(n)` has its cases thinned when they are collected (`conftest.py`).
"""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
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


def left_out(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Return the cases that `make test` does not play of tests that are marked `one_in`."""
    cases: Counter[str] = Counter()
    out = set()
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark is not None and not IS_SOAK:
            test = item.nodeid.partition("[")[0]
            if cases[test] % mark.args[0]:
                out.add(item)
            cases[test] += 1
    return out


def deselect(config: pytest.Config, items: list[pytest.Item], out: set[pytest.Item]) -> None:
    """Leave these cases out of a run, which counts them."""
    config.hook.pytest_deselected(items=[item for item in items if item in out])
    items[:] = [item for item in items if item not in out]


def waits_first(items: list[pytest.Item]) -> None:
    """Put what waits for a clock first: at the end it would leave every other core idle."""
    items.sort(key=lambda item: item.get_closest_marker("waits") is None)


soak_only = pytest.mark.skipif(not IS_SOAK, reason="make soak plays it")
