"""The commands of those who look after a table: attest, self test, maintenance, lock.

Loaded when used.
"""

from tablewire import codes
from tablewire import messages as m

from .attest import attest


def obey(table: object, frame: object, refuse: object) -> None:
    """Carry out or refuse one. refuse(frame, cause, value, limit): answers."""
    if frame.type == m.ATTEST:
        table.overhear(None)
        table.job = attest(table.post, frame.values[0], frame.values[1])
    elif frame.type == m.SELF_TEST:
        if table.role.phase != m.PHASE_CLOSED:
            refuse(frame, m.REFUSAL_ROUND_OPEN, table.role.phase, m.PHASE_CLOSED)
            return
        from .self_test import self_test

        table.overhear(None)
        table.job = self_test(table, frame.values[0])
    elif frame.type == m.LOCK:
        table.role.raise_fault(codes.FIRMWARE_MISMATCH, m.UNKNOWN_U8, 0, 0, table.now_us())
    elif frame.values[0] == m.MAINTENANCE_OPEN:
        table.guard.serve().wanted = True
    elif table.guard.maintenance is not None:
        table.guard.maintenance.wanted = False
        if table.guard.maintenance.held:
            refuse(frame, m.REFUSAL_FAULT_STANDING, table.role.faults(), 0)
