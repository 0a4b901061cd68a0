"""Durable records that this release cannot read. Works on an open transaction of the inbox."""

import sqlite3

from tablewire.codec import UnreadFrame

CAUSE = "record_not_understood"


def body_of(db: sqlite3.Connection, frame: UnreadFrame) -> bytes | None:
    """Return the body of the record with that identity, None if it is not here."""
    row = db.execute(
        "SELECT body FROM unread WHERE device = ? AND boot = ? AND counter = ?",
        (frame.device, frame.boot, frame.counter),
    ).fetchone()
    return None if row is None else bytes(row[0])


def keep(
    db: sqlite3.Connection,
    frame: UnreadFrame,
    found: tuple[bytes, bytes, str, int | None],
    now_ns: int,
) -> str:
    """Keep a record; returns what is said of it. found: body, bytes, how far believed, key."""
    db.execute(
        "INSERT INTO unread (device, boot, counter, type, round, problem, body, raw,"
        " authentication, key_number, received_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            frame.device, frame.boot, frame.counter, frame.type, frame.round, frame.problem,
            *found, now_ns,
        ),
    )  # fmt: skip
    return (
        f"record 0x{frame.type:02x} cannot be read ({frame.problem}): it is kept as received;"
        " update this host, which then reads it, or release the table with a reason"
    )


def is_open(db: sqlite3.Connection, device: int, place: tuple[int, int] | None = None) -> bool:
    """Whether a record of the device was not read, or one before a place (boot, counter)."""
    boot, counter = place or (1 << 33, 0)
    row = db.execute(
        "SELECT 1 FROM unread WHERE device = ? AND closed_ns IS NULL"
        " AND (boot < ? OR (boot = ? AND counter < ?)) LIMIT 1",
        (device, boot, boot, counter),
    ).fetchone()
    return row is not None


def open_rows(db: sqlite3.Connection) -> list[tuple[int, int, bytes, str, int | None]]:
    """Return number, device, bytes, how far believed and key of each, in the tables' order."""
    return db.execute(
        "SELECT id, device, raw, authentication, key_number FROM unread WHERE closed_ns IS NULL"
        " ORDER BY device, boot, counter"
    ).fetchall()


def close_read(db: sqlite3.Connection, number: int, now_ns: int) -> None:
    """A release that understands it has read a record."""
    db.execute(
        "UPDATE unread SET closed_ns = ?, closed_by = 'read' WHERE id = ?", (now_ns, number)
    )
