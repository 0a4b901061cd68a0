"""The cards that have left the shoe: those not read or not sent yet, and those of the round.

Each card is in a short queue from its passage until it is recorded, in the order they came.
"""

from tablewire import card_shoe as words
from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import RecordSink

_PLACES = const(8)
_MOST = const(60)
_MODULUS = const(65535)
_AWAITED = const(-1)
# Nothing but the cut card may pass now.
CUT_ONLY = const(4)


class Dealing:
    """out: the sink. count: cards of the round so far, read and counted.

    waiting: cards in the queue. first, last: shoe_index of the round's first and last card.
    check_1, check_2: as in cards_ended. burned: cards burned in this round.
    """

    def __init__(self, out: "RecordSink") -> None:
        self._out = out
        self.count = 0
        self.waiting = 0
        self.burned = 0
        self.first = 0
        self.last = 0
        self.check_1 = 0
        self.check_2 = 0
        self._head = 0
        self._card = [_AWAITED] * _PLACES
        self._use = [0] * _PLACES
        self._shoe_index = [0] * _PLACES
        self._round_index = [0] * _PLACES
        self._passage_ms = [0] * _PLACES
        self._passed_ms = [0] * _PLACES

    def begin(self) -> None:
        """Start a round."""
        self.count = self.burned = self.first = self.last = 0
        self.check_1 = self.check_2 = 0

    def spoil(self) -> None:
        """Void the round: its cards that are not sent yet belong to none."""
        for step in range(self.waiting):
            place = (self._head + step) % _PLACES
            if self._use[place] != CUT_ONLY:
                self._use[place] = words.CARD_USE_VOID
            self._round_index[place] = 0

    def add(self, use: int, passage_ms: int, now_ms: int) -> bool:
        """Add a card that has passed; False when there is no room for it."""
        if self.waiting == _PLACES:
            return False
        place = (self._head + self.waiting) % _PLACES
        self.waiting += 1
        self._card[place] = _AWAITED
        self._use[place] = use
        self._shoe_index[place] = self._round_index[place] = 0
        self._passage_ms[place] = passage_ms
        self._passed_ms[place] = now_ms
        return True

    def awaited(self) -> int:
        """Index of the oldest card whose value is not known, -1 when there is none."""
        for step in range(self.waiting):
            place = (self._head + step) % _PLACES
            if self._card[place] == _AWAITED:
                return place
        return -1

    def unread(self) -> int:
        """How many cards have no value yet."""
        count = 0
        for step in range(self.waiting):
            count += self._card[(self._head + step) % _PLACES] == _AWAITED
        return count

    def use(self, place: int) -> int:
        """What the card at an index left the shoe for."""
        return self._use[place]

    def passed_ms(self, place: int) -> int:
        """When the card at an index passed."""
        return self._passed_ms[place]

    def drop(self, place: int) -> None:
        """Remove the cut card. Only cards after it have not been read."""
        for step in range(self.waiting):
            if (self._head + step) % _PLACES == place:
                break
        for behind in range(step, self.waiting - 1):
            into, out_of = (self._head + behind) % _PLACES, (self._head + behind + 1) % _PLACES
            self._card[into] = self._card[out_of]
            self._use[into] = self._use[out_of]
            self._passage_ms[into] = self._passage_ms[out_of]
            self._passed_ms[into] = self._passed_ms[out_of]
        self.waiting -= 1

    def read(self, place: int, card: int, use: int, shoe_index: int) -> bool:
        """Set the value of the card at an index, 0 for none; False when a round has too many."""
        self._card[place] = card
        self._use[place] = use
        self._shoe_index[place] = shoe_index
        if use != words.CARD_USE_ROUND:
            return True
        if self.count == _MOST:
            self._use[place] = words.CARD_USE_VOID
            return False
        self.count += 1
        self._round_index[place] = self.count
        self.first = self.first or shoe_index
        self.last = shoe_index
        self.check_1 = (self.check_1 + card) % _MODULUS
        self.check_2 = (self.check_2 + self.check_1) % _MODULUS
        return True

    def summary(self) -> "list[int]":
        """The first five values of cards_ended."""
        return [self.count, self.first, self.last, self.check_1, self.check_2]

    def record(self) -> None:
        """Record the cards that were read, as far as there is room."""
        while self.waiting and self._card[self._head] != _AWAITED:
            place = self._head
            fields = [
                self._shoe_index[place],
                self._round_index[place],
                self._card[place],
                self._use[place],
                self._passage_ms[place],
            ]
            if not self._out.record(words.CARD_DEALT, fields):
                return
            self._head = (place + 1) % _PLACES
            self.waiting -= 1
