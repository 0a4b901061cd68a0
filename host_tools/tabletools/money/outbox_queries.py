"""The next events for a sink: in order per table, one process at a time per sink.

An event that a sink refused holds back the later ones of its table only. One that was given up
(a dead letter) holds nothing back; it is stored, and sent again on request.
"""

import fcntl
import os
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, func, or_, select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from tabletools.store.database import Store
from tabletools.store.errors import StoreError, explain_errors
from tabletools.store.outbox import Event
from tabletools.store.schema.books import deliveries, outbox
from tabletools.store.schema.play import rounds, table_states, tables

# next_ns of a dead letter: no clock reaches it.
NEVER_NS = 1 << 62
_LOCKS = 0x7457  # first half of the keys of our advisory locks


class DueEvents(NamedTuple):
    """events: to be sent now. newest: number of the newest event. is_clear: nothing else waits,
    neither for its time nor for room in the batch. is_next: those that were never tried are the
    next ones: none before them waits for its table."""

    events: list[Event]
    newest: int
    is_clear: bool
    is_next: bool


class Failure(NamedTuple):
    """An event a sink refused. again_ns: when to try again, UTC; NEVER_NS: given up."""

    number: int
    error: str
    again_ns: int


class Dead(NamedTuple):
    """An event that was given up."""

    number: int
    event_id: str
    type: str
    attempts: int
    error: str


class Backlog(NamedTuple):
    """What a sink has not received.

    oldest_ns: time of the oldest event of it, UTC, None: none waits. dead: events that were given
    up; they are not counted among the waiting ones.
    """

    waiting: int
    oldest_ns: int | None
    dead: int


class TableState(NamedTuple):
    """State of a casino table. number: of the newest round as the device counts, None: none."""

    table: int
    name: str
    is_enabled: bool
    round: int | None
    number: int | None
    bets_open: bool
    cause: str
    since_ns: int


def due(ledger: Store, sink: str, *, after: int = 0, most: int = 100) -> DueEvents:
    """Return what a sink should be sent now, oldest first, in order of each table.

    after: all up to this number are known to be delivered; waiting ones are found nevertheless.
    """
    now_ns = ledger.clock.wall_ns()
    col = deliveries.c
    waiting = (
        select(outbox, col.attempts, col.tried_ns, col.next_ns)
        .join(deliveries, and_(col.outbox_id == outbox.c.id, col.sink == sink))
        .where(col.delivered_ns.is_(None), col.next_ns < NEVER_NS)
        .order_by(outbox.c.id)
    )
    # If the clock is before the last try, it was set back since: the pause is not valid.
    blocked: set[int | None] = set()
    due_events: list[Event] = []
    with ledger.read() as db:
        for row in db.execute(waiting):
            event = Event._make(row[:8])
            if row.tried_ns <= now_ns < row.next_ns:
                blocked.add(event.table)
            elif event.table not in blocked:
                due_events.append(event)
        new = _new(db, sink, after, most, blocked)
        newest = db.execute(select(func.max(outbox.c.id))).scalar_one() or 0
    events = sorted(due_events + new)[:most]
    is_clear = not blocked and len(events) == len(due_events) + len(new) and len(new) < most
    return DueEvents(events, int(newest), is_clear, not blocked)


def _new(
    db: Connection, sink: str, after: int, most: int, blocked: set[int | None]
) -> list[Event]:
    col = deliveries.c
    tried = select(col.outbox_id).where(col.sink == sink, col.outbox_id == outbox.c.id).exists()
    query = select(outbox).where(outbox.c.id > after, ~tried).order_by(outbox.c.id).limit(most)
    known = [table for table in blocked if table is not None]
    if known:
        table_col = outbox.c.table_id
        query = query.where(or_(table_col.is_(None), table_col.not_in(known)))
    if None in blocked:
        query = query.where(outbox.c.table_id.is_not(None))
    return [Event._make((*row, 0)) for row in db.execute(query)]


def backlog(ledger: Store, sink: str, *, after: int = 0) -> Backlog:
    """Return what waits for a sink. after: as for `due`. Raises StoreError."""
    col = deliveries.c
    of_sink = and_(col.sink == sink, col.outbox_id == outbox.c.id)
    held = select(outbox.c.at_ns).join(deliveries, of_sink).where(col.delivered_ns.is_(None))
    tried = select(col.outbox_id).where(of_sink).exists()
    new = select(outbox.c.at_ns).where(outbox.c.id > after, ~tried)
    parts = (held.where(col.next_ns < NEVER_NS), new, held.where(col.next_ns >= NEVER_NS))
    with ledger.read() as db:
        (waiting, first), (fresh, next_), (dead, _) = (
            db.execute(select(func.count(), func.min(part.subquery().c.at_ns))).one()
            for part in parts
        )
    ages = [int(age) for age in (first, next_) if age is not None]
    return Backlog(int(waiting) + int(fresh), min(ages, default=None), int(dead))


