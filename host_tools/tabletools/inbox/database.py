"""Opening the file of an inbox: pragmas, identity, migrations, transactions.

Not responsible for what is in the tables.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection

from tabletools import private_file
from tabletools.inbox.errors import InboxError, explained
from tabletools.inbox.schema import APPLICATION_ID, MIGRATIONS, VERSION

__all__ = ["Connection", "connect", "errors_explained", "opened", "opened_to_read", "transaction"]

# How long to wait for another writer: a table must hear its acknowledgement, and silence must
# close the bets within 2 s, so no longer than this.
BUSY_MS = 500


def connect(place: str, *, busy_ms: int = BUSY_MS) -> Connection:
    """Open a SQLite URI without any transaction of Python's own."""
    return sqlite3.connect(place, uri=True, isolation_level=None, timeout=busy_ms / 1000)


@contextmanager
def errors_explained() -> Iterator[None]:
    """Turn what SQLite says about the file into InboxError; defects pass as they are."""
    try:
        yield
    except sqlite3.Error as error:
        found = explained(error)
        if found is None:
            raise
        raise found from error


def opened(file: Path, *, connector: Callable[[str], Connection] | None = None) -> Connection:
    """Open an inbox for writing, making or migrating it as needed. Raises InboxError.

    connector: opens its URI; None for the file itself.
    """
    if connector is None:
        private_file.create(file)
    with errors_explained():
        connection = (connector or connect)(file.resolve().as_uri())
        try:
            _verify_identity(connection)
            # FULL: a commit is on the disk before it returns, so a power cut loses no record that
            # was acknowledged. fullfsync matters on macOS alone.
            for setting in ("journal_mode=WAL", "synchronous=FULL", "fullfsync=ON"):
                connection.execute(f"PRAGMA {setting}")
            # A table that others point to can be made anew while the keys are not watched.
            _migrate(connection)
            connection.execute("PRAGMA foreign_keys=ON")
        except BaseException:
            connection.close()
            raise
    return connection


def opened_to_read(file: Path) -> Connection:
    """Open an existing inbox without the right to change it. Raises InboxError."""
    if not file.is_file():
        raise InboxError(
            "there is no such inbox",
            "the name is another, or nothing was collected yet",
            "`tabletool collect PORT --db FILE` makes one",
        )
    with errors_explained():
        connection = connect(f"{file.resolve().as_uri()}?mode=ro")
        try:
            _verify_identity(connection)
            if _version(connection) == 0:
                raise _foreign("the file is empty")
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """All or nothing; returns after the commit is on the disk. Raises InboxError."""
    with errors_explained():
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            # A full disk may have rolled back already.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _foreign(cause: str) -> InboxError:
    return InboxError(
        "this is not an inbox", cause, "name another file; this one was left as it is"
    )


def _verify_identity(connection: Connection) -> None:
    version = _version(connection)
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if mark != APPLICATION_ID and (mark or version or tables):
        raise _foreign("the database belongs to another program")
    if version > VERSION:
        raise InboxError(
            f"the inbox has schema {version}, this program knows {VERSION}",
            "a newer release of tabletool wrote it",
            "use that release or a newer one",
        )


def _migrate(connection: Connection) -> None:
    if _version(connection) == VERSION:
        return
    with transaction(connection):
        # Read again inside: another program may have been quicker.
        for step in MIGRATIONS[_version(connection) :]:
            for statement in _statements(step):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={VERSION}")


def _statements(script: str) -> Iterator[str]:
    """The statements one by one: executescript would commit what is open."""
    begun = ""
    for line in script.splitlines(keepends=True):
        begun += line
        if sqlite3.complete_statement(begun):
            yield begun
            begun = ""
