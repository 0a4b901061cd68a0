"""A limit of time around anything: no run of the chip can hang."""

import contextlib
import signal
from collections.abc import Iterator

# An exception that something on the way took for its own is raised again after this.
_AGAIN_S = 60.0


class TooLongError(Exception):
    """What was being done did not end in its time."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooLongError in what is done here once it took so long, by the wall clock."""

    def late(_signal: int, _frame: object) -> None:
        raise TooLongError(f"no end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
