"""How much the cards of one pass differ at a gate, and whether one differs from all the others.

It knows the machine as it is now, calibrated or not: the spread is that of the pass itself,
without its farthest card. The order of the cards is unknown, but two that stick together, or a
torn one, are as odd at the other gate, where the machine's own differences are others: what is too
little for one gate is enough for both.
"""

from tablewire.compat import const

_LEAST_CARDS = const(20)
_LEAST = const(25)  # permille; closer than this is the resolution of an edge
# Five sigmas are 50 / 8 mean differences: of 1,500 whole decks none had a card farther.
_MEANS = const(50)
_EIGHTH = const(8)
# The farthest of both gates the same way, together: 7.5 and 8.25 sigmas, in 1/64 of a mean
# difference. By chance 0.12 % of decks of 52 cards are beyond, 0.24 % of 104 and 0.1 % of 416.
_PARTS = const(64)
_TOGETHER = const(600)
_TOGETHER_MANY = const(660)
_MANY_CARDS = const(110)
_LEAST_MEAN = const(4)  # permille, of which _LEAST is five sigmas


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

    def odd(self) -> int:
        """The difference of one card that is farther than that, or 0."""
        if self._count < _LEAST_CARDS or self.farthest() <= self.limit():
            return 0
        return self.longest if self.longest >= self.shortest else -self.shortest

    def odd_at_both(self, other: "PassSpread") -> int:
        """1 if one card is too long at this gate and the other together, -1 too short, or 0."""
        count = min(self._count, other._count)
        if count < _LEAST_CARDS:
            return 0
        limit = _TOGETHER if count < _MANY_CARDS else _TOGETHER_MANY
        if self._parts(self.longest) + other._parts(other.longest) > limit:
            return 1
        return -(self._parts(self.shortest) + other._parts(other.shortest) > limit)

    def _parts(self, off: int) -> int:
        """A difference by the mean one of the other cards."""
        others = self._count - 1
        rest = max(self._sum - self.farthest(), _LEAST_MEAN * others)
        return off * _PARTS * others // rest
