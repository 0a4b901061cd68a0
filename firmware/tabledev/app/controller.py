"""The sink of the role: what it decides becomes frames, marks on flash and the lamp.

Allocates nothing but what the flash writes at the opening and the end of a round need.
"""

from tablewire.codes import SYSTEM_INTERRUPTION
from tablewire.messages import (
    BETS_CLOSED,
    PHASE_BETS_OPEN,
    PHASE_CLOSED,
    ROUND_OPENED,
    ROUND_VOID,
    STATE,
    UNKNOWN_U8,
    UNKNOWN_U16,
)

from .faults import RESERVE


class Controller:
    """Called by the role while it works; keeps none of the lists it is given.

    table: table.Table with its store, post, faults and guard;
    recorder: tablelogic.core.recorder.Recorder; lamp: see hal, lit whenever bets are not open.
    Opening and end of a round are first in the journal, then in the counters, then told: a power
    cut in between is made good at the next boot (store.settle).
    """

    def __init__(self, table: object, recorder: object, lamp: object) -> None:
        self._table = table
        self._store = table.store
        self._post = table.post
        self._faults = table.faults
        self._recorder = recorder
        self._lamp = lamp
        self.may_open = table.guard.may_open
        self._lamp.set(1)
        self._post.sender.round = self._store.round

    def interrupted(self) -> None:
        """Void the round that was open when the power went or the program stopped, if any.

        Also one that was open when the counters were lost: it is not the last one by their count.
        """
        values = [SYSTEM_INTERRUPTION, PHASE_CLOSED, UNKNOWN_U8, UNKNOWN_U16]
        values += [0, 0, UNKNOWN_U16, UNKNOWN_U16]
        if self._store.orphan:
            self._post.sender.round = self._store.orphan
            self._store.orphan = 0
            self._post.keep(ROUND_VOID, values)
            self._post.sender.round = self._store.round
        if self._store.is_open:
            self._end(ROUND_VOID, values)

    def round_opened(self, values: list) -> None:
        """A round opens: it gets its number, which is on flash before anybody hears it."""
        self.interrupted()
        self._store.open_round()
        self._post.sender.round = self._store.round
        self._post.keep(ROUND_OPENED, values)
        self._store.save_round()
        self._post.pump()
        self._lamp.set(0)

    def bets_closed(self, values: list) -> None:
        """No more bets."""
        self._lamp.set(1)
        self._recorder.closed(values[0])
        self._post.durable(BETS_CLOSED, values)

    def result(self, values: list) -> None:
        """What the round decided."""
        self._lamp.set(1)
        self._end(self._table.role.result_message, values)

    def void(self, values: list) -> None:
        """The round decides nothing."""
        self._lamp.set(1)
        self._end(ROUND_VOID, values)

    def _end(self, ident: int, values: list) -> None:
        # A trace holds integers alone: what ends with bytes has them there one by one.
        raw = isinstance(values[-1], bytes)
        self._recorder.ended(ident, values[:-1] + list(values[-1]) if raw else values)
        # A second end of a round, from a task that stopped in the middle of the first, is none.
        if self._store.is_open and self._post.keep(ident, values):
            self._store.close_round()
            self._store.save_round()
        self._post.pump()

    def record(self, ident: int, values: list) -> bool:
        """A record of the role's own; False while the room that is left is for a round's end."""
        is_kept = self._post.outbox.room() > RESERVE and self._post.durable(ident, values)
        self._recorder.recorded(is_kept)
        return is_kept

    def fault_raised(self, values: list) -> None:
        """A fault stands."""
        self._faults.raised(values)

    def fault_cleared(self, values: list) -> None:
        """A fault is gone."""
        self._faults.cleared(values)

    def state(self, values: list) -> None:
        """The phase changed."""
        if values[0] == PHASE_BETS_OPEN:
            self._recorder.opened(self._store.round)
        self._post.ephemeral(STATE, values)
