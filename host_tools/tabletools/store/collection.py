"""Where cyclic garbage collection would hold up money: what it need not look through.

While a round of very many bets is settled it would go through tens of thousands of rows again and
again as they are made, a third of the time of settling them; rows are not part of cycles and are
freed without it. In a host that runs it would stop every bet to look through the whole program.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_paused = 0


@contextmanager
def paused() -> Iterator[None]:
    """Pause it in this process until all that paused it have ended."""
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
    """Leave out what there is by now, the program and its tables, until `unfreeze`."""
    gc.freeze()


def unfreeze() -> None:
    """Look through everything again."""
    gc.unfreeze()
