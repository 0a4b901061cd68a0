"""The shoe of a card table: locked by a fault, unlocked by a verified shuffle, or replaced.

A wrong count or a foreign passage makes the deck suspect: no shuffle clears it, a person must
declare what took its place. Everything else is cleared by a complete, verified shuffle, if its
cause is measured gone by then.
"""

from tablewire import messages as m
from tablewire import shuffler as words

from ..core.clock import diff

_DECK = (
    words.COUNT_SHORT,
    words.COUNT_LONG,
    words.GATES_DISAGREE,
    words.PASSES_DISAGREE,
    words.FOREIGN_PASSAGE,
)


class Shoe:
    """table: shuffler.Shuffler; out: the sink. manual: a shoe without a shuffler is played from.

    What could not be told for want of room is told later; a shuffle counts once it was told.
    """

    def __init__(self, table: object, out: object) -> None:
        self._table = table
        self._out = out
        self.manual = False
        self._known = False  # whether it is verified: by a shuffle, or a fault says that it is not
        self._declared = 0  # replacement, to be told
        self._state = 0  # told last
        self._told = [0, 0, 0]
        self._done = [0] * 9
        self._waits = False  # shuffle_done is still to be told

    def tick(self) -> None:
        """Tell what is still to be told, lock what nobody knows."""
        if self._waits and self._out.record(words.SHUFFLE_DONE, self._done):
            self._waits = False
            if self._done[5] == words.VERDICT_VERIFIED:
                self._verified()
        if not self._known:
            self._known = True
            self._table.raise_fault(words.NOT_VERIFIED, m.UNKNOWN_U8, 0, 1, 0)
        reason = self._reason()
        state = words.SHOE_LOCKED if reason else words.SHOE_UNLOCKED
        if self.manual:
            state = words.SHOE_REPLACED
        if state != self._state or self._declared:
            told = self._told
            told[0], told[1], told[2] = state, reason, self._declared
            if self._out.record(words.SHOE_CHANGED, told):
                self._state = state
                self._declared = 0

    def ended(self, reason: int) -> None:
        """The shuffle that runs is over: verified without a reason."""
        table = self._table
        shuffle, done = table.shuffle, self._done
        done[0], done[1], done[2] = shuffle.count_in, shuffle.count_out, shuffle.cards
        done[3], done[4] = shuffle.passes, max(diff(table.now_ms, shuffle.began_ms), 0)
        done[5] = words.VERDICT_REFUSED if reason else words.VERDICT_VERIFIED
        done[6] = reason
        done[7], done[8] = table.machine.margins()
        self._waits = True
        shuffle.end()

    def declare(self, replacement: int) -> None:
        """The host says what took the place of what failed."""
        table = self._table
        table.void(words.SHUFFLER_REPLACED, m.UNKNOWN_U8)
        if table.shuffle.running:
            self.ended(words.SHUFFLER_REPLACED)
        elif self._waits:
            self._done[5], self._done[6] = words.VERDICT_REFUSED, words.SHUFFLER_REPLACED
        if replacement == words.REPLACEMENT_SHUFFLER:
            table.machine.reset()
        self._declared = replacement
        self._known = self.manual = replacement == words.REPLACEMENT_MANUAL_SHOE
        for code in words.STANDING if self.manual else _DECK:
            table.clear_fault(code, 0)

    def _verified(self) -> None:
        self._known = True
        for code in words.STANDING:
            if code not in _DECK and self._table.machine.is_gone(code):
                self._table.clear_fault(code, 0)

    def _reason(self) -> int:
        standing = self._table.standing
        if standing.count:
            for code in words.STANDING:
                if standing.is_up(code):
                    return code
        return 0
