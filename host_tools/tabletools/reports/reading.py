"""Reading the ledger and its read model together, as a page that looks back does."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from tabletools.reports import model
from tabletools.reports.follower import FEEDS
from tabletools.store import Store, StoreError

_WAIT_S = 1.5
"""Longest wait for the follower: it looks for something new every 0.2 s."""
_LOOK_S = 0.02


class LookBack(NamedTuple):
    """One look back. behind: rows of the ledger that the read model does not have yet."""

    ledger: Connection
    model: Connection
    behind: int


class Reader:
    """Reads a ledger and its read model, which a follower maintains elsewhere. `close` it."""

    def __init__(self, ledger: Store) -> None:
        self._ledger = ledger
        self._model = model.Model.open(ledger)

    def close(self) -> None:
        """Close its connections to the read model."""
        self._model.close()

    @contextmanager
    def look_back(self) -> Iterator[LookBack]:
        """Read both, once the model has all that the ledger has now, or after 1.5 s without it.

        What it reads in either of them ends as in `Store.read`. Raises StoreError.
        """
        with self._ledger.read() as db:
            newest = {
                feed.name: int(db.execute(select(func.max(feed.number))).scalar_one() or 0)
                for feed, _ in FEEDS
            }
        limit = time.monotonic() + _WAIT_S
        while (behind := self._behind(newest)) and time.monotonic() < limit:
            time.sleep(_LOOK_S)
        limit_s = self._ledger.read_limit_s
        with self._ledger.read() as ledger, self._model.read(limit_s) as db:
            if not self._model.exists(db):
                raise StoreError(
                    "there is no read model yet",
                    "the process that makes it has not begun, or died",
                    "try again in a few seconds; if it stays, look at the log of the host",
                )
            yield LookBack(ledger, db, behind)

    @contextmanager
    def present_model(self) -> Iterator[Connection | None]:
        """Read the model as far as it was built, without a wait; None where there is none yet.

        Raises StoreError.
        """
        with self._model.read(self._ledger.read_limit_s) as db:
            yield db if self._model.exists(db) else None

    def _behind(self, newest: dict[str, int]) -> int:
        with self._model.read() as db:
            if not self._model.exists(db):
                return 1 + sum(newest.values())
            return sum(
                max(number - model.position(db, feed), 0) for feed, number in newest.items()
            )
