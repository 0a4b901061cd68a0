"""Alarms, stops and whether bets are open. Works on an open transaction of the inbox."""

import sqlite3
from dataclasses import dataclass

from tablewire.codec import Frame

CONFLICT = "conflict"
UNEXPECTED = "unexpected"
LINK_LOST = "link_lost"
TAMPER = "tamper"
BOOT_FELL = "boot_fell"
PROGRAM = "program"
LINK_STALE = "link_stale"
CLOCK_STEP = "clock_step"
NOT_UNDERSTOOD = "not_understood"


@dataclass(frozen=True)
class Alarm:
    """Something a person must look at. is_new: False when it stood already, for the same frame."""

    device: int
    kind: str
    text: str
    is_new: bool = True


def alarm_for(
    db: sqlite3.Connection,
    kind: str,
    text: str,
    frame: Frame,
    now_ns: int,
    *,
    refused: tuple[bytes, bytes] | None = None,
) -> tuple[int, Alarm]:
    """Keep an alarm about a frame; returns its row and itself.

    refused: body and bytes on the line of a frame that was not stored; its repeats are counted.
    """
    body, raw = refused or (None, None)
    if body is not None:
        known = db.execute(
            "UPDATE alarms SET repeats = repeats + 1 WHERE device = ? AND kind = ? AND body = ?"
            " RETURNING id",
            (frame.device, kind, body),
        ).fetchone()
        if known is not None:
            return int(known[0]), Alarm(frame.device, kind, text, is_new=False)
    row = db.execute(
        "INSERT INTO alarms (at_ns, device, kind, text, boot, counter, round, body, raw)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            now_ns, frame.device, kind, text, frame.boot, frame.counter, frame.round, body, raw,
        ),
    ).lastrowid  # fmt: skip
    assert row is not None
    return row, Alarm(frame.device, kind, text)


def alarm(db: sqlite3.Connection, kind: str, text: str, device: int, now_ns: int) -> Alarm:
    """Keep an alarm about a table."""
    db.execute(
        "INSERT INTO alarms (at_ns, device, kind, text) VALUES (?, ?, ?, ?)",
        (now_ns, device, kind, text),
    )
    return Alarm(device, kind, text)


def conflict(
    db: sqlite3.Connection, frame: Frame, why: str, refused: tuple[bytes, bytes], now_ns: int
) -> Alarm:
    """Keep an alarm about a record that contradicts what is stored, and stop the table.

    refused: see alarm_for.
    """
    row, found = alarm_for(db, CONFLICT, why, frame, now_ns, refused=refused)
    stop(db, frame.device, why, row, now_ns)
    return found


def tampered(db: sqlite3.Connection, device: int, text: str, raw: bytes, now_ns: int) -> Alarm:
    """Keep an alarm about a forged frame and stop the table; while it is stopped, count the next.

    raw: the frame, kept for the first one. So a flood of them fills no disk.
    """
    known = db.execute(
        "UPDATE alarms SET repeats = repeats + 1 WHERE id = (SELECT max(alarms.id) FROM alarms"
        " JOIN stops USING (device) WHERE device = ? AND kind = ? AND released_ns IS NULL"
        " AND at_ns >= since_ns) RETURNING id",
        (device, TAMPER),
    ).fetchone()
    if known is not None:
        return Alarm(device, TAMPER, text, is_new=False)
    return stopping(db, TAMPER, text, device, now_ns, raw)


def stopping(
    db: sqlite3.Connection,
    kind: str,
    text: str,
    device: int,
    now_ns: int,
    raw: bytes | None = None,
) -> Alarm:
    """Keep an alarm about a table and stop it. raw: the frame that was refused."""
    row = db.execute(
        "INSERT INTO alarms (at_ns, device, kind, text, raw) VALUES (?, ?, ?, ?, ?)",
        (now_ns, device, kind, text, raw),
    ).lastrowid
    assert row is not None
    stop(db, device, text, row, now_ns)
    return Alarm(device, kind, text)


def stop(db: sqlite3.Connection, device: int, reason: str, row: int, now_ns: int) -> None:
    """Stop a table: no bets until somebody releases it. A table that is stopped stays so."""
    db.execute(
        "INSERT OR IGNORE INTO stops (device, since_ns, reason, alarm) VALUES (?, ?, ?, ?)",
        (device, now_ns, reason, row),
    )
    set_bets(db, device, is_open=False, cause="stopped", number=0, now_ns=now_ns)


def stopped(db: sqlite3.Connection, device: int) -> str | None:
    """Why a table is stopped, None if it is not."""
    row = db.execute(
        "SELECT reason FROM stops WHERE device = ? AND released_ns IS NULL", (device,)
    ).fetchone()
    return None if row is None else str(row[0])


def set_bets(
    db: sqlite3.Connection, device: int, *, is_open: bool, cause: str, number: int, now_ns: int
) -> None:
    """Open or close the bets of a table on the host's side. number: the round, 0 unknown."""
    db.execute(
        "INSERT INTO tables (device, bets_open, cause, round, since_ns) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (device) DO UPDATE SET bets_open = excluded.bets_open,"
        " cause = excluded.cause, round = excluded.round, since_ns = excluded.since_ns",
        (device, is_open, cause, number, now_ns),
    )


def close_all(db: sqlite3.Connection, cause: str, now_ns: int) -> None:
    """Close the bets of every table that has them open."""
    db.execute(
        "UPDATE tables SET bets_open = 0, cause = ?, since_ns = ? WHERE bets_open = 1",
        (cause, now_ns),
    )
