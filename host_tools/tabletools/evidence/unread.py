"""Authentic durable records that this release cannot decode. Works on an open transaction.

Each is stored as received and acknowledged, with an alarm. Until a newer release decodes it or a
named user releases it, no bet opens at its table and no later round is judged or settled.
"""

from typing import NamedTuple

from sqlalchemy import Connection, insert, select, update

from tabletools.evidence import alarms, records
from tabletools.evidence.alarms import AlarmCause
from tabletools.evidence.device_clock import Estimate
from tabletools.evidence.records import StoredFields
from tabletools.store.schema.evidence import unread_records
from tablewire.codec import UnreadFrame

CAUSE = "record_not_understood"
READ = "read"


def body_of(db: Connection, frame: UnreadFrame) -> bytes | None:
    """Return the body of the record with that identity, None if it is not stored."""
    col = unread_records.c
    query = select(col.body).where(
        col.device == frame.device, col.boot == frame.boot, col.counter == frame.counter
    )
    body: bytes | None = db.execute(query).scalar_one_or_none()
    return None if body is None else bytes(body)


def keep(
    db: Connection,
    frame: UnreadFrame,
    fields: StoredFields,
    estimate: Estimate | None,
    receipt: tuple[int, int, bool],
) -> None:
    """Store a record with an alarm. receipt: table, UTC, and whether the record counts."""
    table, now_ns, counts = receipt
    text = (
        f"record 0x{frame.type:02x} of boot {frame.boot} counter {frame.counter} cannot be read"
        f" ({frame.problem}): it is kept as received; update this host, which then reads it, or"
        " release the table with a reason"
    )
    alarm = alarms.raise_alarm(
        db, AlarmCause(alarms.NOT_UNDERSTOOD, text, frame.device, table), now_ns
    )
    values = {
        "device": frame.device,
        "boot": frame.boot,
        "counter": frame.counter,
        "type": frame.type,
        "round": frame.round,
        "flags": frame.flags,
        "problem": frame.problem,
        "body": fields.body,
        "raw": fields.raw,
        "seal": fields.seal,
        "counts": int(counts),
        "line_session_id": records.session_of(db, frame.device, fields.proof, now_ns),
        "received_ns": now_ns,
        "made_ns": estimate and estimate.at_ns,
        "uncertainty_ns": estimate and estimate.uncertainty_ns,
        "alarm_id": alarm,
    }
    db.execute(insert(unread_records).values(**values))


class UnreadRow(NamedTuple):
    """A stored record that could not be read."""

    id: int
    raw: bytes
    seal: str
    line_session_id: int | None
    received_ns: int


def open_rows(db: Connection, device: int) -> list[UnreadRow]:
    """Return the records of a device that are neither decoded nor released, in its order."""
    col = unread_records.c
    query = select(*(col[name] for name in UnreadRow._fields))
    query = query.where(col.device == device, col.closed_ns.is_(None))
    return [UnreadRow(*row) for row in db.execute(query.order_by(col.boot, col.counter))]


def close_read(db: Connection, number: int, now_ns: int) -> None:
    """Mark a record as decoded by a release that understands it."""
    col = unread_records.c
    statement = update(unread_records).where(col.id == number).returning(col.alarm_id)
    read = db.execute(statement.values(closed_ns=now_ns, closed_by=READ)).scalar_one()
    alarms.end(db, [read], now_ns)
