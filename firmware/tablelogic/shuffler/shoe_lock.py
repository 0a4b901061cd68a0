"""The shoe of a card table: locked by a fault, unlocked by a verified shuffle, or replaced.

A wrong count or a foreign passage makes the deck suspect: no shuffle clears it, an operator has to
declare the replacement. Everything else is cleared by a complete, verified shuffle, if its cause
is gone by then.
"""

from tablewire import messages as m
from tablewire import shuffler as words
from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import RecordSink

    from ..core.round import RoundControl

_VERDICT = const(5)  # indexes in shuffle_done
_REASON = const(6)
DECK = (
    words.COUNT_SHORT,
    words.COUNT_LONG,
    words.GATES_DISAGREE,
    words.PASSES_DISAGREE,
    words.FOREIGN_PASSAGE,
)


class Shoe:
    """manual: a shoe without a shuffler is in use. out: the sink.

    Events without room are sent later; a shuffle counts once it was sent.
    """

    def __init__(self, control: "RoundControl", out: "RecordSink") -> None:
        self._control = control
        self._out = out
        self.manual = False
        self._known = (
            False  # whether it is verified: by a shuffle, or a fault reports that it is not
        )
        self._declared = 0  # replacement, to be sent
        self._state = 0  # sent last
        self._done = [0] * 9  # the fields of shuffle_done
        self._waits = False  # shuffle_done is still to be sent

    def send_verdict(self) -> bool:
        """Send the verdict of the last shuffle, once; True when it verified the deck."""
        if not (self._waits and self._out.record(words.SHUFFLE_DONE, self._done)):
            return False
        self._waits = False
        if self._done[_VERDICT] != words.VERDICT_VERIFIED:
            return False
        self._known = True
        return True

    def tick(self) -> None:
        """Lock a deck that is not verified, send what changed."""
        if not self._known:
            self._known = True
            self._control.raise_fault(words.NOT_VERIFIED, m.UNKNOWN_U8, 0, 1)
        reason = self._reason()
        state = words.SHOE_LOCKED if reason else words.SHOE_UNLOCKED
        if self.manual:
            state = words.SHOE_REPLACED
        if state != self._state or self._declared:
            if self._out.record(words.SHOE_CHANGED, [state, reason, self._declared]):
                self._state = state
                self._declared = 0

    def shuffled(self, counts: "list[int]", reason: int, margins: "tuple[int, int]") -> None:
        """A shuffle is over: verified without a reason. counts: see shuffle_done."""
        verdict = words.VERDICT_REFUSED if reason else words.VERDICT_VERIFIED
        # In place, because the list is part of the state that a trace begins with.
        self._done[:] = counts + [verdict, reason, margins[0], margins[1]]
        self._waits = True

    def spoil(self, code: int) -> None:
        """Refuse a deck whose verdict was not sent yet: a fault came before it."""
        if self._waits and not self._done[_REASON]:
            self._done[_VERDICT] = words.VERDICT_REFUSED
            self._done[_REASON] = code

    def declare(self, replacement: int) -> None:
        """Take the host's declaration of the replacement."""
        self.spoil(words.SHUFFLER_REPLACED)
        self._declared = replacement
        self._known = self.manual = replacement == words.REPLACEMENT_MANUAL_SHOE
        for code in words.FAULT_CODES if self.manual else DECK:
            self._control.clear_fault(code)

    def _reason(self) -> int:
        faults = self._control.faults
        return faults.first_own() if faults.count else 0
