"""How much the cards of one pass differ at a gate, and whether one differs from all the others.

It knows the machine as it is now, calibrated or not: the spread is that of the pass itself,
without its farthest card.
"""

from tablewire.compat import const

_LEAST_CARDS = const(20)
_LEAST = const(25)  # permille; closer than this is the resolution of an edge
# Five sigmas are 50 / 8 mean differences: of 1,500 whole decks none had a card farther.
_MEANS = const(50)
_EIGHTH = const(8)


class PassSpread:
    """longest, shortest: differences of cards from the median, permille, the farthest each way."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """A pass begins."""
        self.longest = self.shortest = 0
        self._count = 0
        self._sum = 0

    def add(self, off: int) -> None:
        """A card passed. off: its difference from the median, permille."""
        self._count += 1
        self._sum += abs(off)
        if off > self.longest:
            self.longest = off
        elif -off > self.shortest:
            self.shortest = -off

    def farthest(self) -> int:
        """The farthest difference either way."""
        return max(self.longest, self.shortest)

    def limit(self) -> int:
        """The farthest difference of one card in this pass."""
        rest = self._sum - self.farthest()
        return max(rest * _MEANS // (_EIGHTH * max(self._count - 1, 1)), _LEAST)

    def is_odd(self) -> bool:
        """Whether one card is farther than that."""
        return self._count >= _LEAST_CARDS and self.farthest() > self.limit()
