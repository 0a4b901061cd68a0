"""Who waits for what is read: when they leave, the statements that read for them end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

AGAIN_S = 0.1
"""Between two interruptions: one that comes between two statements ends neither."""


class Requester:
    """A client that waits for an answer, until it leaves. Of any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._interrupts: set[Callable[[], object]] = set()
        self.is_gone = False

    def leave(self) -> None:
        """Interrupt what is read for them; returns when nothing is."""
        with self._changed:
            self.is_gone = True
            while self._interrupts:
                for interrupt in self._interrupts:
                    interrupt()
                self._changed.wait(AGAIN_S)

    @contextmanager
    def reading(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Read; `interrupt` ends the statement that runs, from another thread."""
        with self._changed:
            self._interrupts.add(interrupt)
        try:
            yield
        finally:
            with self._changed:
                self._interrupts.discard(interrupt)
                self._changed.notify()


NOBODY = Requester()
"""Of what this program reads for itself."""
REQUESTER: ContextVar[Requester] = ContextVar("requester", default=NOBODY)
"""Of the request that a thread works on."""
