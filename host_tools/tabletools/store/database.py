"""The ledger as one object: its database, clocks and transactions; knows no game and no bet.

Every write is one transaction that is on the disk when it returns, or has no effect. The lease of
a table names the host that may write for it: its row is the lock under which everything of one
table happens in order.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection, Engine, bindparam, select

from tabletools import private_file
from tabletools.store import chain
from tabletools.store.clock import NS, Clock, StepWatch, SystemClock
from tabletools.store.engine import (
    CHAINED,
    FROZEN_MS,
    LAST,
    SQLITE,
    engine_of,
    file_of,
    time_limit,
)
from tabletools.store.errors import (
    READ_ONLY_STEP,
    LostLease,
    StoreError,
    explain_errors,
    explanation_of,
    is_passing,
)
from tabletools.store.migrate import migrate, newest, verified_revision
from tabletools.store.schema.play import leases

Result = TypeVar("Result")
TRIES = 4
FAILURE_S = 10
"""A host that could not write within this time is not ready: longer than a lease is renewed."""
_MAKE_ONE = "check the name; `tabletool serve` and `collect` make one"
# Built once: it runs in every transaction.
_TOKEN = select(leases.c.token).where(leases.c.table_id == bindparam("table")).with_for_update()


class Lease(NamedTuple):
    """The right to write for one table. until_mono_ns: by this host's clock, not renewed."""

    table: int
    holder: str
    token: int
    until_mono_ns: int


class Opening(NamedTuple):
    """A round whose bets opened while this host watched. at, until: by its monotonic clock."""

    round: int
    at_ns: int
    until_ns: int


