"""Differences of wrapping clocks: 30 bits, microseconds or milliseconds.

The device's ticks wrap at 2^30; a larger integer would be allocated on a 32-bit board.
"""

from tablewire.compat import const, ticks_diff

diff = ticks_diff  # later, earlier: -2^29..2^29-1

MASK = const(0x3FFFFFFF)


def recent(now: int, then: int, longest: int) -> int:
    """`then`, or the moment `longest` before now when that is later: it never wraps."""
    return then if 0 <= diff(now, then) <= longest else (now - longest) & MASK


class MillisClock:
    """Milliseconds of the 30-bit microsecond clock.

    now_ms: valid as long as `advance` is called at least every eight minutes. step_ms: between the
    last two calls.
    """

    def __init__(self) -> None:
        self.now_ms = 0
        self.step_ms = 0
        self._last_us = -1  # of the call before, -1 before the first
        self._rest_us = 0

    def advance(self, t_us: int) -> int:
        """Let time pass to t_us; returns now_ms. The first call only sets the start."""
        last_us, now_ms = self._last_us, self.now_ms
        self._last_us = t_us
        if last_us < 0:
            return now_ms
        elapsed = diff(t_us, last_us) + self._rest_us
        self._rest_us = elapsed % 1000
        self.step_ms = elapsed // 1000
        self.now_ms = now_ms = (now_ms + self.step_ms) & MASK
        return now_ms
