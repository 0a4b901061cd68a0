"""The commands of those who look after a table: attest, maintenance, lock; loaded when used."""

from tablewire import codes
from tablewire import messages as m

from .attest import attest


def obey(table: object, frame: object, refuse: object) -> None:
    """Carry out or refuse one. refuse(frame, cause, value, limit): answers."""
    if frame.type == m.ATTEST:
        table.job = attest(table.post, frame.values[0], frame.values[1])
    elif frame.type == m.LOCK:
        table.role.raise_fault(codes.FIRMWARE_MISMATCH, m.UNKNOWN_U8, 0, 0, table.now_us())
    elif frame.values[0] == m.MAINTENANCE_OPEN:
        table.guard.serve().wanted = True
    elif table.guard.maintenance is not None:
        table.guard.maintenance.wanted = False
        if table.guard.maintenance.held:
            refuse(frame, m.REFUSAL_FAULT_STANDING, table.role.faults(), 0)