class TableMemory:
    """What this process holds of one table between transactions.

    state: of its owner, None when it has to be read; any other write under the lease drops it.
    drops: how often it was dropped: a state from before a drop is not stored after it.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.state: object = None
        self.drops = 0

    def drop(self) -> None:
        """Have the state read again."""
        self.drops += 1
        self.state = None


def _verify_there(place: str | Path) -> None:
    """Raise StoreError if an SQLite database does not exist: opening it would create it."""
    file = file_of(place)
    if file is None:
        return
    _verify_regular(file)
    if file.is_dir():
        raise StoreError("there is no database", "this is a folder", "name the file in it")
    is_there = file.is_file()
    if not is_there or not file.stat().st_size:
        cause = "the file is empty" if is_there else "the name does not match"
        raise StoreError("there is no database", cause, _MAKE_ONE)


def _verify_regular(file: Path) -> None:
    """Raise StoreError for a pipe or a device: SQLite would wait for it, or report it as full."""
    if file.exists() and not (file.is_file() or file.is_dir()):
        step = "name a file"
        raise StoreError("this is not a regular file", "it is a pipe, a socket or a device", step)


def _verify_writable(file: Path) -> None:
    """Raise StoreError if an existing SQLite database cannot be written.

    SQLite itself reports a medium that is read-only like a folder that does not exist.
    """
    if not file.exists() or (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
        return
    cause = "this user has no right to write the file or its folder"
    if os.statvfs(file).f_flag & os.ST_RDONLY:
        cause = "its disk is mounted read-only"
    raise StoreError("the database is read-only", cause, READ_ONLY_STEP)


class Store:
    """One database. at: called at each step of a write; a test may end the program there."""

    def __init__(self, engine: Engine, clock: Clock, at: Callable[[str], None]) -> None:
        self.engine = engine
        self.clock = clock
        self.watch = StepWatch(clock)
        self.at = at
        self.is_sqlite = engine.dialect.name == SQLITE
        # SQLite has one writer at a time; threads of one host wait here instead of polling the
        # file.
        self._writing: AbstractContextManager[object] = (
            threading.RLock() if self.is_sqlite else nullcontext()
        )
        self._openings: dict[int, Opening] = {}
        # By table: the lease as it was read, and since when.
        self._leases: dict[int, tuple[object, int]] = {}
        self._memories: dict[int, TableMemory] = {}
        self._file = file_of(str(engine.url)) if self.is_sqlite else None
        self.read_limit_s: float | None = None
        """Longest time for one statement that reads (PostgreSQL) or for all of them (SQLite)."""
        self._failure: tuple[int, StoreError | None] = (0, None)  # when, by the monotonic clock
        self._identity: tuple[int, int] | None = None  # device and inode of that file, once opened

    @classmethod
    def open(
        cls,
        place: str | Path,
        *,
        clock: Clock | None = None,
        at: Callable[[str], None] = lambda step: None,
    ) -> "Store":
        """Open a database, creating or migrating it as needed. Raises StoreError.

        place: a file of SQLite, or a URL.
        """
        if (file := file_of(place)) is not None:
            _verify_regular(file)
            _verify_writable(file)
            private_file.create(file)
        engine = engine_of(place, frozen_ms=FROZEN_MS)
        ledger = cls(engine, clock or SystemClock(), at)
        try:
            with ledger.read() as db:
                present = verified_revision(db)
            if present != newest():
                ledger._migrate()
        except BaseException:
            ledger.close()
            raise
        return ledger

    def _migrate(self) -> None:
        """Create or upgrade the tables: these are not yet the ones that note their changes."""
        connection = self.engine.connect().execution_options(migrates=True)
        with explain_errors(), connection as db, db.begin():
            migrate(db)
            chain.forget_notes(db)

    @classmethod
    def open_existing(cls, place: str | Path, *, reads: bool = False) -> "Store":
        """Open a ledger of this release. Raises StoreError if there is none.

        reads: see `open_any`.
        """
        _verify_there(place)
        if not reads and (file := file_of(place)) is not None:
            _verify_writable(file)
        ledger = cls.open_any(place, reads=reads)
        try:
            with ledger.read() as db:
                revision = verified_revision(db)
            if revision is None:
                raise StoreError("there is no database", "this one is empty", _MAKE_ONE)
            if revision != newest():
                cause = f"it has schema {revision}, this program {newest()}"
                step = "bring it up to date: open it with `tabletool serve` or `collect`"
                raise StoreError("this database cannot be read", cause, step)
        except BaseException:
            ledger.close()
            raise
        return ledger

    @classmethod
    def open_any(cls, place: str | Path, *, reads: bool = False) -> "Store":
        """Open a database as it is, whatever it contains. Raises StoreError.

        reads: only to read it; no file changes, so it may be on a read-only medium.
        """
        return cls(engine_of(place, reads=reads), SystemClock(), lambda step: None)

    @property
    def place(self) -> str:
        """Where the database is: a URL, without the password."""
        return str(self.engine.url)

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    # --- how long bets are open, by the monotonic clock ------------------------------------------

    def note_opening(self, table: int, round_key: int, most_ns: int) -> None:
        """Note that the bets of a round open now, for at most this long."""
        now_ns = self.clock.mono_ns()
        self._openings[table] = Opening(round_key, now_ns, now_ns + most_ns)

    def forget_opening(self, table: int) -> None:
        """Note that the bets of a table are closed."""
        self._openings.pop(table, None)

    def has_opening(self, table: int) -> bool:
        """Whether the bets of a table opened while this host watched, and are still open."""
        return table in self._openings

    def open_for_ns(self, table: int, round_key: int) -> int | None:
        """How long the bets of a round have been open, None if this host did not see them open."""
        opening = self._openings.get(table)
        if opening is None or opening.round != round_key:
            return None
        return self.clock.mono_ns() - opening.at_ns

    def bets_overdue(self, table: int) -> bool:
        """Whether the maximum time for bets has passed."""
        opening = self._openings.get(table)
        return opening is not None and self.clock.mono_ns() >= opening.until_ns

    def lease_seen_for_ns(self, table: int, lease: object) -> int:
        """Return for how long this host has seen the same lease of a table, 0 for a new one."""
        now_ns = self.clock.mono_ns()
        known, since_ns = self._leases.get(table, (None, now_ns))
        if known != lease:
            since_ns = now_ns
        self._leases[table] = lease, since_ns
        return now_ns - since_ns

    # --- transactions ----------------------------------------------------------------------------

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that reads one state and changes nothing. Raises StoreError.

        After `read_limit_s` it ends with an error, where that is set.
        """
        with explain_errors():
            level = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
            with self.engine.connect().execution_options(reads=True, **level) as db:
                self._verify_in_place()
                with time_limit(db, self.read_limit_s):
                    yield db
                # Not rolled back: after a rollback psycopg would prepare every statement of the
                # connection again.
                db.commit()

    @contextmanager
    def write(self, lease: Lease | None = None) -> Iterator[Connection]:
        """A transaction, on the disk when it ends. lease: of the table it writes for.

        Raises LostLease, StoreError.
        """
        try:
            with self._writing, self.engine.begin() as db:
                if lease is not None:
                    self._lock(db, lease)
                db.info[LAST] = []
                yield db
                is_locked = bool(db.info[LAST]) and not self.is_sqlite
                if is_locked:
                    chain.lock(db)
                for statement, row in db.info[LAST]:
                    db.execute(statement, row)
                if CHAINED in db.connection.info:  # else there is no chain yet
                    chain.add_entry(db, self.clock.wall_ns(), is_locked=is_locked)
                self._verify_in_place()
        except Exception as error:
            explanation = explanation_of(error)
            if explanation is None:
                raise
            raise explanation from error

    def rehearse(self, action: Callable[[Connection], Result]) -> Result:
        """Run an action as a transaction that is undone; returns its result. Raises StoreError.

        It sees one state of the ledger, and is repeated when a writer changed what it changes. On
        SQLite other writers wait until it ends, which `read_limit_s` limits.
        """
        left = TRIES
        while True:
            try:
                with explain_errors(), self._writing:
                    return self._undone(action)
            except Exception as error:
                left -= 1
                if not left or not is_passing(error):
                    raise

    def _undone(self, action: Callable[[Connection], Result]) -> Result:
        level = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with self.engine.connect().execution_options(**level) as db:
            with time_limit(db, self.read_limit_s):
                undone = db.begin_nested()
                db.info[LAST] = []
                result = action(db)
                undone.rollback()
            db.commit()  # not rolled back, see `read`
            return result

    def _verify_in_place(self) -> None:
        """Raise StoreError where the file of the database was moved, deleted or replaced.

        SQLite would go on in the file that it has open, and no restart would find what it writes.
        """
        if self._file is None:
            return
        try:
            status = self._file.stat()
        except FileNotFoundError:
            status = None
        identity = None if status is None else (status.st_dev, status.st_ino)
        if self._identity is None:
            self._identity = identity
        elif identity != self._identity:
            cause = "it was deleted" if identity is None else "another file is there now"
            raise StoreError(
                f"the database {self._file} is not the one this program has open",
                f"{cause}, or it was moved",
                "put the file back, with its -wal and -shm files, and restart this program",
            )

    def memory(self, table: int) -> TableMemory:
        """Return what this process holds of a table."""
        known = self._memories.get(table)
        return known or self._memories.setdefault(table, TableMemory())

    def run(
        self,
        action: Callable[[Connection], Result],
        lease: Lease | None = None,
        *,
        is_counted: bool = True,
        prepare: Callable[[], None] = lambda: None,
    ) -> Result:
        """Run an action as one transaction, and return its result. See `write`.

        Repeated when two writers conflicted.
        is_counted: False if it changes nothing of its table but the lease; else the state in
        memory is dropped. prepare: called before each try, outside of the transaction.
        """
        memory = self.memory(lease.table) if lease is not None and is_counted else None
        with nullcontext() if memory is None else memory.lock:
            if memory is not None:
                memory.drop()
            left = TRIES
            while True:
                prepare()
                try:
                    with self.write(lease) as db:
                        result = action(db)
                        self.at("before_commit")
                    self.at("committed")
                    return result
                except Exception as error:
                    left -= 1
                    if not left or not is_passing(error):
                        if isinstance(error, StoreError):
                            self._failure = self.clock.mono_ns(), error
                        raise

    def recent_failure(self) -> StoreError | None:
        """Return why a transaction that writes failed within the last FAILURE_S seconds, if so."""
        at_ns, error = self._failure
        return error if self.clock.mono_ns() - at_ns < FAILURE_S * NS else None

    def verify_time(self, lease: Lease) -> None:
        """Raise LostLease unless a lease was renewed in time."""
        if self.clock.mono_ns() >= lease.until_mono_ns:
            raise LostLease(lease.table, "this host did not renew its lease in time")

    def _lock(self, db: Connection, lease: Lease) -> None:
        """Lock a lease until the transaction ends. Raises LostLease."""
        self.verify_time(lease)
        token = db.execute(_TOKEN, {"table": lease.table}).scalar_one_or_none()
        if token != lease.token:
            raise LostLease(lease.table, f"lease {lease.token} was taken over by {token}")
