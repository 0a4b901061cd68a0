"""Conditions for a round to open besides the sensors: records, memory, console."""

from tablewire.codes import (
    FIRMWARE_MISMATCH,
    JOURNAL_FULL,
    LINK_TAMPERED,
    MAINTENANCE_OPEN,
    MEMORY_DAMAGED,
)
from tablewire.compat import const
from tablewire.config import PRODUCTION
from tablewire.messages import PHASE_CLOSED, UNKNOWN_U8

from .fault_log import RESERVE
from .outbox import SLOTS

if -0:  # for mypy
    from tabletypes import Hal, TableRole

    from .fault_log import Faults
    from .maintenance import Maintenance
    from .store import Store
    from .transmitter import Transmitter
    from .trust import HostWatch, Trust

RECORDS = const(4)  # counters, faults and configuration of the store; the key
# Records of a round and one fault in it; with less room no round opens.
_LEAST = RESERVE + 2
# Room at which a full journal counts as emptied: well above, or its own faults would fill it.
_ENOUGH = SLOTS // 2


# Steps of 40 ms between records: at once after a round, then repeated, so that no round opens
# later than 6 s after the check of each. One at a time, because reading makes garbage.
_SOON = const(3)
_EVERY = const(50)


class RoundInterlock:
    """Raises and clears journal_full and memory_damaged, and controls the console.

    hal: hal.Hal; store, trust, transmitter, faults, host: those of the table. maintenance:
    maintenance.Maintenance while one exists, else None.
    verified: records verified since the last round ended, 0..RECORDS.
    """

    def __init__(
        self,
        hal: "Hal",
        store: "Store",
        trust: "Trust",
        transmitter: "Transmitter",
        faults: "Faults",
        host: "HostWatch",
    ) -> None:
        self.maintenance: "Maintenance | None" = None
        self._console = hal.console
        self._switch = hal.switch
        self._store = store
        self._trust = trust
        self._transmitter = transmitter
        self._faults = faults
        self._host = host
        self._place = 0  # of the record to be verified next
        self.verified = 0
        self._steps = 0

    def begin(self) -> None:
        """Start a role: the console is set by configuration and faults."""
        if self._store.configured:
            self._console.production = self._store.config[PRODUCTION] == 1
        if self._faults.is_active(MAINTENANCE_OPEN):
            self.serve()
        self._console.set(not self.is_closed)

    @property
    def is_closed(self) -> bool:
        """Whether this is production and the console is closed."""
        is_open = self.maintenance is not None and self.maintenance.is_open
        return self._console.production and not is_open

    def serve(self) -> "Maintenance":
        """Return the object that controls a console requested open, created on demand."""
        if self.maintenance is None:
            from .maintenance import Maintenance  # rarely needed, and not small

            self.maintenance = Maintenance(
                self._console, self._switch, self._store, self._trust, self._transmitter
            )
        return self.maintenance

    def may_open(self) -> bool:
        """Whether there is room for every record of a round, all stored records are good, the host
        is alive, and no fault is active for the host that is gone for the role."""
        if self._faults.late or self._host.is_silent:
            return False
        return self._transmitter.outbox.room() >= _LEAST and self.verified >= RECORDS

    def look(self, role: "TableRole", now_us: int) -> None:
        """Verify the part of the memory not verified since the last round ended."""
        while self.verified < RECORDS and self._verify(role, now_us):
            pass

    def poll(self, role: "TableRole", now_us: int) -> None:
        """Called every 80 ms: the maintenance switch, and requests by command."""
        if self.maintenance is not None or self._switch.level():
            if not self.serve().check(role, now_us):
                self.maintenance = None

    def check(self, role: "TableRole", now_us: int) -> None:
        """Called with every control step between rounds: verify the memory, in turns.

        In a round it is called while `verified` is not 0, to start again afterwards.
        """
        if role.control.phase != PHASE_CLOSED:
            self.verified = self._steps = 0
            return
        self._steps += 1
        if self._steps >= (_SOON if self.verified < RECORDS else _EVERY):
            self._steps = 0
            self._verify(role, now_us)
            return
        outbox, faults = self._transmitter.outbox, self._faults
        if faults.count and faults.is_active(JOURNAL_FULL):
            if outbox.room() > _ENOUGH:
                role.clear_fault(JOURNAL_FULL, now_us)
        elif outbox.room() < _LEAST and self.verified >= RECORDS:
            role.raise_fault(JOURNAL_FULL, UNKNOWN_U8, outbox.waiting, SLOTS, now_us)

    def clear(self, code: int, role: "TableRole", now_us: int) -> bool:
        """Clear a fault for a technician; False if it is not active, or cannot be cleared so."""
        if code not in (MEMORY_DAMAGED, LINK_TAMPERED, FIRMWARE_MISMATCH):
            return False
        if not self._faults.is_active(code):
            return False
        if code == MEMORY_DAMAGED:
            self._store.rewrite()
            self._trust.rewrite()
        role.clear_fault(code, now_us)
        return True

    def _verify(self, role: "TableRole", now_us: int) -> bool:
        self._place = (self._place + 1) % RECORDS
        of_key = self._place == RECORDS - 1
        if self._trust.verify_memory() if of_key else self._store.verify(self._place):
            self.verified += 1
            return True
        role.raise_fault(MEMORY_DAMAGED, UNKNOWN_U8, 0, 1, now_us)
        return False
