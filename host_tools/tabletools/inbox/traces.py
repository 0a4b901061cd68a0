"""The traces of rounds in the inbox: which are still to be fetched, and keeping them.

A trace is evidence beside a round. It is fetched while the table idles, and nothing depends on it.
"""

import json
import sqlite3
from collections.abc import Callable

from tabletools.inbox.database import errors_explained, transaction

# Rounds a table keeps traces of.
KEPT = 10

_WANTED = """
SELECT r.round FROM rounds r LEFT JOIN traces t ON t.device = r.device AND t.round = r.round
WHERE r.device = ?1 AND r.ended IS NOT NULL AND t.round IS NULL
    AND r.round > (SELECT max(round) FROM rounds WHERE device = ?1) - ?2
ORDER BY r.round LIMIT 1
"""


class Traces:
    """What of the traces a collector needs; each call is a transaction. Raises InboxError."""

    def __init__(self, db: sqlite3.Connection, wall_ns: Callable[[], int]) -> None:
        self._db = db
        self._wall_ns = wall_ns

    def wanted(self, device: int) -> int | None:
        """The oldest round the table may have a trace of that is not here, None if all are."""
        with errors_explained():
            row = self._db.execute(_WANTED, (device, KEPT)).fetchone()
        return None if row is None else int(row[0])

    def keep(self, device: int, number: int, data: bytes) -> None:
        """Keep the trace of a round; empty: the table has none. A trace that is here stays."""
        with transaction(self._db):
            self._db.execute(
                "INSERT OR IGNORE INTO traces (device, round, data, received_ns)"
                " VALUES (?, ?, ?, ?)",
                (device, number, data or None, self._wall_ns()),
            )


def kept(db: sqlite3.Connection, number: int, device: int | None) -> list[tuple[int, bytes]]:
    """(device, trace) of that round, of the tables that have one. device: only of this table."""
    with errors_explained():
        rows = db.execute(
            "SELECT device, data FROM traces WHERE round = ? AND data IS NOT NULL"
            " AND device = coalesce(?, device) ORDER BY device",
            (number, device),
        ).fetchall()
    return [(int(row[0]), bytes(row[1])) for row in rows]


def end_of(db: sqlite3.Connection, device: int, number: int) -> tuple[int, tuple[int, ...]] | None:
    """Type and fields of the record that ended a round, None if there is none."""
    with errors_explained():
        row = db.execute(
            "SELECT e.type, e.payload FROM rounds r JOIN records e ON e.id = r.ended"
            " WHERE r.device = ? AND r.round = ?",
            (device, number),
        ).fetchone()
    return None if row is None else (int(row[0]), tuple(json.loads(row[1]).values()))
