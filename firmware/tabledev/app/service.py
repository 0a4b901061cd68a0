"""Maintenance commands: attest, self-test, picture, maintenance.

Loaded on demand.
"""

from tablewire import messages as m
from tablewire.config import ROLE

from .attest import attest

if -0:  # for mypy
    from tabletypes import Refuse
    from tablewire.codec import Frame

    from .table import Table


def obey(table: "Table", frame: "Frame", refuse: "Refuse") -> None:
    """Obey or refuse one command. refuse(frame, cause, value, limit): answers."""
    role = table.engine.role
    phase = role.phase
    if frame.type in (m.SELF_TEST, m.FETCH_PICTURE) and phase != m.PHASE_CLOSED:
        refuse(frame, m.REFUSAL_ROUND_OPEN, phase, m.PHASE_CLOSED)
    elif frame.type == m.ATTEST:
        table.start_job(attest(table.transmitter, frame.values[0], frame.values[1]), frame)
    elif frame.type == m.SELF_TEST:
        from .self_test import self_test

        table.start_job(self_test(table, frame.values[0]), frame)
    elif frame.type == m.FETCH_PICTURE and table.sight is None:
        refuse(frame, m.REFUSAL_OUT_OF_RANGE, table.store.config[ROLE], m.ROLE_DICE_TRAY)
    elif frame.type == m.FETCH_PICTURE:
        job = table.sight.show(frame.values[0])
        if job is not None:
            table.start_job(job, frame)
    elif frame.values[0] == m.MAINTENANCE_OPEN:
        table.interlock.serve().wanted = True
    elif table.interlock.maintenance is not None:
        table.interlock.maintenance.wanted = False
        if table.interlock.maintenance.held:
            refuse(frame, m.REFUSAL_FAULT_ACTIVE, role.faults(), 0)
