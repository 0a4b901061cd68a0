"""Errors of the ledger: a rejected request, a host that lost its table, a database that fails."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout


class StoreError(Exception):
    """The database cannot be used. what, cause, step: as shown to the user.

    where: the file that is meant, empty for the database in use.
    """

    def __init__(self, what: str, cause: str, step: str, where: str = "") -> None:
        super().__init__(what)
        self.where = where
        self.what = what
        self.cause = cause
        self.step = step

    @property
    def is_away(self) -> bool:
        """Whether the database may answer later: nothing is wrong with it, as far as is known."""
        return self.what.startswith(_GONE[0])


class LedgerRejection(Exception):
    """A request that was not carried out; nothing was changed.

    code: a word that never changes. what: what is wrong, with value and limit. step: what to do
    next. where: field of the request, empty for the whole request.
    """

    def __init__(self, code: str, what: str, step: str, where: str = "") -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.step = step
        self.where = where


class LostLease(LedgerRejection):
    """Another host owns the table now: this one must stop writing for it."""

    def __init__(self, table: int, what: str) -> None:
        step = "stop this host, or claim the table again once the other host has released it"
        super().__init__("lease_lost", f"table {table}: {what}", step)


READ_ONLY_STEP = "copy it to a folder you own, and name the copy"
_FULL = (
    "the database is full",
    "no space is left on its disk",
    "free space on the disk: tables repeat what is missing, terminals may try again",
)
_GONE = (
    "the database cannot be reached",
    "the database was stopped, or the network to it fails",
    "start the database: tables repeat what is missing, terminals may try again",
)
TARGET_FAILS = frozenset({_FULL[0], "the database is read-only"})
"""What goes wrong with a database that is written only."""
_BUSY = (
    "the database is locked",
    "another program is writing to it",
    "end the other program, or use PostgreSQL for several hosts",
)
_SLOW = (
    "the database does not answer in time",
    "another host holds a lock and hangs, or the database is overloaded",
    "find the host that hangs: tables repeat what is missing, terminals may try again",
)
_LONG = (
    "the answer takes longer than a page may",
    "it goes through too much of the ledger",
    "ask for less: one table, fewer rows, a shorter time",
)
_SQLITE = {
    sqlite3.SQLITE_INTERRUPT: _LONG,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _FULL,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_READONLY: (
        "the database is read-only",
        "no right to write the file or its folder",
        READ_ONLY_STEP,
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "the database cannot be opened",
        "the folder does not exist, the name is that of a folder, or you have no right to it",
        "check the name and the rights",
    ),
    sqlite3.SQLITE_NOTADB: (
        "this is not a database of tabletool",
        "the file is not an SQLite database",
        "name another file; this one is unchanged",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "the database is damaged",
        "the disk failed, or another program wrote to the file",
        "keep the file for the auditor and restore the last backup",
    ),
}
# Classes and codes of SQLSTATE that mean: the server, its disk or the connection failed.
_POSTGRESQL = {
    "53100": _FULL,
    "57P": _GONE,
    "08": _GONE,
    "53": _GONE,
    "58": _FULL,
    "57014": _SLOW,
    "25P03": _SLOW,
}
# Two writers conflicted: the same transaction can be repeated.
_AGAIN = ("40001", "40P01")


def explanation_of(error: BaseException) -> StoreError | None:
    """Return an error of a database as a StoreError; None for a defect of this program."""
    if not isinstance(error, (SQLAlchemyError, sqlite3.Error)) and not _is_driver(error):
        return None
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(error, PoolTimeout):
        return StoreError(f"{_GONE[0]}: every connection is busy", *_GONE[1:])
    explanation = _SQLITE.get((getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF)
    if explanation is None:
        state = getattr(cause, "sqlstate", None)
        if state is not None:
            explanation = next((v for k, v in _POSTGRESQL.items() if state.startswith(k)), None)
        elif _is_driver(cause) and _is_lost(error, cause):
            explanation = _GONE
    if explanation is None:
        return None
    what, why, step = explanation
    first = (str(cause).strip().splitlines() or [""])[0]
    return StoreError(f"{what}: {first}", why, step)


def _is_lost(error: BaseException, cause: BaseException | None) -> bool:
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return type(cause).__name__ in ("OperationalError", "InterfaceError", "ConnectionTimeout")


def is_passing(error: BaseException) -> bool:
    """Whether the same transaction may succeed when it is repeated at once."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return getattr(cause, "sqlstate", None) in _AGAIN


def _is_driver(error: BaseException | None) -> bool:
    """Whether the PostgreSQL driver raised it, past SQLAlchemy; importing the driver is slow."""
    return type(error).__module__.startswith("psycopg")


@contextmanager
def explain_errors() -> Iterator[None]:
    """Convert errors of the database into StoreError; defects pass unchanged."""
    try:
        yield
    except Exception as error:
        explanation = explanation_of(error)
        if explanation is None:
            raise
        raise explanation from error
