"""Frames as they are stored, and the sessions that verified them. Works on an open transaction."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, insert, select

from tabletools.link import Proof
from tabletools.roles.frame_record import FrameRow
from tabletools.store.schema.evidence import (
    frames,
    line_sessions,
)

RecordId = tuple[int, int]
"""Boot and counter: the place of a record in the order of its table."""

NOTHING_WAITING = "nothing_waiting"
"""Why a gap was closed: the table reported that no record waits."""


class StoredFields(NamedTuple):
    """The stored fields of a frame besides its header."""

    payload: str
    """JSON, values as on the wire."""
    body: bytes
    """What identifies the record, see `body_of`."""
    raw: bytes
    """Its bytes on the line, delimiter included."""
    seal: str
    proof: Proof | None
    """Of the session that verified it."""


FRAMES = select(*(frames.c[name] for name in FrameRow._fields))
"""Selects frames as `frame_rows` reads them."""


def frame_rows(
    db: Connection, query: Select[Any], values: Mapping[str, Any] | None = None
) -> Iterator[FrameRow]:
    """Yield the frames that a query of FRAMES selects. values: its parameters."""
    for row in db.execute(query, values):
        yield FrameRow(*row)


def frame_at(db: Connection, key: int) -> FrameRow:
    """Return the frame of a row."""
    return FrameRow(*db.execute(FRAMES.where(frames.c.id == key)).one())


def session_of(db: Connection, device: int, proof: Proof | None, now_ns: int) -> int | None:
    """Return the row of the session that verified a record, created if it is new."""
    if proof is None:
        return None
    col = line_sessions.c
    values = {
        "device": device,
        "boot": proof.boot,
        "host_nonce": proof.host_nonce,
        "device_nonce": proof.device_nonce,
    }
    query = select(col.id).where(*(col[name] == value for name, value in values.items()))
    key: int | None = db.execute(query).scalar_one_or_none()
    if key is None:
        statement = insert(line_sessions).values(**values, key_number=proof.key, at_ns=now_ns)
        key = int(db.execute(statement.returning(col.id)).scalar_one())
    return key


def proof_of(db: Connection, session: int | None) -> Proof | None:
    """Return the proof stored in a row."""
    if session is None:
        return None
    row = db.execute(select(line_sessions).where(line_sessions.c.id == session)).one()
    nonces = bytes(row.host_nonce), bytes(row.device_nonce)
    return Proof(int(row.key_number), int(row.boot), *nonces)
