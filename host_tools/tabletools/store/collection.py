"""Pauses cyclic garbage collection where it would delay money.

While a round of very many bets is settled, it would scan tens of thousands of new rows again and
again, a third of the settling time; rows are not part of cycles and are freed without it. In a
running host it would stop every bet to scan the whole program.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_paused = 0


@contextmanager
def paused() -> Iterator[None]:
    """Pause collection in this process until all callers that paused it have ended."""
    global _paused
    with _lock:
        _paused += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _paused -= 1
            if not _paused:
                gc.enable()


def freeze() -> None:
    """Exclude all present objects from collection until `unfreeze`."""
    gc.freeze()


def unfreeze() -> None:
    """Include all objects in collection again."""
    gc.unfreeze()
