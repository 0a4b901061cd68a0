"""Records of each device by number, and those that a technician looks for: folded from records."""

from collections import Counter
from typing import NamedTuple

from sqlalchemy import Connection, delete, exists, func, insert, select

from tabletools.evidence.machines import SERVICE
from tabletools.reports import model
from tabletools.reports.feeds import Part
from tabletools.store.schema.evidence import frames
from tabletools.store.schema.play import rounds
from tablewire.messages import FAULT_RAISED


def fold(ledger: Connection, db: Connection, part: Part) -> None:
    """Fold the records of a part of the feed."""
    col = frames.c
    query = select(col.id, col.device, col.type).where(col.id > part.after, col.id <= part.last)
    rows = ledger.execute(query.order_by(col.id)).all()
    service = [{"frame": row.id, "device": row.device} for row in rows if row.type in SERVICE]
    if service:
        db.execute(insert(model.service), service)
    counted = Counter(row.device for row in rows)
    raised = Counter(row.device for row in rows if row.type == FAULT_RAISED)
    begun = _begun(ledger, part)
    before = counts(db)
    for device, count in counted.items():
        old = before.get(device, Count(0, 0, 0))
        new = Count(
            old.records + count, old.rounds + begun.get(device, 0), old.faults + raised[device]
        )
        db.execute(delete(model.records).where(model.records.c.device == device))
        db.execute(insert(model.records).values(device=device, **new._asdict()))


def _begun(ledger: Connection, part: Part) -> dict[int, int]:
    """Return how many rounds have their first record in a part, by device."""
    col, earlier = frames.c, frames.alias("earlier").c
    is_new = ~exists().where(
        earlier.device == col.device,
        earlier.round == col.round,
        earlier.counts == 1,
        earlier.id <= part.after,
    )
    query = (
        select(col.device, func.count(col.round.distinct()))
        .join(rounds, (rounds.c.device == col.device) & (rounds.c.number == col.round))
        .where(col.id > part.after, col.id <= part.last, col.counts == 1, is_new)
        .group_by(col.device)
    )
    return {device: int(count) for device, count in ledger.execute(query)}


class Count(NamedTuple):
    """How many records of a device are stored, of how many rounds, and the faults it raised."""

    records: int
    rounds: int
    faults: int


def counts(db: Connection) -> dict[int, Count]:
    """Return the number of records, of rounds and of faults of each device."""
    return {
        row.device: Count(row.records, row.rounds, row.faults)
        for row in db.execute(select(model.records))
    }


def newest(db: Connection, device: int | None, before: int | None, most: int) -> list[int]:
    """Return the keys of the newest records for a technician, newest first. before: lower ones."""
    col = model.service.c
    query = select(col.frame)
    if device is not None:
        query = query.where(col.device == device)
    if before is not None:
        query = query.where(col.frame < before)
    return [int(key) for key in db.execute(query.order_by(col.frame.desc()).limit(most)).scalars()]
