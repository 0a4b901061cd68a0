"""Queries about the machines: outcomes for the audit, maintenance, counts. Reads only."""

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, case, func, or_, select

from tablespec.names import NAMES
from tabletools.evidence import second_readings
from tabletools.evidence.records import FRAMES, frame_rows
from tabletools.roles import dice_tray, results
from tabletools.store.schema.evidence import boots, faults, frames
from tabletools.store.schema.play import rounds
from tablewire.dice_tray import DICE_RESULT
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
MOST = 500
"""Most rows of one answer."""
MOVES = (CONFIGURATION_CHANGED, MAINTENANCE_CHANGED)
"""Records after which a machine may have been moved: earlier outcomes are not counted."""
FALLS = results(are=lambda role: role.audited)
SERVICE = (BOOT_REPORT, CONFIGURATION_CHANGED, MAINTENANCE_CHANGED, FAULT_RAISED, FAULT_CLEARED)


class Fall(NamedTuple):
    """The record of an outcome. round: its number; type: of a result, or round_void."""

    round: int
    type: int
    payload: Row


class Falls(NamedTuple):
    """The outcomes of a machine since it was last moved."""

    falls: list[Fall]
    before: int  # outcomes before that move
    moves: int


def falls_since_move(db: Connection, device: int | None) -> Falls:
    """Return the outcomes of a device since its last move."""
    col = frames.c
    ours = and_(col.device == device, col.counts == 1)
    query = select(col.boot, col.counter).where(ours, col.type.in_(MOVES))
    moved = db.execute(query.order_by(col.boot.desc(), col.counter.desc()).limit(1)).one_or_none()
    moves = db.execute(select(func.count()).where(ours, col.type.in_(MOVES))).scalar_one()
    condition = and_(ours, col.type.in_((*FALLS, ROUND_VOID)))
    before = 0
    if moved is not None:
        is_after = or_(
            col.boot > moved.boot, and_(col.boot == moved.boot, col.counter > moved.counter)
        )
        earlier = select(func.count()).where(ours, col.type.in_(FALLS), ~is_after)
        before = db.execute(earlier).scalar_one()
        condition = and_(condition, is_after)
    listed = (
        select(col.round, col.type, col.payload, rounds.c.id)
        .outerjoin(rounds, rounds.c.ended == col.id)
        .where(condition)
        .order_by(col.boot, col.counter)
    )
    falls = [Fall(row.round, row.type, _fallen(db, row)) for row in db.execute(listed).all()]
    return Falls(falls, before, moves)


def _fallen(db: Connection, row: Any) -> Row:
    """The payload of a record, with the dice that the host read where the table did not."""
    payload: Row = json.loads(row.payload)
    if row.type != DICE_RESULT or dice_tray.faces(payload) or row.id is None:
        return payload
    reading = second_readings.of_round(db, row.id)
    return payload if reading is None else second_readings.with_faces(payload, reading)


def wheel_of(db: Connection, device: int | None) -> int | None:
    """Return the layout of the newest opened round, None if none was opened."""
    col = frames.c
    query = select(col.payload).where(
        col.device == device, col.type == ROUND_OPENED, col.counts == 1
    )
    opening = db.execute(query.order_by(col.id.desc()).limit(1)).scalar_one_or_none()
    return None if opening is None else json.loads(opening).get("wheel")


def service_rows(
    db: Connection, device: int | None = None, before: int | None = None, most: int = 100
) -> list[Row]:
    """Return boots, service, changes of configuration and faults, newest first."""
    col = frames.c
    query = FRAMES.where(col.type.in_(SERVICE))
    if device is not None:
        query = query.where(col.device == device)
    if before is not None:
        query = query.where(col.id < before)
    query = query.order_by(col.id.desc()).limit(min(max(most, 1), MOST))
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


def counts(db: Connection) -> list[Row]:
    """Return for each device: newest boot, stored records, rounds, faults raised."""
    raised = func.sum(case((faults.c.raised == 1, 1), else_=0))
    records, played = _by_device(db, frames.c.device), _by_device(db, rounds.c.device)
    stood = _by_device(db, faults.c.device, raised)
    newest = _by_device(db, boots.c.device, func.max(boots.c.boot))
    return [
        {
            "device": device,
            "boot": boot,
            "records": records.get(device, 0),
            "rounds": played.get(device, 0),
            "faults": stood.get(device, 0),
        }
        for device, boot in newest.items()
    ]


def _by_device(db: Connection, device: Any, figure: Any = None) -> dict[int, int]:
    """A figure of each device; by default its number of rows."""
    query = select(device, func.count() if figure is None else figure).group_by(device)
    return {row[0]: int(row[1]) for row in db.execute(query)}
