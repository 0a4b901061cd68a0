"""A month archived, its archive checked, old events removed: rows a second on a ledger that grew.

A ledger of some hundred played rounds is multiplied (`pages_bench.grow`), and its chain gets an
entry for each copy: so every row is proved, as in one that was played.

    python -m host_tools.bench.archive_bench 1000000
"""

import json
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path
from sqlite3 import Connection, Cursor, connect

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import text

from host_tools.bench.figure import reported
from host_tools.bench.pages_bench import PLAYED, grow
from host_tools.bench.verify_bench import played
from tabletools.archive import checking, writing
from tabletools.money.retention import Ages, Retention
from tabletools.store import Store, SystemClock, chain
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import APPEND_ONLY
from tabletools.store.schema.chain import chained, key_names

ROUNDS = 10_000
_MINUTE_NS = 60_000_000_000


class LaterClock(SystemClock):
    """A year after the bench began: all that it wrote is old."""

    def wall_ns(self) -> int:
        """Return UTC in nanoseconds since 1970."""
        return time.time_ns() + 3 * 365 * 24 * 60 * _MINUTE_NS


def grown(place: str, rounds: int) -> None:
    """Make a ledger of so many rounds, with a chain over all of its rows."""
    played(place, PLAYED)
    with closing(connect(place)) as db:
        counts = {table.name: _count(db, table.name) for table in chained()}
    grow(place, rounds // PLAYED)
    with closing(connect(place)) as db:
        db.execute("PRAGMA synchronous=OFF")
        seq, at_ns, before = db.execute(
            "SELECT seq, at_ns, digest FROM chain ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        with ExitStack() as stack:
            rows = {
                name: stack.enter_context(closing(_new_rows(db, name, count)))
                for name, count in counts.items()
            }
            for _ in range(rounds // PLAYED - 1):
                parts = {
                    name: _part(name, rows[name].fetchmany(counts[name]))
                    for name in counts
                    if counts[name]
                }
                written = {name: part for name, part in parts.items() if part}
                rows_text = json.dumps(written, separators=(",", ":"))
                seq, at_ns = seq + 1, at_ns + PLAYED * _MINUTE_NS
                digest = chain.entry_digest(before, seq, at_ns, rows_text)
                entry = (seq, at_ns, rows_text, before, digest)
                db.execute("INSERT INTO chain VALUES (?, ?, ?, ?, ?)", entry)
                before = digest
        db.commit()


def _count(db: Connection, name: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {name}").fetchone()[0])


def _new_rows(db: Connection, name: str, count: int) -> Cursor:
    """Return the rows that were added behind the first ones, in the order of their keys."""
    keys = ", ".join(f"t.{key}" for key in key_names(METADATA.tables[name]))
    query = f"SELECT {chain.columns(name)} FROM {name} t ORDER BY {keys} LIMIT -1 OFFSET ?"
    return db.execute(query, (count,))


def _part(name: str, rows: list[tuple[object, ...]]) -> object:
    """Return what an entry holds of new rows of a table."""
    count = len(key_names(METADATA.tables[name]))
    keys = [row[:count] for row in rows]
    if name in APPEND_ONLY:
        return rows and {"keys": chain.pack_keys(keys), "digest": chain.digest_of(rows)}
    return [[key, chain.digest_of([row]), None] for key, row in zip(keys, rows, strict=True)]


def figures(rounds: int = ROUNDS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    with tempfile.TemporaryDirectory() as folder:
        place, archive = str(Path(folder) / "ledger"), Path(folder) / "month"
        grown(place, rounds)
        ledger = Store.open(place, clock=LaterClock())
        with ledger.read() as db:
            [end_ns] = db.execute(text("SELECT max(at_ns) FROM chain")).one()
            whole = writing.Month("all", 0, end_ns)  # but for the last entry
            begun = time.process_time()
            written = writing.write(db, whole, archive, Ed25519PrivateKey.generate(), 1)
            write_s = time.process_time() - begun
        begun = time.process_time()
        assert list(checking.problems(checking.opened(archive, None))) == []
        check_s = time.process_time() - begun
        size = sum(file.stat().st_size for file in archive.iterdir())
        share = size / Path(place).stat().st_size
        removed, remove_s = _retain(ledger)
        ledger.close()
    name = f"{written.rows} rows of {rounds} rounds"
    return [
        reported(f"archive of {name}", round(written.rows / write_s), "rows/s of CPU"),
        reported("the same, checked", round(written.rows / check_s), "rows/s of CPU"),
        reported("the same, to the size of the ledger", round(share, 2), "times"),
        reported(f"retention of {removed} events", round(removed / remove_s), "events/s of CPU"),
    ]


def _retain(ledger: Store) -> tuple[int, float]:
    """Remove all events that can be removed; returns how many, and the time that it took."""
    runs, begun, count = Retention(ledger, Ages()), time.process_time(), 0
    try:
        while True:
            step = runs.step()
            count += step.events
            if not step.has_more:
                return count, time.process_time() - begun
    finally:
        runs.close()


if __name__ == "__main__":
    for figure in figures(int(sys.argv[1]) if sys.argv[1:] else ROUNDS):
        print(f"{figure['name']}: {figure['value']} {figure['unit']}")
