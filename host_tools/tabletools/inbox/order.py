"""Who ordered which change of a table, and what became of it. A row each, never overwritten."""

import sqlite3
from collections.abc import Sequence

from tabletools.inbox.database import transaction

# Author, command (message id), key and value; key 0: all of them.
Wanted = tuple[str, int, int, int]


def begin(db: sqlite3.Connection, device: int, wanted: Wanted, now_ns: int) -> int:
    """Keep an order before it goes out; returns its row."""
    with transaction(db):
        row = db.execute(
            "INSERT INTO orders (at_ns, device, author, command, key, value)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (now_ns, device, *wanted),
        ).lastrowid
    assert row is not None
    return row


def end(
    db: sqlite3.Connection, row: int, outcome: str, records: Sequence[tuple[int, int]]
) -> None:
    """Keep what became of it. records: boot and counter of those it made."""
    with transaction(db):
        db.execute(
            "UPDATE orders SET outcome = ? WHERE id = ? AND outcome IS NULL", (outcome, row)
        )
        db.executemany(
            "INSERT OR IGNORE INTO order_records SELECT device, ?, ?, id FROM orders WHERE id = ?",
            [(*place, row) for place in records],
        )
