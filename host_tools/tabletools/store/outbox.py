"""Events for other systems, written in the transaction they report; `cms.sinks` delivers them.

Events are numbered at the end of their transaction, where no other one can end, so a reader of
an event finds all that have a lower number.

A restored ledger counts on from its backup, so it gives the keys of what was lost to other rounds.
Its events are numbered from the time of the restore (microseconds): above all earlier ones.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, func, insert, select, text

from tabletools.store.engine import LAST
from tabletools.store.schema.books import outbox

RESTORED_FROM = 10**15
"""From this number on an event is of a restored ledger (the year 2001 in microseconds)."""


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


def number_from(db: Connection, least: int) -> int:
    """Have the database number events after a number, which is for the event written next.

    least: it is at least this, and above all there are.
    """
    newest = db.execute(select(func.max(outbox.c.id))).scalar_one() or 0
    number = max(least, RESTORED_FROM, int(newest) + 1)
    if db.dialect.name != "sqlite":  # which goes on from the highest by itself
        query = text("SELECT setval(pg_get_serial_sequence('outbox', 'id'), :number)")
        db.execute(query, {"number": number})
    return number


_INSERT = insert(outbox)
"""Built once: it runs for every event."""


def enqueue(db: Connection, event: OutboxEvent, now_ns: int, number: int | None = None) -> None:
    """Write an event at the end of this transaction. number: None: the next one."""
    key = {} if number is None else {"id": number}
    row = {
        **key,
        "event_id": event.event_id,
        "type": event.type,
        "subject": event.subject,
        "table_id": event.table,
        "at_ns": now_ns,
        "data": json.dumps(event.data, separators=(",", ":"), ensure_ascii=False),
    }
    db.info[LAST].append((_INSERT, row))
