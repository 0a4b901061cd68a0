"""Stored evidence as plain rows. Works on an open transaction."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, alias, exists, func, or_, select

from tablespec.config_keys import KEYS
from tabletools.decode.stored_frames import assembled
from tabletools.evidence import (
    configuration,
    records,
    round_records,
    second_readings,
)
from tabletools.evidence import tables as casino
from tabletools.evidence.alarms import NORMAL, state_of, stopped
from tabletools.evidence.records import FRAMES, frame_at, frame_rows
from tabletools.evidence.rounds import BELIEVED, COLUMNS
from tabletools.roles import of_result, role
from tabletools.roles.frame_record import FrameRow, decoded
from tabletools.store.rows import fields_of
from tabletools.store.schema.evidence import (
    alarms,
    attestations,
    boots,
    clock_steps,
    frames,
    gaps,
    order_records,
    orders,
    traces,
)
from tabletools.store.schema.play import rounds, terms
from tablewire.messages import CONFIGURATION_CHANGED, ROUND_OPENED, ROUND_VOID

Row = dict[str, Any]

UNPROVED = "unproved"
"""Verdict on a round without a valid record: it is not authenticated, or was a test."""
_NS, _MS = 1_000_000_000, 1_000_000
_VOID = ("code", "reason")  # what is listed of a void
_WRAP_MS = 1 << 32


def utc(at_ns: int | None) -> str | None:
    """Return a time as ISO 8601 with milliseconds, None for an unknown one."""
    if at_ns is None:
        return None
    seconds, rest = divmod(at_ns, _NS)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{rest // _MS:03d}Z"


# --- rounds --------------------------------------------------------------------------------------


def round_rows(db: Connection) -> list[Row]:
    """Return every round with its result or the reason of its void, and its times."""
    col = rounds.c
    opened, closed, ended = (alias(frames, name) for name in ("o", "c", "e"))
    places = ((opened, col.opened), (closed, col.closed), (ended, col.ended))
    query = select(col.device, col.number, col.verdict, *(a.c.id for a, _ in places))
    query = query.select_from(rounds)
    for table, column in places:
        query = query.outerjoin(table, table.c.id == column)
    listed = [
        _round(db, (device, number), verdict, keys)
        for device, number, verdict, *keys in db.execute(query)
    ]
    listed += [_round(db, name, UNPROVED, keys) for name, keys in _rounds_without_proof(db)]
    return sorted(listed, key=lambda row: (row["device"], row["round"]))


def _rounds_without_proof(db: Connection) -> Iterator[tuple[tuple[int, int], list[int | None]]]:
    """Rounds without a valid record, with the first record that opened, closed and ended each."""
    col = frames.c
    is_known = exists().where(rounds.c.device == col.device, rounds.c.number == col.round)
    query = select(col.id, col.device, col.round, col.type).where(
        col.round > 0, col.type.in_(tuple(COLUMNS)), ~is_known
    )
    places: dict[tuple[int, int], dict[str, int]] = {}
    for row in db.execute(query.order_by(col.boot, col.counter)):
        places.setdefault((row.device, row.round), {}).setdefault(COLUMNS[row.type], row.id)
    for name, reasons in places.items():
        yield name, [reasons.get(column) for column in ("opened", "closed", "ended")]


def _round(db: Connection, name: tuple[int, int], verdict: str, keys: list[int | None]) -> Row:
    """One round; keys: of the records that opened, closed and ended it."""
    device, number = name
    opened, closed, ended = (_frame(db, key) for key in keys)
    facts: Row = {"device": device, "round": number, "verdict": verdict}
    facts |= dict.fromkeys(
        ("end", "pocket", "pays", "segment", "dice", "read_by", "code", "reason")
    )
    facts |= {
        column: utc(row.received_ns) if row else None
        for column, row in (("opened", opened), ("closed", closed), ("ended", ended))
    }
    facts |= {"made": None, "uncertainty_ms": None, "took_ms": None, "authentication": None}
    if ended is not None:
        facts |= _end(db, ended, counts_alone=verdict != UNPROVED)
        if opened is not None and opened.boot == ended.boot:
            # By the table's clock, so that no clock step makes it negative.
            facts |= {"took_ms": (ended.uptime_ms - opened.uptime_ms) % _WRAP_MS}
    is_result = ended is not None and ended.type != ROUND_VOID
    believed = is_result and verdict == BELIEVED
    query = select(traces.c.bytes).where(traces.c.device == device, traces.c.round == number)
    reading = second_readings.listing_of(db, device, number)
    if reading is not None:
        reading |= {"at": utc(reading.pop("at_ns"))}
    return facts | {
        "settleable": believed and stopped(db, device) is None,
        "trace_bytes": db.execute(query).scalar() or None,
        "second_reading": reading,
    }


def _end(db: Connection, row: FrameRow, *, counts_alone: bool) -> Row:
    """What is listed of the record that ended a round."""
    record = decoded(row)
    if row.type == second_readings.RESULT:
        record |= second_readings.listed(db, row.device, row.round, record)
    name = of_result(record["type"])
    fields = _VOID if name is None else role(name).listed
    parts = None if name is None else role(name).parts
    facts: Row = {"end": record["type"]} | {field: record[field] for field in fields}
    if parts is not None:
        records = round_records.all_of(db, row.device, row.round, counts_alone=counts_alone)
        facts |= parts(records)
    return facts | {
        "made": utc(row.made_ns),
        "uncertainty_ms": _ms(row.uncertainty_ns),
        "authentication": row.seal,
    }


def _frame(db: Connection, key: int | None) -> FrameRow | None:
    return None if key is None else frame_at(db, key)


def record_rows(db: Connection, number: int) -> Iterator[Row]:
    """Yield the records of a round of any device, decoded, with their raw bytes as hex."""
    col = frames.c
    query = FRAMES.where(col.round == number).order_by(col.device, col.boot, col.counter)
    for row in frame_rows(db, query):
        facts: Row = dict(decoded(row))
        for name in ("offset", "length", "authenticated", "seal"):
            del facts[name]
        proof = records.proof_of(db, row.line_session_id)
        yield facts | {
            "authentication": row.seal,
            "key_number": proof and proof.key,
            "received": utc(row.received_ns),
            "made": utc(row.made_ns),
            "uncertainty_ms": _ms(row.uncertainty_ns),
            "raw": row.raw.hex(),
        }


# --- configurations ------------------------------------------------------------------------------


def configuration_rows(db: Connection, number: int) -> Iterator[Row]:
    """Yield the values in force when a round opened, of any device; null: unknown."""
    col = frames.c
    query = select(col.device, func.min(col.boot), func.min(col.counter)).where(
        col.round == number, col.type == ROUND_OPENED
    )
    for device, boot, counter in db.execute(query.group_by(col.device).order_by(col.device)).all():
        values = configuration.in_force(db, device, (boot, counter))
        named = {key.name: values.get(key.number) for key in KEYS}
        yield {"device": device, "round": number, "values": named}


def change_rows(db: Connection) -> Iterator[Row]:
    """Yield every change of a configuration, with who ordered it if that was stored."""
    frame_col, order_col = frames.c, order_records.c
    is_same = (
        (order_col.device == frame_col.device)
        & (order_col.boot == frame_col.boot)
        & (order_col.counter == frame_col.counter)
    )
    query = (
        FRAMES.add_columns(orders.c.author)
        .outerjoin(order_records, is_same)
        .outerjoin(orders, orders.c.id == order_col.order_id)
        .where(frame_col.type == CONFIGURATION_CHANGED)
        .order_by(frame_col.device, frame_col.boot, frame_col.counter)
    )
    for *columns, author in db.execute(query):
        row = FrameRow(*columns)
        record = decoded(row)
        facts: Row = {name: record[name] for name in ("device", "boot", "counter")}
        facts |= {name: record[name] for name in ("value", "previous", "cause", "revision")}
        yield facts | {
            "key": record["key_name"] or record["key"],
            "author": author,
            "received": utc(row.received_ns),
            "made": utc(row.made_ns),
        }


# --- devices -------------------------------------------------------------------------------------


def device_rows(db: Connection) -> Iterator[Row]:
    """Yield every known device: its newest boot, whether bets are open, why it is stopped."""
    query = select(boots.c.device, func.max(boots.c.boot)).group_by(boots.c.device)
    for device, boot in db.execute(query.order_by(boots.c.device)).all():
        table = casino.table_of(db, device)
        state = None if table is None else casino.state_of(db, table.id)
        yield {
            "device": device,
            "boot": boot,
            "bets_open": state is not None and state.bets_open,
            "cause": None if state is None else state.cause,
            "stopped": stopped(db, device),
        }


def alarm_rows(db: Connection, *, after: int = 0, device: int | None = None) -> Iterator[Row]:
    """Yield the alarms, oldest first; raw: the refused frame, as hex.

    after: only those with a higher number. device: of that device, or of none.
    """
    col = alarms.c
    query = select(alarms, rounds.c.number).outerjoin(rounds, rounds.c.id == col.round_id)
    query = query.where(col.id > after).order_by(col.id)
    if device is not None:
        query = query.where(or_(col.device == device, col.device.is_(None)))
    for row in db.execute(query):
        yield {
            "id": row.id,
            "device": row.device,
            "kind": row.kind,
            "code": row.code,
            "text": row.text,
            "at": utc(row.at_ns),
            "round": row.number,
            "repeats": row.repeats,
            "raw": _hex(row.raw),
            "is_standing": state_of(row, 0) != NORMAL,
        }


def has_terms(db: Connection) -> bool:
    """Whether tables are played here by terms: the ledger of a pit."""
    return bool(db.execute(select(exists().select_from(terms))).scalar_one())


def newest_alarm(db: Connection) -> int:
    """Return the number of the newest alarm, 0 before any."""
    return int(db.execute(select(func.max(alarms.c.id))).scalar() or 0)


def attestation_rows(db: Connection) -> Iterator[Row]:
    """Yield the attestations of devices, oldest first; digest: as hex."""
    for row in db.execute(select(attestations).order_by(attestations.c.id)):
        facts = fields_of(row)
        del facts["id"], facts["at_ns"]
        yield facts | {"at": utc(row.at_ns), "digest": _hex(row.digest)}


def gap_rows(db: Connection) -> Iterator[Row]:
    """Yield every gap in the counters, open and closed, in order."""
    col = gaps.c
    query = select(gaps).order_by(col.device, col.boot, col.first)
    for row in db.execute(query):
        yield {
            "device": row.device,
            "boot": row.boot,
            "first": row.first,
            "last": row.last,
            "closed_by": row.closed_by,
            "seen": utc(row.seen_ns),
            "closed": utc(row.closed_ns),
        }


def step_rows(db: Connection) -> Iterator[Row]:
    """Yield every step of a clock; device null: of this host."""
    for row in db.execute(select(clock_steps).order_by(clock_steps.c.id)):
        yield {"at": utc(row.at_ns), "device": row.device, "step_ms": _ms(row.step_ns)}


def trace_rows(db: Connection, number: int, device: int | None) -> list[tuple[int, bytes]]:
    """Return (device, trace) of that round, of the devices that have one.

    device: only of that one.
    """
    col = traces.c
    query = select(col.device, col.raw).where(col.round == number, col.bytes > 0)
    if device is not None:
        query = query.where(col.device == device)
    rows = db.execute(query.order_by(col.device))
    return [(int(serial), assembled(bytes(raw))) for serial, raw in rows]


def last_traces(db: Connection, device: int, count: int) -> list[tuple[int, bytes]]:
    """Return (round, trace) of the last rounds of a device that have one, oldest first."""
    col = traces.c
    query = select(col.round, col.raw).where(col.device == device, col.bytes > 0)
    rows = db.execute(query.order_by(col.round.desc()).limit(count)).all()
    return [(int(number), assembled(bytes(raw))) for number, raw in reversed(rows)]


def _ms(span_ns: int | None) -> float | None:
    return None if span_ns is None else round(span_ns / _MS, 3)


def _hex(data: bytes | None) -> str | None:
    return None if data is None else bytes(data).hex()
