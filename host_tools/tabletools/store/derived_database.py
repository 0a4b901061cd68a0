"""A database that is derived from others, and can be made from them again: no ledger."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine

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
    def read(self) -> Iterator[Connection]:
        """A transaction that changes nothing. Raises StoreError."""
        with explain_errors(), self._engine.connect().execution_options(reads=True) as db:
            yield db
            db.commit()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction. Raises StoreError."""
        with explain_errors(), self._engine.begin() as db:
            yield db
