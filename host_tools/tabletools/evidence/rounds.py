"""Rounds from their records: what opened, closed and ended each, and whether it is valid.

Works on an open transaction.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    alias,
    bindparam,
    insert,
    or_,
    select,
    update,
)

from tablespec.names import NAMES
from tabletools.evidence import alarms, round_records, round_validity, second_readings
from tabletools.evidence import tables as casino
from tabletools.evidence.round_validity import Facts, RecordId
from tabletools.store.schema.evidence import faults, frames, gaps, unread_records
from tabletools.store.schema.play import rounds
from tablewire.codec import Frame
from tablewire.dice_tray import DICE_RESULT
from tablewire.messages import BETS_CLOSED, ROUND_ENDS, ROUND_OPENED, ROUND_VOID

COLUMNS = {
    ROUND_OPENED: "opened",
    BETS_CLOSED: "closed",
    **dict.fromkeys(ROUND_ENDS, "ended"),
}


class Wrong(NamedTuple):
    """What is wrong with a round. round: its row. kind: of the alarm."""

    round: int
    text: str
    kind: str = alarms.UNEXPECTED


class Judged(NamedTuple):
    """The result of judging rounds. believed: row of each valid round, and of its end record."""

    wrong: Sequence[Wrong] = ()
    believed: Sequence[tuple[int, int]] = ()


# Queries of every record are built once: to build one takes longer than SQLite takes to answer.
_BY_KEY = select(rounds).where(rounds.c.id == bindparam("key"))
_BY_NUMBER = select(rounds).where(
    rounds.c.device == bindparam("device"), rounds.c.number == bindparam("number")
)


def find(db: Connection, device: int, number: int) -> RowMapping | None:
    """Return the row of a round by its device and the number the device gave it."""
    return db.execute(_BY_NUMBER, {"device": device, "number": number}).mappings().one_or_none()


def by_key(db: Connection, key: int) -> RowMapping | None:
    """Return the row of a round."""
    return db.execute(_BY_KEY, {"key": key}).mappings().one_or_none()


def is_begun_by(row: RowMapping, record: int) -> bool:
    """Whether a record is the only one of its round so far. row: of the round."""
    return {row[column] for column in COLUMNS.values()} - {None} == {record}


def other_end(db: Connection, frame: Frame, payload: str) -> str | None:
    """Whether a record ends a round that ended otherwise; returns that end as text."""
    if frame.type not in ROUND_ENDS:
        return None
    at = frames.c
    row = db.execute(
        select(at.type, at.payload, at.boot, at.counter)
        .join(rounds, rounds.c.ended == at.id)
        .where(rounds.c.device == frame.device, rounds.c.number == frame.round)
    ).one_or_none()
    if row is None or (row.type, row.payload) == (frame.type, payload):
        return None
    return f"{NAMES[row.type]} {row.payload} (boot {row.boot} counter {row.counter})"


def enter(db: Connection, frame: Frame, record: int) -> Judged:
    """Enter a valid record in its round; returns what is wrong if it has no place there."""
    column = COLUMNS.get(frame.type)
    if column is None:
        return Judged()
    row = find(db, frame.device, frame.round) or _begin(db, frame)
    key = row["id"]
    if row[column] is not None:
        if frame.type == ROUND_VOID:
            return Judged()  # the same void again: sent twice after a power cut
        return Judged([Wrong(key, f"a second {NAMES[frame.type]} of the round")])
    values: dict[str, object] = {column: record}
    is_void = frame.type == ROUND_VOID and not round_records.void_may_pay(db, row)
    if is_void:
        values["verdict"] = round_validity.BELIEVED
    elif frame.type in ROUND_ENDS:
        values["verdict"] = round_validity.PENDING
    db.execute(update(rounds).where(rounds.c.id == key).values(**values))
    wrong = []
    if frame.type in ROUND_ENDS and row["settled"]:
        text = f"{NAMES[frame.type]} of round {frame.round} came after two users had ruled on it"
        wrong.append(Wrong(key, f"{text}: where it says otherwise, correct the round"))
    return Judged(wrong, [(key, record)] if is_void else [])


def _pending() -> Select[Any]:
    opened, closed, ended = (alias(frames, name) for name in ("o", "c", "e"))
    at = rounds.c
    return (
        select(
            at.id, at.number, opened.c.boot, opened.c.counter, closed.c.boot, closed.c.counter,
            ended.c.boot, ended.c.counter, ended.c.id, ended.c.type,
        )
        .select_from(rounds)
        .outerjoin(opened, opened.c.id == at.opened)
        .outerjoin(closed, closed.c.id == at.closed)
        .join(ended, ended.c.id == at.ended)
        .where(at.device == bindparam("device"), at.settled == 0,
               at.verdict == round_validity.PENDING)
        .order_by(at.number)
    )  # fmt: skip


_PENDING = _pending()


def judge_pending(db: Connection, device: int) -> Judged:
    """Decide what can be decided now."""
    wrong, believed = [], []
    for key, number, *places, record, kind in db.execute(_PENDING, {"device": device}).all():
        verdict, why = _verdict(db, (device, key), places, (record, kind))
        alarm = alarms.UNEXPECTED
        if verdict == round_validity.BELIEVED and kind == DICE_RESULT:
            verdict, why = _second_verdict(db, key, record)
            alarm = alarms.PICTURE
        if verdict != round_validity.PENDING:
            db.execute(update(rounds).where(rounds.c.id == key).values(verdict=verdict))
        if verdict == round_validity.UNEXPECTED:
            wrong.append(Wrong(key, f"result of round {number} not valid: {why}", alarm))
        elif verdict == round_validity.BELIEVED:
            believed.append((key, record))
    return Judged(wrong, believed)


def _verdict(
    db: Connection, name: tuple[int, int], places: list[int | None], ended: tuple[int, int]
) -> tuple[str, str]:
    """name: device, row of the round. places: of its three records. ended: record, type."""
    opened, closed, end = (
        None if boot is None or counter is None else (boot, counter)
        for boot, counter in zip(places[::2], places[1::2], strict=True)
    )
    assert end is not None
    may_come = gap_is_open(db, name[0], end)
    record, kind = ended
    if kind == ROUND_VOID:
        return (round_validity.PENDING if may_come else round_validity.BELIEVED), ""
    row = by_key(db, name[1])
    assert row is not None
    also = "" if may_come else round_records.objections(db, row, record)
    faults = active_faults(db, name[0], end)
    return round_validity.verdict(Facts(opened, closed, end, faults, may_come, also))


def _second_verdict(db: Connection, key: int, record: int) -> tuple[str, str]:
    """The verdict on a result that its records justify, by what the host read in its picture."""
    row = by_key(db, key)
    assert row is not None
    if second_readings.is_wanted_for(db, row) and second_readings.of_round(db, key) is None:
        return round_validity.PENDING, ""
    why = second_readings.objection_to(db, row, round_records.of_round(db, row, record)[0])
    return (round_validity.UNEXPECTED if why else round_validity.BELIEVED), why


_FAULTS = (
    select(faults.c.code, faults.c.raised)
    .where(
        faults.c.device == bindparam("device"), faults.c.boot == bindparam("boot"),
        faults.c.counter < bindparam("counter"),
    )
    .order_by(faults.c.counter)
)  # fmt: skip


def active_faults(db: Connection, device: int, place: RecordId) -> tuple[int, ...]:
    """Return the codes raised in the boot of a place before it, and not cleared by then."""
    found = db.execute(_FAULTS, {"device": device, "boot": place[0], "counter": place[1]})
    latest = {int(code): raised for code, raised in found}
    return tuple(sorted(code for code, raised in latest.items() if raised))


def gap_is_open(db: Connection, device: int, place: RecordId | None = None) -> bool:
    """Whether a counter of the device is missing, or one before a place (boot, counter).

    A stored record that cannot be decoded counts as missing.
    """
    unread = unread_records.c
    for at, first in ((gaps.c, gaps.c.first), (unread, unread.counter)):
        query = select(at.id).where(at.device == device, at.closed_ns.is_(None)).limit(1)
        if at is unread:
            query = query.where(at.counts == 1)
        if place is not None:
            boot, counter = place
            query = query.where(or_(at.boot < boot, (at.boot == boot) & (first < counter)))
        if db.execute(query).first() is not None:
            return True
    return False


def is_newest(db: Connection, device: int, number: int) -> bool:
    """Whether a round is the newest of its device and was neither closed nor ended."""
    query = select(rounds).where(rounds.c.device == device)
    row = db.execute(query.order_by(rounds.c.number.desc()).limit(1)).mappings().first()
    return (
        row is not None
        and row["number"] == number
        and row["closed"] is None
        and row["ended"] is None
    )


def _begin(db: Connection, frame: Frame) -> RowMapping:
    """Create the row of a round: it stores the present terms of its table."""
    table = casino.table_of(db, frame.device)
    number = None
    if table is not None:
        number = casino.newest_terms(db, table["id"])
    values = {
        "device": frame.device, "number": frame.round, "table_id": table and table["id"],
        "terms_id": number, "verdict": round_validity.RUNNING, "settled": 0,
    }  # fmt: skip
    made = insert(rounds).values(**values).returning(rounds)
    return db.execute(made).mappings().one()
