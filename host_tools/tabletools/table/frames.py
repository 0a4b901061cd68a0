"""What the host of a table writes of every frame: the frame as received, its device and boot, and
missing counters. Works on an open transaction.

The counter rises by one per frame over all types, so a missing one may have been a heartbeat.
When the table reports that no durable record waits, no earlier missing frame was a record.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, insert, or_, select, update

from tabletools.authenticity import VERIFIED
from tabletools.evidence.device_clock import Estimate
from tabletools.evidence.records import NOTHING_WAITING, StoredFields
from tabletools.link import Proof
from tabletools.roles import Record
from tabletools.roles.frame_record import body_of, payload_of, record
from tabletools.store.rows import put
from tabletools.store.schema.evidence import boots, devices, faults, frames, gaps
from tablewire.codec import Frame
from tablewire.messages import FAULT_CLEARED, FAULT_RAISED, FLAG_TEST_MODE

FILLED = "filled"


class Boot(NamedTuple):
    """A known boot.

    newest: its highest counter. fell: a higher boot had been received before it.
    """

    newest: int = 0
    fell: bool = False


def stored_fields(frame: Frame, wire: bytes, seal: str, proof: Proof | None) -> StoredFields:
    """Return the stored fields of a frame; wire: its bytes on the line, delimiter included."""
    return StoredFields(payload_of(frame), body_of(frame, wire), wire, seal, proof)


def decoded_new(frame: Frame, fields: StoredFields) -> Record:
    """Return the record of a frame that is being stored, as `decoded` will read it."""
    not_stored = {"echo": None, "echo_ms": None, "offset": 0, "length": len(fields.raw)}
    return record(frame, fields.seal) | not_stored


# Built once: it runs for every record.
_BODY = select(frames.c.body).where(
    frames.c.device == bindparam("device"),
    frames.c.boot == bindparam("boot"),
    frames.c.counter == bindparam("counter"),
    frames.c.seal == bindparam("seal"),
)


def known(db: Connection, frame: Frame, seal: str) -> bytes | None:
    """Return the body of the record with that identity, None if it is not stored."""
    name = {"device": frame.device, "boot": frame.boot, "counter": frame.counter, "seal": seal}
    body: bytes | None = db.execute(_BODY, name).scalar_one_or_none()
    return None if body is None else bytes(body)


def may_count(frame: Frame, seal: str, boot: Boot) -> bool:
    """Whether a record may change anything: verified, not in test mode, of a boot in force."""
    return seal == VERIFIED and not frame.flags & FLAG_TEST_MODE and not boot.fell


_INSERT = insert(frames).returning(frames.c.id)
"""Built once: it runs for every record."""


def insert_frame(
    db: Connection,
    frame: Frame,
    fields: StoredFields,
    estimate: Estimate | None,
    now: tuple[int, bool],
    session: int | None,
) -> int:
    """Store a record; returns its number.

    estimate: when the table made it, if known. now: UTC, and whether the record counts. session:
    row of the session that verified it.
    """
    now_ns, counts = now
    values = {
        "device": frame.device,
        "boot": frame.boot,
        "counter": frame.counter,
        "type": frame.type,
        "flags": frame.flags,
        "round": frame.round,
        "uptime_ms": frame.uptime_ms,
        "payload": fields.payload,
        "body": fields.body,
        "raw": fields.raw,
        "seal": fields.seal,
        "line_session_id": session,
        "counts": int(counts),
        "received_ns": now_ns,
        "made_ns": estimate and estimate.at_ns,
        "uncertainty_ns": estimate and estimate.uncertainty_ns,
    }
    row = int(db.execute(_INSERT, values).scalar_one())
    if counts and frame.type in (FAULT_RAISED, FAULT_CLEARED):
        fault = {
            "frame_id": row,
            "device": frame.device,
            "boot": frame.boot,
            "counter": frame.counter,
            "code": frame.values[0],
            "raised": int(frame.type == FAULT_RAISED),
        }
        db.execute(insert(faults).values(**fault))
    return row


def note_device(db: Connection, device: int, now_ns: int, **facts: object) -> None:
    """Note a device and what is known of it: role, board, firmware, attestation, attested_ns."""
    values = {"device": device, "first_ns": now_ns, "heard_ns": now_ns, **facts}
    put(db, devices, ("device",), values, once=("first_ns",))


def load_boot(db: Connection, name: tuple[int, int]) -> Boot:
    """Return a boot as stored, or a new one. name: device, boot."""
    col = boots.c
    query = select(col.newest, col.fell_ns).where(col.device == name[0], col.boot == name[1])
    row = db.execute(query).one_or_none()
    return Boot() if row is None else Boot(int(row.newest), row.fell_ns is not None)


def higher_boot(db: Connection, device: int, boot: int) -> int | None:
    """Return a known boot above this one, None if there is none."""
    col = boots.c
    query = select(col.boot).where(col.device == device, col.boot > boot)
    higher: int | None = db.execute(query.order_by(col.boot.desc()).limit(1)).scalar_one_or_none()
    return higher


def save_boot(db: Connection, name: tuple[int, int], boot: Boot, now_ns: int) -> None:
    """Store what is known of a boot."""
    values = {
        "device": name[0],
        "boot": name[1],
        "newest": boot.newest,
        "fell_ns": now_ns if boot.fell else None,
    }
    put(db, boots, ("device", "boot"), values)


def count_frame(db: Connection, frame: Frame, boot: Boot, now_ns: int) -> Boot:
    """Open or fill gaps according to a frame's counter; returns the updated boot."""
    name = (frame.device, frame.boot)
    after = boot._replace(newest=max(boot.newest, frame.counter))
    save_boot(db, name, after, now_ns)
    if not boot.fell:
        if frame.counter > boot.newest + 1:
            _note_gaps(db, name, boot.newest, frame.counter, now_ns)
        elif frame.counter <= boot.newest:
            _fill_gap(db, name, frame.counter, now_ns)
    return after


