"""What will happen, and when."""

import heapq
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

What = TypeVar("What")


class Planned(Generic[What]):
    """Things to come, the earliest first, those of one time as they were planned."""

    def __init__(self) -> None:
        self._things: list[tuple[int, int, What]] = []
        self._order = 0

    def add(self, t_us: int, what: What) -> None:
        """Plan something."""
        self._order += 1
        heapq.heappush(self._things, (t_us, self._order, what))

    def first_us(self) -> int | None:
        """Return when the next thing is due."""
        return self._things[0][0] if self._things else None

    def take(self, until_us: int) -> Iterator[tuple[int, What]]:
        """Yield (time, what) up to a time, also of what is planned meanwhile."""
        while self._things and self._things[0][0] <= until_us:
            t_us, _, what = heapq.heappop(self._things)
            yield t_us, what

    def forget(self, after_us: int = -1, but: Callable[[What], bool] = lambda what: False) -> None:
        """Drop all that is due after a time, but some of it."""
        self._things = [each for each in self._things if each[0] <= after_us or but(each[2])]
        heapq.heapify(self._things)
