"""Events for others: written with what they tell of, told to each sink until it has them.

Events of one table are numbered in the order they happened; of two tables, a later number may be
committed first, so a sink asks for what it has not had, never for what is after a number.
"""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, and_, insert, or_, select, update

from tabletools.ledger.base import Ledger
from tabletools.ledger.rows import put
from tabletools.ledger.schema.books import deliveries, outbox


class Event(NamedTuple):
    """One event, for a CloudEvent: id, type, subject, time and data (JSON text)."""

    number: int
    event_id: str
    type: str
    subject: str
    table: int | None
    at_ns: int
    data: str
    attempts: int = 0


class Told(NamedTuple):
    """An event to be. event_id: the same however often the same thing is told."""

    event_id: str
    type: str
    subject: str
    data: Mapping[str, object]
    table: int | None = None


def tell(db: Connection, told: Told, now_ns: int) -> None:
    """Write an event, in the transaction of what it tells of."""
    db.execute(
        insert(outbox).values(
            event_id=told.event_id,
            type=told.type,
            subject=told.subject,
            table_id=told.table,
            at_ns=now_ns,
            data=json.dumps(told.data, separators=(",", ":"), ensure_ascii=False),
        )
    )


def pending(ledger: Ledger, sink: str, *, most: int = 100) -> list[Event]:
    """Return events that a sink has not had and may be tried now, oldest first."""
    now_ns = ledger.clock.wall_ns()
    mine = and_(deliveries.c.outbox_id == outbox.c.id, deliveries.c.sink == sink)
    query = (
        select(outbox, deliveries.c.attempts)
        .outerjoin(deliveries, mine)
        .where(
            or_(
                deliveries.c.outbox_id.is_(None),
                and_(deliveries.c.delivered_ns.is_(None), deliveries.c.next_ns <= now_ns),
            )
        )
        .order_by(outbox.c.id)
        .limit(most)
    )
    with ledger.read() as db:
        return [Event._make((*row[:7], row[7] or 0)) for row in db.execute(query)]


def delivered(ledger: Ledger, sink: str, numbers: Sequence[int]) -> None:
    """A sink has these events."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        for number in numbers:
            attempts = _attempts(db, sink, number)
            row = {"sink": sink, "outbox_id": number, "attempts": attempts + 1}
            row |= {"next_ns": now_ns, "delivered_ns": now_ns, "error": None}
            put(db, deliveries, ("sink", "outbox_id"), row)

    ledger.run(write)


def failed(ledger: Ledger, sink: str, number: int, error: str, *, again_ns: int) -> None:
    """A sink did not take an event: it is tried again from a time on, UTC."""

    def write(db: Connection) -> None:
        attempts = _attempts(db, sink, number)
        row = {"sink": sink, "outbox_id": number, "attempts": attempts + 1}
        row |= {"next_ns": again_ns, "delivered_ns": None, "error": error}
        put(db, deliveries, ("sink", "outbox_id"), row)

    ledger.run(write)


def retry(ledger: Ledger, sink: str) -> None:
    """Let every event that waits for a sink be tried now: it is back."""
    at = deliveries.c
    statement = update(deliveries).where(at.sink == sink, at.delivered_ns.is_(None))
    ledger.run(lambda db: db.execute(statement.values(next_ns=0)))


def _attempts(db: Connection, sink: str, number: int) -> int:
    at = deliveries.c
    query = select(at.attempts).where(at.sink == sink, at.outbox_id == number)
    return int(db.execute(query).scalar_one_or_none() or 0)
