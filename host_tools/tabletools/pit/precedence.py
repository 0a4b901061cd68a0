"""What a table sent goes before the bets that wait: no more bets is written next.

One transaction of bets that runs is ended first; no other begins while a record waits. It orders
the threads of one host and guards nothing: what may be booked is decided in the transaction.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_S = 1.0
"""Bets wait no longer for a record: a ledger that hangs answers them itself."""


class Precedence:
    """Records before bets, for threads that write to the same place."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._records = 0

    @contextmanager
    def record(self) -> Iterator[None]:
        """While something that a table sent is written."""
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
