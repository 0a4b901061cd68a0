"""An event of the outbox as a CloudEvent 1.0 in JSON, structured mode. No sink, no socket."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

import msgspec

from tabletools.cms.catalogue import EVENTS, schema_id
from tabletools.cms.origin import Origin
from tabletools.store.outbox import RESTORED_FROM, Event

CONTENT_TYPE = "application/cloudevents+json; charset=utf-8"
_UNNAMED = Origin()


class OutgoingEvent(NamedTuple):
    """An event ready to be sent. attempts: how often it was tried before."""

    number: int
    id: str
    type: str
    table: int | None
    body: bytes
    attempts: int


def outgoing_event(event: Event, origin: Origin = _UNNAMED) -> OutgoingEvent:
    """Return an event as sent: always the same bytes."""
    attributes = msgspec.json.encode(_attributes(event, origin))
    body = b'%b,"data":%b}' % (attributes[:-1], event.data.encode())  # its data is JSON already
    return OutgoingEvent(
        event.number, _id_of(event), event.type, event.table, body, event.attempts
    )


def _id_of(event: Event) -> str:
    """Return the id: with its number where a restored ledger uses keys a second time."""
    if event.number < RESTORED_FROM:
        return event.event_id
    return f"{event.event_id}-{event.number}"


def _attributes(event: Event, origin: Origin) -> dict[str, object]:
    """Return the attributes of an event.

    sequence: rises within a table in the order of events; compared as text.
    """
    fields: dict[str, object] = {
        "specversion": "1.0",
        "id": _id_of(event),
        **origin.attributes(event.table),
        "type": event.type,
        "subject": event.subject,
        "time": time_of(event.at_ns),
        "datacontenttype": "application/json",
        "sequence": f"{event.number:020d}",
    }
    if event.type in EVENTS:
        fields["dataschema"] = schema_id(event.type)
    if event.table is not None:
        fields["table"] = event.table
    return fields


def time_of(at_ns: int) -> str:
    """Return a time in RFC 3339 format, to the microsecond, UTC."""
    seconds, rest_ns = divmod(at_ns, 1_000_000_000)
    return f"{_whole(seconds)}.{rest_ns // 1000:06d}Z"


@lru_cache(maxsize=64)
def _whole(seconds: int) -> str:
    """Return a time up to the second: many events are of the same one."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
