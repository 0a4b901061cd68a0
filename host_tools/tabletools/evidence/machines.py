"""Queries about the machines: outcomes for the audit, maintenance, counts. Reads only."""

import json
from collections.abc import Mapping, Sequence
from itertools import dropwhile
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, true

from tablespec.names import NAMES
from tabletools.evidence import second_readings
from tabletools.evidence.records import FRAMES, frame_rows
from tabletools.roles import Record, results
from tabletools.roles.frame_record import decoded
from tabletools.store.schema.evidence import boots, frames
from tabletools.store.schema.play import rounds
from tablewire.messages import (
    BOOT_REPORT,
    CONFIGURATION_CHANGED,
    FAULT_CLEARED,
    FAULT_RAISED,
    MAINTENANCE_CHANGED,
    ROUND_OPENED,
    ROUND_VOID,
)

Row = dict[str, Any]
MOVES = (CONFIGURATION_CHANGED, MAINTENANCE_CHANGED)
"""Records after which a machine may have been moved: earlier outcomes are not counted."""
FALLS = results(are=lambda role: role.audited)
SERVICE = (BOOT_REPORT, CONFIGURATION_CHANGED, MAINTENANCE_CHANGED, FAULT_RAISED, FAULT_CLEARED)


class Fall(NamedTuple):
    """The record of an outcome. round: its number; type: of a result, or round_void.

    key: the row of its round, None for a device without a table.
    """

    round: int
    type: int
    payload: Row
    key: int | None


class Falls(NamedTuple):
    """The outcomes of a machine since it was last moved."""

    falls: list[Fall]
    before: int  # outcomes before that move
    moves: int


def falls_since_move(db: Connection, device: int | None) -> Falls:
    """Return the outcomes of a device since its last move."""
    col = frames.c
    ours, is_after = _since_move(db, device)
    moves = db.execute(select(func.count()).where(ours, col.type.in_(MOVES))).scalar_one()
    earlier = select(func.count()).where(ours, col.type.in_(FALLS), ~is_after)
    before = db.execute(earlier).scalar_one() if moves else 0
    condition = and_(ours, is_after, col.type.in_((*FALLS, ROUND_VOID)))
    listed = (
        select(col.round, col.type, col.payload, rounds.c.id)
        .outerjoin(rounds, rounds.c.ended == col.id)
        .where(condition)
        .order_by(col.boot, col.counter)
    )
    falls = [
        Fall(row.round, row.type, _fallen(db, row), row.id) for row in db.execute(listed).all()
    ]
    return Falls(falls, before, moves)


def _since_move(
    db: Connection, device: int | None
) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return the conditions on frames: of this device, and after its last move."""
    col = frames.c
    ours = and_(col.device == device, col.counts == 1)
    query = select(col.boot, col.counter).where(ours, col.type.in_(MOVES))
    moved = db.execute(query.order_by(col.boot.desc(), col.counter.desc()).limit(1)).one_or_none()
    if moved is None:
        return ours, true()
    later = and_(col.boot == moved.boot, col.counter > moved.counter)
    return ours, or_(col.boot > moved.boot, later)


def records_since_move(
    db: Connection, device: int, types: Sequence[int], most: int | None = None
) -> list[tuple[int, Record]]:
    """Return the records of these types since the last move by key, in the table's order.

    most: if there are more, only the newest, of whole rounds.
    """
    col = frames.c
    ours, is_after = _since_move(db, device)
    query = FRAMES.where(ours, is_after, col.type.in_(types))
    newest = query.order_by(col.boot.desc(), col.counter.desc()).limit(most)
    rows = list(frame_rows(db, newest))[::-1]
    if len(rows) == most:
        first = rows[0].round
        rows = list(dropwhile(lambda row: row.round == first, rows))
    return [(row.id, decoded(row)) for row in rows]


def _fallen(db: Connection, row: Any) -> Row:
    """The payload of a record, with the dice that the host read where the table did not."""
    payload: Row = json.loads(row.payload)
    if row.id is None or not second_readings.is_left(row.type, payload):
        return payload
    reading = second_readings.of_round(db, row.id)
    return payload if reading is None else second_readings.with_faces(payload, reading)


def devices_by_name(db: Connection) -> dict[str, int]:
    """Return every device that has a record of a result: its serial number as text."""
    col = frames.c
    types = results(are=lambda role: role.audited or role.deals_of)
    query = select(col.device).where(col.type.in_(types), col.counts == 1).distinct()
    return {str(device): device for device in db.scalars(query.order_by(col.device))}


def wheel_of(db: Connection, device: int | None) -> int | None:
    """Return the layout of the newest opened round, None if none was opened."""
    col = frames.c
    query = select(col.payload).where(
        col.device == device, col.type == ROUND_OPENED, col.counts == 1
    )
    opening = db.execute(query.order_by(col.id.desc()).limit(1)).scalar_one_or_none()
    return None if opening is None else json.loads(opening).get("wheel")


def service_rows(db: Connection, keys: Sequence[int]) -> list[Row]:
    """Return records by their keys, newest first."""
    query = FRAMES.where(frames.c.id.in_(keys)).order_by(frames.c.id.desc())
    return [
        {
            "device": row.device,
            "boot": row.boot,
            "counter": row.counter,
            "received_ns": row.received_ns,
            "seal": row.seal,
            "frame": row.id,
            "type": NAMES[row.type],
            "payload": json.loads(row.payload),
            "raw": bytes(row.raw),
        }
        for row in frame_rows(db, query)
    ]


def counts(db: Connection, records: Mapping[int, tuple[int, int, int]]) -> list[Row]:
    """Return for each device: newest boot, stored records, rounds, faults raised.

    records: number of records, of rounds and of faults raised of each device.
    """
    query = select(boots.c.device, func.max(boots.c.boot)).group_by(boots.c.device)
    devices = []
    for device, boot in db.execute(query):
        stored, played, raised = records.get(device, (0, 0, 0))
        counted = {"records": stored, "rounds": played, "faults": raised}
        devices.append({"device": device, "boot": int(boot), **counted})
    return devices
