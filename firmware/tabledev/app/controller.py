"""The sink of the engine: decisions become frames, counters on flash and the lamp.

Allocates only what writing to flash at the opening and the end of a round needs.
"""

from tablewire.codes import SYSTEM_INTERRUPTION
from tablewire.messages import (
    BETS_CLOSED,
    PHASE_CLOSED,
    ROUND_OPENED,
    ROUND_VOID,
    STATE,
    UNKNOWN_U8,
    UNKNOWN_U16,
)

from .fault_log import RESERVE

if -0:  # for mypy
    from collections.abc import Callable

    from tabletypes import Fields, Lamp

    from .fault_log import Faults
    from .store import Store
    from .transmitter import Transmitter


class Controller:
    """Called by the engine while the role runs; stores none of the lists it is given.

    store: store.Store; transmitter: transmitter.Transmitter; faults: fault_log.Faults; lamp: see
    hal, lit whenever bets are not open; may_open() -> whether a round may open.
    The opening and the end of a round go to the journal first, then to the counters, then to the
    host: the next boot completes what a power cut interrupted (store.settle).
    """

    def __init__(
        self,
        store: "Store",
        transmitter: "Transmitter",
        faults: "Faults",
        lamp: "Lamp",
        may_open: "Callable[[], bool]",
    ) -> None:
        self.may_open = may_open
        self.fault_raised = faults.raised
        self.fault_cleared = faults.cleared
        self._store = store
        self._transmitter = transmitter
        self._lamp = lamp
        self._lamp.set(1)
        self._transmitter.sender.round = self._store.round

    def interrupted(self) -> None:
        """Void the round that was open when the power failed or the program stopped, if any.

        Also one that was open when the counters were lost: by their count it is not the last one.
        """
        values = [SYSTEM_INTERRUPTION, PHASE_CLOSED, UNKNOWN_U8, UNKNOWN_U16]
        values += [0, 0, UNKNOWN_U16, UNKNOWN_U16]
        if self._store.orphan:
            self._transmitter.sender.round = self._store.orphan
            self._store.orphan = 0
            self._transmitter.journal(ROUND_VOID, values)
            self._transmitter.sender.round = self._store.round
        if self._store.is_open:
            self.ended(ROUND_VOID, values)

    def round_opened(self, values: "Fields") -> int:
        """Open a round: it gets its number, which is on flash before it is sent."""
        if self._store.is_open:
            self.interrupted()
        self._store.open_round()
        self._transmitter.sender.round = self._store.round
        self._transmitter.journal(ROUND_OPENED, values)
        self._store.save_round()
        self._transmitter.pump()
        self._lamp.set(0)
        return self._store.round

    def bets_closed(self, values: "Fields") -> None:
        """Report no more bets: the host waits for it, and the next boot voids without it."""
        self._lamp.set(1)
        self._transmitter.send_first(BETS_CLOSED, values)

    def ended(self, ident: int, values: "Fields") -> None:
        """Report the end of a round, a result or a void."""
        self._lamp.set(1)
        # A second end of a round, from a task that stopped in the middle of the first, only saves
        # the counters again: the flash may have refused them.
        if self._store.is_open and self._transmitter.journal(ident, values):
            self._store.close_round()
        self._store.save_round()
        self._transmitter.pump()

    def record(self, ident: int, values: "Fields") -> bool:
        """Store a record of the role; False if the room left is reserved for a round's end."""
        return self._transmitter.outbox.room() > RESERVE and self._transmitter.send_durable(
            ident, values
        )

    def state(self, values: "Fields") -> None:
        """Report a changed phase."""
        self._transmitter.send_volatile(STATE, values)
