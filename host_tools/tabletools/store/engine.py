"""Opening a database: SQLite as a file that survives a power cut, PostgreSQL by its URL."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from tabletools.store.errors import StoreError
from tabletools.store.requester import REQUESTER
from tabletools.store.schema.chain import SETTING, chain, postgresql_notes, sqlite_notes

SQLITE, POSTGRESQL = "sqlite", "postgresql"
# A table must receive its acknowledgement, and silence closes the bets within 2 s.
BUSY_MS = 1000
VERSION_TABLE = "ledger_version"
"""The table with the revision of the schema."""
CHAINED = "chained"
"""Key in the info of a connection: it notes its changes, see schema.chain."""
LAST = "last"
"""Key in the info of a connection: statements, each with its row, that end its transaction. Their
keys rise in the order in which transactions end."""
STATEMENT_MS = 30_000
# A commit of SQLite is on the disk before it returns; fullfsync matters on macOS only.
DURABLE = ("synchronous=FULL", "fullfsync=ON")
# Steps of SQLite's machine between looks at the clock: less than a millisecond.
_LOOK_STEPS = 20_000
# Longest lock of a table's rows by a host that froze within a transaction.
FROZEN_MS = 10_000
# Keepalive in both directions: probe after 5 s, three times within 6 s.
_ALIVE = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}


def url_of(place: str | Path) -> URL:
    """Return the URL of a database: itself, or that of an SQLite file. Raises StoreError."""
    text = str(place)
    if "://" not in text:
        return URL.create("sqlite+pysqlite", database=str(Path(text).resolve()))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:  # ValueError: a port that is not a number
        raise _unreadable() from error
    if "@" in (url.host or ""):
        raise _unreadable()
    if url.get_backend_name() == POSTGRESQL:
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == SQLITE:
        return url
    raise _unknown(url.render_as_string())


def file_of(place: str | Path) -> Path | None:
    """Return the file of an SQLite database, None for another. Raises StoreError."""
    url = url_of(place)
    if url.get_backend_name() != SQLITE or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def log_beside(file: Path) -> Path | None:
    """Return the log of transactions that are not yet in the file of an SQLite database."""
    for end in ("-wal", "-journal"):
        log = file.with_name(file.name + end)
        if log.exists() and log.stat().st_size:
            return log
    return None


def reading_url_of(place: str | Path) -> URL:
    """Return the URL under which a database is read and no file of it changes. Raises StoreError.

    A file without a log is opened as usual: SQLite removes what it makes beside it.
    """
    url, file = url_of(place), file_of(place)
    if file is None or not file.exists():
        return url
    log, options = log_beside(file), {"uri": "true", "mode": "ro"}
    if os.statvfs(file).f_flag & os.ST_RDONLY:
        if log is not None:
            raise StoreError(
                f"the ledger is on a read-only medium, beside the log {log.name}",
                "its host runs, or was killed before this copy: its last transactions are in the"
                " log, which cannot be read there",
                "copy the ledger together with it to a folder you own, and name the copy; or"
                " verify a backup",
            )
        options["immutable"] = "1"
    elif log is None:
        return url
    return URL.create(url.drivername, database=file.resolve().as_uri(), query=options)


def engine_of(place: str | Path, *, frozen_ms: int = 0, reads: bool = False) -> Engine:
    """Return the engine of a database; nothing is opened yet. Raises StoreError.

    frozen_ms: PostgreSQL ends a transaction that is idle for this long; 0: never.
    reads: no file of an SQLite database changes.
    """
    url = url_of(place)
    if url.get_backend_name() == SQLITE:
        return _sqlite(reading_url_of(place) if reads else url, reads=reads)
    settings = {
        "statement_timeout": STATEMENT_MS,
        "synchronous_commit": "on",
        "idle_in_transaction_session_timeout": frozen_ms,
        SETTING: "on",
        **{f"tcp_{name}": value for name, value in _ALIVE.items()},
    }
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    engine = create_engine(
        url,
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,
        pool_size=10,
        pool_timeout=2.0,
        connect_args={
            "connect_timeout": 2,
            "options": options,
            "tcp_user_timeout": FROZEN_MS,
            **_ALIVE,
        },
    )

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, record: Any) -> None:
        connection.execute(postgresql_notes())
        connection.commit()
        record.info[CHAINED] = True

    return engine


def _names(connection: Any) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}


def _note_changes(connection: Connection) -> None:
    """Have an SQLite connection note its changes, if it has the tables for it.

    Called outside a transaction: what one creates is gone when it is rolled back.
    """
    driver: Any = connection.connection.dbapi_connection
    if chain.name not in _names(driver):
        return
    for statement in sqlite_notes():
        driver.execute(statement)
    connection.connection.info[CHAINED] = True


@contextmanager
def time_limit(db: Connection, limit_s: float | None) -> Iterator[None]:
    """Interrupt what reads for longer than this, or for a requester that left.

    None: no limit but that of the connection.
    """
    if limit_s is None:
        yield
        return
    requester = REQUESTER.get()
    driver: Any = db.connection.driver_connection
    if db.dialect.name != SQLITE:
        db.exec_driver_sql(f"SET LOCAL statement_timeout = {round(limit_s * 1000)}")
        try:
            with requester.reading(driver.cancel):
                yield
        finally:
            if requester.is_gone:  # the server may end its next statement instead
                db.invalidate()
        return
    end_s = time.monotonic() + limit_s
    driver.set_progress_handler(lambda: time.monotonic() > end_s, _LOOK_STEPS)
    try:
        with requester.reading(driver.interrupt):
            yield
    finally:
        driver.set_progress_handler(None, 0)


def _unreadable() -> StoreError:
    return StoreError(
        "the URL of the database cannot be read",
        "its host or port is misspelled, or its password has a character that is special in URLs",
        "write it as postgresql://USER@HOST:PORT/NAME, and @ : / in a password as %40 %3A %2F",
    )


def _unknown(text: str) -> StoreError:
    return StoreError(
        f"no such kind of database: {text}",
        "a file, sqlite:///FILE and postgresql://USER@HOST/NAME are known",
        "name one of these",
    )


def _sqlite(url: URL, *, reads: bool) -> Engine:
    engine = create_engine(url, connect_args={"timeout": BUSY_MS / 1000})

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: object) -> None:
        # Python must not begin transactions: `begin` below does.
        connection.isolation_level = None
        for setting in (*DURABLE, "foreign_keys=ON", "cache_size=-65536", "temp_store=MEMORY"):
            connection.execute(f"PRAGMA {setting}")
        # The journal mode is stored in the file: that of another program is left as it is.
        names = _names(connection)
        if not reads and (not names or {VERSION_TABLE, chain.name} <= names):
            connection.execute("PRAGMA journal_mode=WAL")

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        reads = options.get("reads")
        is_noting = CHAINED in connection.connection.info
        if not is_noting and not reads and not options.get("migrates"):
            _note_changes(connection)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine
