"""What fell at each machine since it was last moved: folded from records, read for its audit."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, and_, delete, insert, select

from tabletools import roles
from tabletools.evidence import second_readings
from tabletools.evidence.machines import FALLS, MOVES
from tabletools.reports import model
from tabletools.reports.feeds import Feed, Part
from tabletools.roles.role import Audited
from tabletools.store.schema.evidence import frames
from tabletools.store.schema.play import rounds
from tablewire.messages import ROUND_VOID

FEED = Feed.over(frames, "received_ns")
_BLOCK = 4096
"""Results in a row of `outcomes`."""
_COUNTS = ("voids", "moves", "before", "boot", "counter", "falls", "results", "round")


class Machine:
    """What fell at one device, in memory while records are folded: see model.machines."""

    voids: int
    moves: int
    before: int
    boot: int
    counter: int
    falls: int
    results: int
    round: int

    def __init__(self, device: int, row: Row[Any] | None, open_block: bytes) -> None:
        self.device = device
        for place, name in enumerate(_COUNTS, 1):
            setattr(self, name, 0 if row is None else row[place])
        self.codes = bytearray(open_block)
        """Of the block that is not full, then of what was folded."""
        self.first_block = self.results // _BLOCK
        self.has_moved = False

    def fold(self, kind: int, number: int, codes: bytes | None) -> None:
        """Fold a record. codes: of a result; None: of a result that no reader has read."""
        if kind in MOVES:
            self.moves += 1
            self.before += self.falls
            self.voids = self.falls = self.results = self.first_block = 0
            self.codes.clear()
            self.has_moved = True
            return
        self.round = number
        if kind == ROUND_VOID:
            self.voids += 1
        else:
            self.falls += 1
            self.add(codes or b"")

    def add(self, codes: bytes) -> None:
        """Add results that follow those before."""
        self.codes += codes
        self.results += len(codes)

    def store(self, db: Connection) -> None:
        """Write it."""
        col = model.outcomes.c
        changed = [col.device == self.device]
        if not self.has_moved:
            changed.append(col.block >= self.first_block)
        db.execute(delete(model.outcomes).where(and_(*changed)))
        for place in range(0, len(self.codes), _BLOCK):
            block = self.first_block + place // _BLOCK
            codes = bytes(self.codes[place : place + _BLOCK])
            db.execute(insert(model.outcomes).values(device=self.device, block=block, codes=codes))
        if self.has_moved:
            throws = model.unread_throws
            db.execute(delete(throws).where(throws.c.device == self.device))
        values = {name: getattr(self, name) for name in _COUNTS}
        db.execute(delete(model.machines).where(model.machines.c.device == self.device))
        db.execute(insert(model.machines).values(device=self.device, **values))


def fold(ledger: Connection, db: Connection, part: Part) -> None:
    """Fold the records of a part of the feed, and throws that the host has read meanwhile."""
    by_device: dict[int, list[Row[Any]]] = {}
    new = _records().where(frames.c.id > part.after, frames.c.id <= part.last)
    for row in ledger.execute(new.order_by(frames.c.id)):
        by_device.setdefault(row.device, []).append(row)
    for device, rows in by_device.items():
        machine = _machine(db, device)
        if (rows[0].boot, rows[0].counter) < (machine.boot, machine.counter) or not _rise(rows):
            # A record came after later ones: what it decides is in the order of the table.
            machine = Machine(device, None, b"")
            machine.has_moved = True
            col = frames.c
            rows = list(
                ledger.execute(
                    _records()
                    .where(col.device == device, col.id <= part.last)
                    .order_by(col.boot, col.counter)
                )
            )
        _fold_rows(ledger, db, machine, rows)
    _fold_throws(ledger, db)


def _records() -> Any:
    col = frames.c
    return (
        select(
            col.id,
            col.device,
            col.boot,
            col.counter,
            col.type,
            col.round,
            col.payload,
            rounds.c.id.label("key"),
        )
        .outerjoin(rounds, rounds.c.ended == col.id)
        .where(col.counts == 1, col.type.in_((*FALLS, ROUND_VOID, *MOVES)))
    )


def _rise(rows: list[Row[Any]]) -> bool:
    places = [(row.boot, row.counter) for row in rows]
    return places == sorted(places)


def _machine(db: Connection, device: int) -> Machine:
    row = db.execute(select(model.machines).where(model.machines.c.device == device)).one_or_none()
    results = 0 if row is None else row.results
    query = select(model.outcomes.c.codes).where(
        model.outcomes.c.device == device, model.outcomes.c.block == results // _BLOCK
    )
    return Machine(device, row, db.execute(query).scalar_one_or_none() or b"")


def _fold_rows(
    ledger: Connection, db: Connection, machine: Machine, rows: Iterable[Row[Any]]
) -> None:
    unread: list[int] = []
    for row in rows:
        codes = _codes(ledger, row) if row.type in FALLS else None
        machine.fold(row.type, row.round, codes)
        machine.boot, machine.counter = row.boot, row.counter
        if row.type in MOVES:
            unread.clear()
        elif row.type in FALLS and codes is None:
            unread.append(row.id)
    machine.store(db)
    for frame in unread:
        db.execute(insert(model.unread_throws).values(frame=frame, device=machine.device))


def _codes(ledger: Connection, row: Row[Any]) -> bytes | None:
    """Return the results in a record; None for a throw that nobody has read yet."""
    payload = json.loads(row.payload)
    if second_readings.is_left(row.type, payload):
        reading = None if row.key is None else second_readings.of_round(ledger, row.key)
        if reading is None:
            return None
        payload = second_readings.with_faces(payload, reading)
    return codes_of(row.type, payload)


def codes_of(kind: int, payload: Mapping[str, Any]) -> bytes:
    """Return the results in a record, one byte each. kind: of a role that is audited."""
    return _audits()[kind].codes(payload)


@cache
def _audits() -> dict[int, Audited]:
    return {role.number: role.audited for role in roles.every_role() if role.audited is not None}


def has_unread(db: Connection) -> bool:
    """Whether throws wait for the host to read them."""
    return db.execute(select(model.unread_throws.c.frame).limit(1)).one_or_none() is not None


def _fold_throws(ledger: Connection, db: Connection) -> None:
    """Fold throws that the host has read since their record came."""
    for throw in db.execute(
        select(model.unread_throws).order_by(model.unread_throws.c.frame)
    ).all():
        row = ledger.execute(_records().where(frames.c.id == throw.frame)).one()
        codes = _codes(ledger, row)
        if codes is None:
            continue
        machine = _machine(db, throw.device)
        machine.add(codes)
        machine.store(db)
        db.execute(delete(model.unread_throws).where(model.unread_throws.c.frame == throw.frame))


class Fallen(NamedTuple):
    """What fell at a device since its machine was moved. codes: one byte a result, in order."""

    codes: bytes
    voids: int
    moves: int
    before: int
    round: int


def of_device(db: Connection, device: int) -> Fallen:
    """Return what fell at a device."""
    row = db.execute(select(model.machines).where(model.machines.c.device == device)).one_or_none()
    if row is None:
        return Fallen(b"", 0, 0, 0, 0)
    query = select(model.outcomes.c.codes).where(model.outcomes.c.device == device)
    blocks = db.execute(query.order_by(model.outcomes.c.block)).scalars()
    return Fallen(b"".join(map(bytes, blocks)), row.voids, row.moves, row.before, row.round)
