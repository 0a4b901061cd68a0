"""Rounds as their records tell: which record opened, closed and ended each, and the verdict.

Works on an open transaction of the inbox.
"""

import sqlite3

from tabletools import decode, roles
from tabletools.evidence import judge
from tabletools.evidence.judge import Facts, Place
from tabletools.inbox import gaps
from tabletools.roles import Played
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.messages import (
    BETS_CLOSED,
    FAULT_CLEARED,
    FAULT_RAISED,
    ROUND_ENDS,
    ROUND_OPENED,
    ROUND_VOID,
)
from tablewire.names import NAMES

_COLUMNS = {
    ROUND_OPENED: "opened",
    BETS_CLOSED: "closed",
    **dict.fromkeys(ROUND_ENDS, "ended"),
}
_RECORDS = (
    "SELECT r.id, r.raw, r.authentication FROM records r"
    " LEFT JOIN boots b ON b.device = r.device AND b.boot = r.boot"
    " WHERE r.device = ? AND r.round = ? AND b.fell_ns IS NULL ORDER BY r.boot, r.counter"
)
Found = list[tuple[int, str]]  # round, what is wrong with it


def other_end(db: sqlite3.Connection, frame: Frame, payload: str) -> str | None:
    """Whether a record ends a round that ended otherwise; returns that end in words."""
    if frame.type not in ROUND_ENDS:
        return None
    row = db.execute(
        "SELECT type, payload, boot, counter FROM records JOIN rounds ON ended = records.id"
        " WHERE rounds.device = ? AND rounds.round = ?",
        (frame.device, frame.round),
    ).fetchone()
    if row is None or row[:2] == (frame.type, payload):
        return None
    kind, stored, boot, counter = row
    return f"{NAMES[kind]} {stored} (boot {boot} counter {counter})"


def enter(db: sqlite3.Connection, frame: Frame, record: int) -> Found:
    """Enter a stored record in its round; returns what is wrong if it has no place there."""
    column = _COLUMNS.get(frame.type)
    if column is None:
        return []
    name = (frame.device, frame.round)
    db.execute(
        "INSERT OR IGNORE INTO rounds (device, round, verdict) VALUES (?, ?, ?)",
        (*name, judge.RUNNING),
    )
    entered = db.execute(
        f"UPDATE rounds SET {column} = ? WHERE device = ? AND round = ? AND {column} IS NULL",
        (record, *name),
    ).rowcount
    if entered:
        if frame.type in ROUND_ENDS:
            value = judge.BELIEVED if frame.type == ROUND_VOID else judge.PENDING
            _decide(db, name, value)
        return []
    if frame.type == ROUND_VOID:
        return []  # the same void again: told twice after a power cut
    return [(frame.round, f"a second {NAMES[frame.type]} of the round")]


def judge_pending(db: sqlite3.Connection, device: int) -> Found:
    """Decide what can be decided now; returns what became unexpected."""
    pending = db.execute(
        "SELECT rounds.round, o.boot, o.counter, c.boot, c.counter, e.boot, e.counter,"
        " e.id FROM rounds"
        " LEFT JOIN records o ON o.id = opened LEFT JOIN records c ON c.id = closed"
        " JOIN records e ON e.id = ended"
        " WHERE rounds.device = ? AND verdict = 'pending'",
        (device,),
    ).fetchall()
    found = []
    for number, *places in pending:
        ended: Place = (places[4], places[5])
        facts = Facts(
            opened=None if places[0] is None else (places[0], places[1]),
            closed=None if places[2] is None else (places[2], places[3]),
            ended=ended,
            faults=standing(db, device, ended),
            may_come=gaps.is_open(db, device, ended),
            also=_objections(db, (device, number), places[6]),
        )
        value, why = judge.verdict(facts)
        if value != judge.PENDING:
            _decide(db, (device, number), value)
        if value == judge.UNEXPECTED:
            found.append((number, f"result of round {number} not believed: {why}"))
    return found


def _objections(db: sqlite3.Connection, name: tuple[int, int], end: int) -> str:
    # No terms are known here: the controller is measured by its own round_opened.
    records = of_round(db, *name)
    opened = next((r for r in records.values() if r["type"] == "round_opened"), None)
    ended = records.get(end)
    if ended is None:
        return ""  # of a boot that fell, which counts for nothing
    return "; ".join(roles.objections(Played(None), opened, ended, list(records.values())))


def of_round(db: sqlite3.Connection, device: int, number: int) -> dict[int, decode.Record]:
    """Return the decoded records of a round by their rows, in the order of the table."""
    rows = db.execute(_RECORDS, (device, number)).fetchall()
    return {row[0]: _decoded(*row[1:]) for row in rows}


def _decoded(raw: bytes, seal: str) -> decode.Record:
    [frame] = Receiver().feed(raw)
    return decode.record(frame, seal)


def is_running(db: sqlite3.Connection, device: int, number: int) -> bool:
    """Whether a round is open as far as its records tell, and the newest of its table."""
    row = db.execute(
        "SELECT closed IS NULL AND ended IS NULL FROM rounds"
        " WHERE device = ? ORDER BY round DESC LIMIT 1",
        (device,),
    ).fetchone()
    newest = db.execute("SELECT max(round) FROM rounds WHERE device = ?", (device,)).fetchone()
    return row is not None and bool(row[0]) and newest[0] == number


def _decide(db: sqlite3.Connection, name: tuple[int, int], value: str) -> None:
    db.execute("UPDATE rounds SET verdict = ? WHERE device = ? AND round = ?", (value, *name))


def standing(db: sqlite3.Connection, device: int, place: Place) -> tuple[int, ...]:
    """Codes raised in the boot of a place before it, and not cleared by then."""
    boot, counter = place
    rows = db.execute(
        "SELECT type, payload ->> '$.fault' FROM records WHERE device = ? AND type IN (?, ?)"
        " AND boot = ? AND counter < ? ORDER BY counter",
        (device, FAULT_RAISED, FAULT_CLEARED, boot, counter),
    )
    latest = {code: kind for kind, code in rows}
    return tuple(sorted(code for code, kind in latest.items() if kind == FAULT_RAISED))
