"""Events for others: written with what they enqueue of.

Who has had them is the business of feeds.py. Events of one table are numbered in the order they
happened; of two tables, a later number may be committed first, so a sink asks for what it has not
had, never for what is after a number.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, insert

from tabletools.store.schema.books import outbox


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


class OutboxEvent(NamedTuple):
    """An event to be. event_id: the same however often the same thing is told."""

    event_id: str
    type: str
    subject: str
    data: Mapping[str, object]
    table: int | None = None


def enqueue(db: Connection, told: OutboxEvent, now_ns: int) -> None:
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
