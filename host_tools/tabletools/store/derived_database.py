"""A database that is derived from others, and can be made from them again: no ledger."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine

from tabletools.store.engine import time_limit
from tabletools.store.errors import explain_errors


class DerivedDatabase:
    """Its transactions. `close` it. owned: whether the engine is closed with it."""

    def __init__(self, engine: Engine, *, owned: bool = True) -> None:
        self._engine = engine
        self._owned = owned

    def close(self) -> None:
        """Close its connections."""
        if self._owned:
            self._engine.dispose()

    @contextmanager
    def read(self, limit_s: float | None = None) -> Iterator[Connection]:
        """A transaction that changes nothing, see `time_limit`. Raises StoreError."""
        with explain_errors(), self._engine.connect().execution_options(reads=True) as db:
            with time_limit(db, limit_s):
                yield db
            db.commit()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction. Raises StoreError."""
        with explain_errors(), self._engine.begin() as db:
            yield db
