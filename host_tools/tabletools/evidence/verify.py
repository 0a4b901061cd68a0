"""Decode evidence again: the bytes of every frame match its row."""

import json
from collections.abc import Iterator

from sqlalchemy import Connection, select

from tabletools.decode.stored_frames import differences
from tabletools.evidence.records import FRAMES, frame_rows
from tabletools.store.schema.evidence import faults, frames
from tabletools.store.schema.play import rounds
from tablewire.messages import FAULT_CLEARED, FAULT_RAISED

_MANY = 1000
_MISPLACED = {
    column: select(rounds.c.id)
    .join(frames, frames.c.id == rounds.c[column])
    .where(
        (frames.c.device != rounds.c.device)
        | (frames.c.round != rounds.c.number)
        | (frames.c.counts == 0)
    )
    for column in ("opened", "closed", "ended")
}
_FAULTS = (
    select(frames.c.id, frames.c.type, frames.c.payload, faults.c.code, faults.c.raised)
    .outerjoin(faults, faults.c.frame_id == frames.c.id)
    .where(frames.c.type.in_((FAULT_RAISED, FAULT_CLEARED)), frames.c.counts == 1)
)


def problems(db: Connection, first: int, last: int) -> Iterator[str]:
    """Yield what is wrong with the frames whose keys are from first to last."""
    query = FRAMES.where(frames.c.id.between(first, last)).order_by(frames.c.id)
    for row in frame_rows(db, query.execution_options(yield_per=_MANY)):
        yield from (f"frame {row.id}: {problem}" for problem in differences(row))


def places(db: Connection) -> Iterator[str]:
    """Yield rounds that point to frames of other rounds, and faults not stored as reported."""
    for column, query in _MISPLACED.items():
        for key in db.execute(query).scalars():
            yield f"round {key}: {column} by a frame of another round, or one that does not count"
    for row in db.execute(_FAULTS):
        fault = (row.code, row.raised)
        if fault != (json.loads(row.payload)["fault"], int(row.type == FAULT_RAISED)):
            yield f"frame {row.id}: its fault is not stored as reported"
