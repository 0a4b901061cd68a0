"""Verify tags again: stored frames were made by the devices they name.

Every tag is computed again from the bytes, the key of the device and the stored nonces of the
session. So a frame that no table made is found, whatever else agrees with it.
"""

from collections import Counter
from typing import NamedTuple

from sqlalchemy import Connection, Select, Table, and_, exists, or_, select

from tabletools.authenticity import VERIFIED
from tabletools.decode.stored_frames import assembled
from tabletools.evidence import records
from tabletools.link import Keys
from tabletools.store.schema.evidence import frames, traces, unread_records
from tablewire.codec import Frame, UnreadFrame
from tablewire.framing import Receiver
from tablewire.messages import TRACE_CHUNK
from tablewire.seal import Session

TABLES: tuple[Table, ...] = (frames, unread_records, traces)
"""Tables of frames stored as received."""
_WHAT = {frames.name: "frame", unread_records.name: "unread record", traces.name: "trace"}


class Checked(NamedTuple):
    """problems: rows that their device did not make. missing: keys that are not in the keyring, as
    text, with the number of rows that need them.
    """

    problems: list[str]
    missing: Counter[str]


def check(db: Connection, table: Table, first: int, last: int, keys: Keys) -> Checked:
    """Verify the rows of one of TABLES in a range of keys. keys: of a device by number."""
    checked = Checked([], Counter())
    sessions: dict[int | None, Session | str] = {}
    query = _query_of(table).where(table.c.id.between(first, last)).order_by(table.c.id)
    for row in db.execute(query.execution_options(yield_per=100)):
        number, where = row.line_session_id, f"{_WHAT[table.name]} {row.id}"
        if number is None:
            checked.problems.append(f"{where}: it names no session that verified it")
            continue
        if number not in sessions:
            sessions[number] = _session(db, number, row.device, keys)
        session = sessions[number]
        if isinstance(session, str):
            checked.missing[session] += 1
            continue
        frames_of_row = _authentic(bytes(row.raw), session)
        if not frames_of_row or any(frame.device != row.device for frame in frames_of_row):
            problem = "its tag is not of the key and session that verified it"
            checked.problems.append(f"{where}: {problem}")
        elif table is traces and not _is_trace(frames_of_row, bytes(row.raw), row):
            checked.problems.append(f"{where}: its frames bring another trace")
    return checked


def _query_of(table: Table) -> Select[tuple[object, ...]]:
    """The rows that were verified when they came."""
    if table is not traces:
        return select(table).where(table.c.seal == VERIFIED)
    col = frames.c
    own = and_(col.device == table.c.device, col.round == table.c.round, col.seal == VERIFIED)
    is_of_verified_round = exists(select(col.id).where(own))
    return select(table).where(or_(table.c.line_session_id.is_not(None), is_of_verified_round))


def _session(db: Connection, number: int, device: int, keys: Keys) -> Session | str:
    """Return a stored session, or the name of its missing key."""
    proof = records.proof_of(db, number)
    assert proof is not None
    secret = keys(device).get(proof.key)
    if secret is None:
        return f"key {proof.key} of device {device}"
    return proof.session(secret, device)


def _authentic(raw: bytes, session: Session) -> list[Frame]:
    """Return the frames of bytes on the line, none unless the device made every one of them."""
    authentic = []
    for item in Receiver(verify=session.table.verify).feed(raw):
        frame = item if isinstance(item, Frame) else item.frame
        # The tag of a frame whose payload cannot be read has been verified.
        if not isinstance(item, Frame) and not isinstance(frame, UnreadFrame):
            return []
        authentic.append(frame)
    return authentic


def _is_trace(some: list[Frame], raw: bytes, row: object) -> bool:
    number, length = getattr(row, "round"), getattr(row, "bytes")  # noqa: B009
    are_pieces = all(frame.type == TRACE_CHUNK and frame.values[0] == number for frame in some)
    return are_pieces and len(assembled(raw)) == length
