"""The last 24 hours: the window in which sums and wrong PINs are counted."""

from sqlalchemy import Connection, select

from tabletools.store.clock import NS
from tabletools.store.schema.evidence import clock_steps
from tabletools.store.schema.people import audit_log

WITHIN_NS = 24 * 3600 * NS
"""Not the gaming day: waiting for the next one would reset it."""


def began_ns(db: Connection, now_ns: int) -> int:
    """Return when the last 24 hours began.

    A clock of a host that was set forward since made nothing longer ago.
    """
    since_ns = now_ns - WITHIN_NS
    steps = select(clock_steps.c.at_ns, clock_steps.c.step_ns)
    steps = steps.where(clock_steps.c.device.is_(None), clock_steps.c.step_ns > 0)
    for row in db.execute(steps.order_by(clock_steps.c.id.desc())):
        if row.at_ns > since_ns:
            since_ns -= row.step_ns
    return since_ns


def newest_before(db: Connection, now_ns: int) -> int:
    """Return the newest row of the audit log that is older than 24 hours, 0 without one.

    Rows rise with time: only those of the day are read, whatever the age of the ledger.
    """
    col = audit_log.c
    query = select(col.seq).where(col.at_ns <= began_ns(db, now_ns))
    return db.execute(query.order_by(col.seq.desc()).limit(1)).scalar_one_or_none() or 0
