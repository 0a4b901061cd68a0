"""The two ball readers: at the exit, and at the tube where a ball rests.

Each reports how many readings it has made, so that none is counted twice and none is missed.
"""

from tablewire.compat import const
from tablewire.messages import UNKNOWN_U8

if -0:  # for mypy
    from collections.abc import Sequence


NOTHING = const(0)
NEW = const(1)  # one new reading
MISSED = const(2)  # more than one


class Readers:
    """lost: bits of those that are silent, 1 the one at the exit, 2 the one at the tube."""

    def __init__(self) -> None:
        self.lost = 0
        self._readings = [-1, -1]  # reported last, -1: none yet

    def is_heard(self) -> bool:
        """Whether both are alive."""
        return min(self._readings) >= 0

    def hear(self, values: "Sequence[int]") -> int:
        """Take a report: reader, readings, number, set. Returns NOTHING, NEW or MISSED."""
        place = values[0] - 1
        before = self._readings[place]
        if values[2] == UNKNOWN_U8:
            self.lost |= values[0]
            self._readings[place] = -1
            return NOTHING
        self.lost &= ~values[0]
        self._readings[place] = values[1]
        steps = (values[1] - before) & 255
        if before < 0 or not steps:
            return NOTHING  # readings made before it was watched prove nothing
        return NEW if steps == 1 else MISSED
