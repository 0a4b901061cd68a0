"""Writes records of a table before waiting bets, so that no-more-bets is written next.

A running transaction of bets completes first; no other begins while a record waits. It orders the
threads of one host and guards nothing: the transaction decides what may be booked.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_S = 1.0
"""Longest wait of bets for a record: a ledger that hangs then fails them itself."""


class Precedence:
    """Gives records precedence over bets, for threads that write to the same database."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._records = 0

    @contextmanager
    def record(self) -> Iterator[None]:
        """Held while a record of a table is written."""
        with self._changed:
            self._records += 1
        try:
            yield
        finally:
            with self._changed:
                self._records -= 1
                self._changed.notify_all()

    def give_way(self) -> None:
        """Wait until no record waits; called before bets are written."""
        with self._changed:
            self._changed.wait_for(lambda: not self._records, PATIENCE_S)
