"""Opens the database of a host for a command, and reports its errors as tool errors."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tabletools.errors import ToolError

if TYPE_CHECKING:
    from tabletools.store import Connection, Store

# The database takes long to import, and few commands need it: so it is imported on use.


def place_text(place: object) -> str:
    """Return the place of a database for display: without the password in its URL."""
    text = re.sub(r"(://[^:/@]*):.*@", r"\1:***@", str(place))
    return re.sub(r"(?<=[?&]password=)[^&]*", "***", text)


@contextmanager
def explaining(place: object) -> Iterator[None]:
    """Convert an error of the database, or a rejection, to a ToolError. place: where it is."""
    from tabletools.store import LedgerRejection, StoreError

    try:
        yield
    except StoreError as error:
        raise tool_error(error, place) from error
    except LedgerRejection as refused:
        raise ToolError(refused.what, where=refused.code, step=refused.step) from refused


def tool_error(error: Exception, place: object) -> ToolError:
    """Return the error of a database as a ToolError. error: a StoreError."""
    from tabletools.store import StoreError

    assert isinstance(error, StoreError)
    return ToolError(
        error.what, where=error.where or place_text(place), cause=error.cause, step=error.step
    )


@contextmanager
def writing(place: object) -> "Iterator[Store]":
    """Open a database to write, created if missing. Raises ToolError."""
    from tabletools.store import Store

    with explaining(place):
        store = Store.open(str(place))
        try:
            yield store
        finally:
            store.close()


@contextmanager
def existing(place: object, *, reads: bool = False) -> "Iterator[Store]":
    """Open an existing database. reads: only to read it. Raises ToolError."""
    from tabletools.store import Store

    with explaining(place):
        store = Store.open_existing(str(place), reads=reads)
        try:
            yield store
        finally:
            store.close()


@contextmanager
def reading(place: object) -> "Iterator[Connection]":
    """Open an existing database and read one state of it; no file changes. Raises ToolError."""
    with existing(place, reads=True) as store, store.read() as db:
        yield db
