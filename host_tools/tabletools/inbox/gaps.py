"""Counters that never came. Works on an open transaction of the inbox.

The counter rises by one a frame over all types, so what is missing may have been a heartbeat; the
table tells: when it says that no durable record waits, nothing that was missing before it did.
"""

import sqlite3
from itertools import pairwise

from tabletools.inbox import unread

NOTHING_WAITING = "nothing_waiting"
FILLED = "filled"


def note(
    db: sqlite3.Connection, name: tuple[int, int], *, after: int, before: int, now_ns: int
) -> int:
    """Write down what lies between two counters and is not stored; returns how many gaps.

    name: device, boot. after: the highest counter heard so far; before: the one just heard.
    """
    stored = db.execute(
        "SELECT counter FROM records WHERE device = ? AND boot = ? AND counter > ?"
        " AND counter < ? ORDER BY counter",
        (*name, after, before),
    )
    edges = [after, *(counter for (counter,) in stored), before]
    missing = [
        (*name, low + 1, high - 1, now_ns) for low, high in pairwise(edges) if high - low > 1
    ]
    db.executemany(
        "INSERT INTO gaps (device, boot, first, last, seen_ns) VALUES (?, ?, ?, ?, ?)", missing
    )
    return len(missing)


def fill(db: sqlite3.Connection, name: tuple[int, int], counter: int, now_ns: int) -> bool:
    """A counter that was missing came: split its gap. False if it was in none."""
    row = db.execute(
        "SELECT id, first, last, seen_ns FROM gaps"
        " WHERE device = ? AND boot = ? AND first <= ? AND last >= ? AND closed_ns IS NULL",
        (*name, counter, counter),
    ).fetchone()
    if row is None:
        return False
    gap, first, last, seen_ns = row
    db.execute(
        "UPDATE gaps SET first = ?, last = ?, closed_ns = ?, closed_by = ? WHERE id = ?",
        (counter, counter, now_ns, FILLED, gap),
    )
    for low, high in ((first, counter - 1), (counter + 1, last)):
        if low <= high:
            db.execute(
                "INSERT INTO gaps (device, boot, first, last, seen_ns) VALUES (?, ?, ?, ?, ?)",
                (*name, low, high, seen_ns),
            )
    return True


def end_all(db: sqlite3.Connection, name: tuple[int, int], before: int, now_ns: int) -> int:
    """The table says nothing waits: close its gaps up to that frame; returns how many."""
    device, boot = name
    return db.execute(
        "UPDATE gaps SET closed_ns = ?, closed_by = ? WHERE device = ? AND closed_ns IS NULL"
        " AND (boot < ? OR (boot = ? AND last < ?))",
        (now_ns, NOTHING_WAITING, device, boot, boot, before),
    ).rowcount


def is_open(db: sqlite3.Connection, device: int, place: tuple[int, int] | None = None) -> bool:
    """Whether a gap of the device is open, or one before a place (boot, counter).

    A record that is here and was not understood is missing all the same.
    """
    if unread.is_open(db, device, place):
        return True
    boot, counter = place or (1 << 33, 0)
    row = db.execute(
        "SELECT 1 FROM gaps WHERE device = ? AND closed_ns IS NULL"
        " AND (boot < ? OR (boot = ? AND first < ?)) LIMIT 1",
        (device, boot, boot, counter),
    ).fetchone()
    return row is not None
