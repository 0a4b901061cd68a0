"""The shoe of a card table: locked by a fault, unlocked by a verified shuffle, or replaced.

A wrong count or a foreign passage makes the deck suspect: no shuffle clears it, a person must
declare what took its place. Everything else is cleared by a complete, verified shuffle, if its
cause is measured gone by then.
"""

from tablewire import messages as m
from tablewire import shuffler as words
from tablewire.compat import const

from ..core.clock import diff

_VERDICT = const(5)  # places in shuffle_done
_REASON = const(6)
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
        self._done = [0] * 9  # the fields of shuffle_done
        self._waits = False  # shuffle_done is still to be told

    def tick(self) -> None:
        """Tell what is still to be told, lock what nobody knows."""
        if self._waits and self._out.record(words.SHUFFLE_DONE, self._done):
            self._waits = False
            if self._done[_VERDICT] == words.VERDICT_VERIFIED:
                self._verified()
        if not self._known:
            self._known = True
            self._table.raise_fault(words.NOT_VERIFIED, m.UNKNOWN_U8, 0, 1, 0)
        reason = self._reason()
        state = words.SHOE_LOCKED if reason else words.SHOE_UNLOCKED
        if self.manual:
            state = words.SHOE_REPLACED
        if state != self._state or self._declared:
            if self._out.record(words.SHOE_CHANGED, [state, reason, self._declared]):
                self._state = state
                self._declared = 0

    def ended(self, reason: int) -> None:
        """The shuffle that runs is over: verified without a reason."""
        table = self._table
        shuffle = table.shuffle
        margin_in, margin_out = table.machine.margins()
        # In place, for the list is part of the state that a trace begins with.
        self._done[:] = [
            shuffle.count_in,
            shuffle.count_out,
            shuffle.cards,
            shuffle.passes,
            max(diff(table.now_ms, shuffle.began_ms), 0),
            words.VERDICT_REFUSED if reason else words.VERDICT_VERIFIED,
            reason,
            margin_in,
            margin_out,
        ]
        self._waits = True
        shuffle.end()

    def declare(self, replacement: int) -> None:
        """The host says what took the place of what failed."""
        table = self._table
        table.void(words.SHUFFLER_REPLACED, m.UNKNOWN_U8)
        if table.shuffle.running:
            self.ended(words.SHUFFLER_REPLACED)
        elif self._waits:
            self._done[_VERDICT] = words.VERDICT_REFUSED
            self._done[_REASON] = words.SHUFFLER_REPLACED
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
