"""One light beam that balls interrupt: its level, once that has lasted 2 ms.

Times: microseconds on the 30-bit clock.
"""

from tablewire.compat import const

from ..core.ticks import diff

_LASTS_US = const(2000)
_NEVER_US = const(0x1FFFFFFF)


class Beam:
    """covered: something is in it. stuck: for longer than stuck_us, until it is free again.

    last_us: how long the last object was in it. gap_us: how long it had been free before that.
    pending: the level has changed, and that did not last yet; raw_us: when it changed.
    settled: unchanged for longer than stuck_us, so time alone changes nothing any more.
    """

    def __init__(self, stuck_us: int) -> None:
        self.covered = False
        self.stuck = False
        self.last_us = 0
        self.gap_us = _NEVER_US
        self.raw_us = 0
        self._stuck_us = stuck_us
        self._raw = 0
        self.pending = False
        self.settled = True
        self._since_us = 0

    def edge(self, level: int, t_us: int) -> None:
        """The comparator switched; due changes have been applied before."""
        if level == self._raw:
            return
        self._raw = level
        self.pending = level != self.covered
        if self.pending:
            self.raw_us = t_us

    def is_due(self, t_us: int) -> bool:
        """Whether a change of level has lasted by now, and was not applied yet."""
        return self.pending and diff(t_us, self.raw_us) >= _LASTS_US

    def change(self) -> None:
        """Apply that change."""
        self.pending = False
        self.covered = not self.covered
        span_us = diff(self.raw_us, self._since_us)
        if self.covered:
            self.gap_us = _NEVER_US if self.settled else span_us
        else:
            # An object in it for minutes is limited to the longest time of the clock.
            self.last_us = _NEVER_US if self.stuck else span_us
        self.settled = False
        self.stuck = False
        self._since_us = self.raw_us

    def tick(self, t_us: int) -> None:
        """Time passed while it is not settled: judge what is in it, or how long it is free."""
        if diff(t_us, self._since_us) > self._stuck_us:
            self.settled = True
            self.stuck = self.covered

    def rest_us(self, t_us: int) -> int:
        """For how long from now on time alone changes nothing; 0: it may at the next call."""
        if self.pending:
            return 0
        if self.settled:
            return _NEVER_US
        return max(self._stuck_us + 1 - diff(t_us, self._since_us), 0)
