"""What is measured beside its peer, in turn: a slow or busy machine slows both."""

import time
from collections.abc import Callable
from typing import NamedTuple

TURNS = 5


class Pair(NamedTuple):
    """Seconds of processor time, the least of all turns."""

    own_s: float
    peer_s: float

    @property
    def times(self) -> float:
        """How many times as long as the peer."""
        return self.own_s / self.peer_s


def cpu_s(action: Callable[[], object]) -> float:
    """Return the processor time of an action in this process."""
    begun = time.process_time()
    action()
    return time.process_time() - begun


def compared(own: Callable[[], object], peer: Callable[[], object], turns: int = TURNS) -> Pair:
    """Carry out both in turn, so many times."""
    took = [(cpu_s(own), cpu_s(peer)) for _ in range(turns)]
    return Pair(*map(min, zip(*took, strict=True)))
