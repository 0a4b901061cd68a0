"""Events for other systems, written in the transaction they report; `cms.sinks` delivers them.

Events of one table are numbered in the order they happened. Of two tables, a later number may be
committed first, so a sink asks for undelivered events, never for those after a number.
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
    """An event to write. event_id: the same however often the same fact is reported."""

    event_id: str
    type: str
    subject: str
    data: Mapping[str, object]
    table: int | None = None


def enqueue(db: Connection, event: OutboxEvent, now_ns: int) -> None:
    """Write an event, in the transaction that it reports."""
    db.execute(
        insert(outbox).values(
            event_id=event.event_id,
            type=event.type,
            subject=event.subject,
            table_id=event.table,
            at_ns=now_ns,
            data=json.dumps(event.data, separators=(",", ":"), ensure_ascii=False),
        )
    )
