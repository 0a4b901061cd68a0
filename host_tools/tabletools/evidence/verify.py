"""Decode evidence again: the bytes of every frame match its row."""

import json
import struct
from collections.abc import Iterator

from sqlalchemy import Connection, select

from tablespec.frame import HEADER_FIELDS
from tabletools.authenticity import VERIFIED
from tabletools.evidence.records import FRAMES, FrameRow, body_of, frame_rows, payload_of
from tabletools.store.schema.evidence import faults, frames
from tabletools.store.schema.play import rounds
from tablewire.codec import HEADER_BYTES, Frame
from tablewire.framing import Receiver
from tablewire.messages import FAULT_CLEARED, FAULT_RAISED, FLAG_TEST_MODE

_HEADER = struct.Struct("<" + "".join(code for _, code, _ in HEADER_FIELDS))
_NAMES = [name for name, _, _ in HEADER_FIELDS]
_FIELDS = ("type", "flags", "device", "boot", "counter", "uptime_ms", "round")
_MANY = 1000


def problems(db: Connection, first: int, last: int) -> Iterator[str]:
    """Yield what is wrong with the frames whose keys are from first to last."""
    query = FRAMES.where(frames.c.id.between(first, last)).order_by(frames.c.id)
    for row in frame_rows(db, query.execution_options(yield_per=_MANY)):
        yield from (f"frame {row.id}: {problem}" for problem in _frame(row))


def _frame(row: FrameRow) -> Iterator[str]:
    if row.counts and (row.seal != VERIFIED or row.flags & FLAG_TEST_MODE):
        yield "it counts, but its tag was not verified"
    items = Receiver().feed(row.raw)
    if len(items) != 1 or not isinstance(items[0], Frame):
        # With another major version the CRC cannot match, and the header has another length.
        if not (items and getattr(items[0], "reason", "") in ("crc", "short")):
            yield "its bytes are not a frame"
        return
    header = dict(zip(_NAMES, _HEADER.unpack(row.body[:HEADER_BYTES]), strict=True))
    # The body is stored without the flag `retransmitted`.
    wrong = [n for n in _FIELDS if n != "flags" and header[n] != getattr(row, n)]
    frame = items[0]
    wrong += [name for name in _FIELDS if getattr(frame, name) != getattr(row, name)]
    # A release with more fields fills those that the record lacks.
    payload, stored = json.loads(payload_of(frame)), json.loads(row.payload)
    is_other = any(payload.get(name) != value for name, value in stored.items())
    if is_other or body_of(frame, row.raw) != row.body:
        wrong.append("payload")
    if wrong:
        yield f"its bytes have a different {', '.join(dict.fromkeys(wrong))}"


def places(db: Connection) -> Iterator[str]:
    """Yield rounds that point to frames of other rounds, and faults not stored as reported."""
    for column in ("opened", "closed", "ended"):
        col = rounds.c
        query = (
            select(col.id)
            .join(frames, frames.c.id == col[column])
            .where(
                (frames.c.device != col.device)
                | (frames.c.round != col.number)
                | (frames.c.counts == 0)
            )
        )
        for key in db.execute(query).scalars():
            yield f"round {key}: {column} by a frame of another round, or one that does not count"
    query = select(frames.c.id, frames.c.type, frames.c.payload, faults.c.code, faults.c.raised)
    query = query.outerjoin(faults, faults.c.frame_id == frames.c.id)
    query = query.where(frames.c.type.in_((FAULT_RAISED, FAULT_CLEARED)), frames.c.counts == 1)
    for row in db.execute(query):
        fault = (row.code, row.raised)
        if fault != (json.loads(row.payload)["fault"], int(row.type == FAULT_RAISED)):
            yield f"frame {row.id}: its fault is not stored as reported"
