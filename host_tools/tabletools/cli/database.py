"""Opening the database of a host for a command, and telling its errors as the tools do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tabletools.errors import ToolError

if TYPE_CHECKING:
    from tabletools.store import Connection, Store

# The database takes long to import, and few commands need it: so it is imported where it is used.


def shown(place: object) -> str:
    """Return the place of a database as it is shown: without the password in its URL."""
    text = re.sub(r"(://[^:/@]*):.*@", r"\1:***@", str(place))
    return re.sub(r"(?<=[?&]password=)[^&]*", "***", text)


@contextmanager
def explained(place: object) -> Iterator[None]:
    """Tell an error of the database, or a refusal, as the tools do. place: where it is."""
    from tabletools.store import LedgerRejection, StoreError

    try:
        yield
    except StoreError as error:
        raise told(error, place) from error
    except LedgerRejection as refused:
        raise ToolError(refused.what, where=refused.code, step=refused.step) from refused


def told(error: Exception, place: object) -> ToolError:
    """What is wrong with a database, as the tools say it. error: a StoreError."""
    from tabletools.store import StoreError

    assert isinstance(error, StoreError)
    return ToolError(error.what, where=shown(place), cause=error.cause, step=error.step)


@contextmanager
def writing(place: object) -> Iterator["Store"]:
    """Open a database to write, made if it is not there. Raises ToolError."""
    from tabletools.store import Store

    with explained(place):
        store = Store.open(str(place))
        try:
            yield store
        finally:
            store.close()


@contextmanager
def existing(place: object) -> Iterator["Store"]:
    """Open a database that is there; none is made. Raises ToolError."""
    from tabletools.store import Store

    with explained(place):
        store = Store.open_existing(str(place))
        try:
            yield store
        finally:
            store.close()


@contextmanager
def reading(place: object) -> Iterator["Connection"]:
    """Open a database that is there, and see one state of it. Raises ToolError."""
    with existing(place) as store, store.read() as db:
        yield db
