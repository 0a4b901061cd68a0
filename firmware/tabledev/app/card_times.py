"""Measures cards during a self-test: how long they cover a gate, how long and thick they are.

Only what all cards have in common leaves the device: a time of its own would show where a shuffler
put a card.
"""

from array import array

from tablewire.compat import const

_MOST = const(120)  # cards at a gate; of a larger deck the first ones
_WHOLE = const(1000)
_TENTHS = const(2563)  # sigmas of a normal spread from its first tenth to its last, permille


class Values:
    """Some measurements of one kind. count: how many."""

    def __init__(self) -> None:
        self.count = 0
        self._values = array("i", bytes(4 * _MOST))

    def add(self, value: int) -> None:
        """Add one, while there is room. Allocates nothing."""
        if self.count < _MOST:
            self._values[self.count] = value
            self.count += 1

    def sorted(self) -> "list[int]":
        """All of them, the least first."""
        return sorted(self._values[: self.count])

    def median(self) -> int:
        """The median."""
        return self.sorted()[self.count // 2]

    def inner(self) -> "tuple[int, int]":
        """From where to where the inner eight tenths are: without cards that slipped."""
        values, tenth = self.sorted(), self.count // 10
        return values[tenth], values[-1 - tenth]

    def spread(self) -> int:
        """Sigma, permille of the median."""
        low, high = self.inner()
        return (high - low) * _WHOLE // _TENTHS * _WHOLE // self.median()

    def farthest(self) -> int:
        """How far the farthest is from the median, permille."""
        values, median = self.sorted(), self.median()
        return max(values[-1] - median, median - values[0]) * _WHOLE // median
