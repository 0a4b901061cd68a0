"""Standing faults and what the host knows of them.

A fault that comes and goes while the outbox is full is not lost and not doubled: as soon as there
is room the host is told what stands now.
"""

from tablewire.codes import JOURNAL_FULL, STANDING
from tablewire.compat import const
from tablewire.messages import FAULT_CLEARED, FAULT_RAISED

_UNKNOWN_U32 = 0xFFFFFFFF
# Records kept free for the open round: bets closed, result or void, and one to spare.
RESERVE = const(3)


class Faults:
    """Passes fault records on to the post, one pair at a time per code.

    post: post.Post; store: store.Store, which keeps what stands over a power cut.
    """

    def __init__(self, post: object, store: object) -> None:
        self._post = post
        self._store = store
        self._raised = [[code, 0, 0, 0] for code in STANDING]
        self._cleared = [[code, 0, 0] for code in STANDING]
        self._stands = bytearray(len(STANDING))
        self._told = bytearray(len(STANDING))
        self._held = False  # between restart() and tell()

    def stands(self, code: int) -> int:
        """1 while the fault stands, else 0."""
        return self._stands[STANDING.index(code)]

    def raised(self, values: list) -> None:
        """Fields of fault_raised."""
        self._note(self._raised, values, 1)

    def cleared(self, values: list) -> None:
        """Fields of fault_cleared."""
        self._note(self._cleared, values, 0)

    def restart(self) -> None:
        """A new role begins, with no fault. Call tell() when it knows what stands.

        Until then nothing is told; then what stands no more is told cleared, its time unknown.
        What stands by the store is the new role's to take over.
        """
        self._held = True
        for place in range(len(STANDING)):
            if self._stands[place]:
                self._cleared[place][1] = self._raised[place][1]
                self._cleared[place][2] = _UNKNOWN_U32
                self._stands[place] = 0

    def tell(self) -> None:
        """Send what the host does not know yet, as far as there is room."""
        if self._held:
            self._held = False
            self._keep()
        if self._stands == self._told:
            return
        for place in range(len(STANDING)):
            stands = self._stands[place]
            # Of a full journal the host hears at once: no round is open that needs its places.
            least = 0 if STANDING[place] == JOURNAL_FULL else RESERVE
            if stands != self._told[place] and self._post.outbox.room() > least:
                if stands:
                    self._post.durable(FAULT_RAISED, self._raised[place])
                else:
                    self._post.durable(FAULT_CLEARED, self._cleared[place])
                self._told[place] = stands

    def _note(self, kept: list, values: list, stands: int) -> None:
        place = STANDING.index(values[0])
        own = kept[place]
        for index in range(len(own)):
            own[index] = values[index]
        self._stands[place] = stands
        if not self._held:
            # A fault is safe before it is told, and told cleared before it is forgotten.
            if stands:
                self._keep()
            self.tell()
            self._keep()

    def _keep(self) -> None:
        found = []
        for place in range(len(STANDING)):
            if self._stands[place]:
                found += self._raised[place][:2]
        self._store.keep_faults(found)