def end_gaps(db: Connection, name: tuple[int, int], before: int, now_ns: int) -> int:
    """Close gaps up to a frame that reports no waiting record; returns how many."""
    device, boot = name
    col = gaps.c
    is_before = or_(col.boot < boot, and_(col.boot == boot, col.last < before))
    done = db.execute(
        update(gaps)
        .where(col.device == device, col.closed_ns.is_(None), is_before)
        .values(closed_ns=now_ns, closed_by=NOTHING_WAITING)
    )
    return done.rowcount


def _note_gaps(
    db: Connection, name: tuple[int, int], after: int, before: int, now_ns: int
) -> None:
    col = frames.c
    stored: Iterable[int] = db.execute(
        select(col.counter)
        .where(
            col.device == name[0], col.boot == name[1], col.counter > after, col.counter < before
        )
        .order_by(col.counter)
    ).scalars()
    edges = [after, *stored, before]
    for low, high in pairwise(edges):
        if high - low > 1:
            _insert_gap(db, name, (low + 1, high - 1), now_ns)


def _fill_gap(db: Connection, name: tuple[int, int], counter: int, now_ns: int) -> None:
    col = gaps.c
    spans = select(gaps).where(
        col.device == name[0],
        col.boot == name[1],
        col.first <= counter,
        col.last >= counter,
        col.closed_ns.is_(None),
    )
    for row in db.execute(spans).all():
        closed = {"first": counter, "last": counter, "closed_ns": now_ns, "closed_by": FILLED}
        db.execute(update(gaps).where(col.id == row.id).values(**closed))
        for low, high in ((row.first, counter - 1), (counter + 1, row.last)):
            if low <= high:
                _insert_gap(db, name, (low, high), row.seen_ns)


def _insert_gap(
    db: Connection, name: tuple[int, int], span: tuple[int, int], seen_ns: int
) -> None:
    values = {"device": name[0], "boot": name[1], "first": span[0], "last": span[1]}
    db.execute(insert(gaps).values(**values, seen_ns=seen_ns))