def note(
    ledger: Store, sink: str, delivered: Sequence[int], failures: Sequence[Failure] = ()
) -> None:
    """Store the delivery results of events at a sink, in one transaction. Raises StoreError."""
    now_ns = ledger.clock.wall_ns()
    base: dict[str, Any] = {"sink": sink, "attempts": 1, "tried_ns": now_ns}
    rows = [
        base | {"outbox_id": number, "next_ns": now_ns, "delivered_ns": now_ns, "error": None}
        for number in delivered
    ]
    rows += [
        base
        | {
            "outbox_id": one.number,
            "next_ns": one.again_ns,
            "delivered_ns": None,
            "error": one.error[:500],
        }
        for one in failures
    ]
    if rows:
        ledger.run(lambda db: db.execute(_statement(db), rows))


def _statement(db: Connection) -> Any:
    dialect: Any = sqlite if db.dialect.name == "sqlite" else postgresql
    insert = dialect.insert(deliveries)
    changed = {
        name: insert.excluded[name] for name in ("tried_ns", "next_ns", "delivered_ns", "error")
    }
    changed["attempts"] = deliveries.c.attempts + 1
    return insert.on_conflict_do_update(index_elements=["sink", "outbox_id"], set_=changed)


def dead(db: Connection, sink: str) -> list[Dead]:
    """Return the events that were given up for a sink, oldest first."""
    col = deliveries.c
    query = (
        select(outbox.c.id, outbox.c.event_id, outbox.c.type, col.attempts, col.error)
        .join(deliveries, col.outbox_id == outbox.c.id)
        .where(col.sink == sink, col.delivered_ns.is_(None), col.next_ns == NEVER_NS)
        .order_by(outbox.c.id)
    )
    return [Dead._make(row) for row in db.execute(query)]


def revive(ledger: Store, sink: str) -> int:
    """Send dead letters again, with their attempts counted from zero; returns how many."""
    col = deliveries.c
    statement = update(deliveries).where(
        col.sink == sink, col.delivered_ns.is_(None), col.next_ns == NEVER_NS
    )
    return int(ledger.run(lambda db: db.execute(statement.values(next_ns=0, attempts=0)).rowcount))


def states(db: Connection) -> list[TableState]:
    """Return the state of every casino table, in order of their numbers."""
    col = table_states.c
    query = (
        select(
            tables.c.id,
            tables.c.name,
            tables.c.enabled,
            col.round_id,
            rounds.c.number,
            col.bets_open,
            col.cause,
            col.since_ns,
        )
        .join(table_states, col.table_id == tables.c.id)
        .outerjoin(rounds, rounds.c.id == col.round_id)
        .order_by(tables.c.id)
    )
    return [
        TableState(row[0], row[1], bool(row[2]), row[3], row[4], bool(row[5]), row[6], row[7])
        for row in db.execute(query)
    ]


# --- one process at a time -----------------------------------------------------------------------


class SinkLock:
    """The right to feed one sink. It ends with the process that holds it, however that ends.

    SQLite: a file lock of the operating system beside the ledger. PostgreSQL: an advisory lock of
    one session, so the connection must be direct, or through a pool that keeps sessions whole.
    """

    def __init__(self, ledger: Store, sink: str) -> None:
        self._ledger = ledger
        self._key = zlib.crc32(sink.encode()) - (1 << 31)
        self._file: int | None = None
        self._session: Connection | None = None

    def take(self) -> bool:
        """Lock the sink, or confirm that it is still locked; False if another process has it.

        Raises StoreError.
        """
        if self._ledger.is_sqlite:
            return self._file is not None or self._lock_file()
        if self._session is not None and self._is_alive(self._session):
            return True
        return self._lock_session()

    def release(self) -> None:
        """Unlock the sink."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self._session is not None:
            # The server ends a closed session, and its lock, only after a delay.
            with suppress(SQLAlchemyError):
                self._session.execute(text("SELECT pg_advisory_unlock_all()"))
            self._session.invalidate()  # a lock that remained ends with the session
            self._session.close()
            self._session = None

    def _lock_file(self) -> bool:
        database = self._ledger.engine.url.database or ""
        place = Path(f"{database}.sink-{self._key & 0xFFFFFFFF:08x}.lock")
        try:
            file = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            what = f"cannot lock {place}: {error.strerror}"
            raise StoreError(what, "no right to write beside the ledger", "check it") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        self._file = file
        return True

    def _lock_session(self) -> bool:
        with explain_errors():
            session = self._ledger.engine.connect()
            session = session.execution_options(isolation_level="AUTOCOMMIT")
            query = text("SELECT pg_try_advisory_lock(:first, :second)")
            values = {"first": _LOCKS, "second": self._key}
            if not session.execute(query, values).scalar_one():
                session.close()
                return False
        self._session = session
        return True

    def _is_alive(self, session: Connection) -> bool:
        try:
            session.execute(text("SELECT 1"))
            return True
        except SQLAlchemyError:
            self.release()
            return False
