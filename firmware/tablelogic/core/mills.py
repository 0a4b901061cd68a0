"""A 30-bit millisecond clock kept from the 30-bit microsecond clock."""

from .ticks import MASK, diff


class Mills:
    """now_ms: runs as long as `advance` is called at least every eight minutes."""

    def __init__(self) -> None:
        self.now_ms = 0
        self._last_us = -1  # of the call before, -1 before the first
        self._rest_us = 0

    def advance(self, t_us: int) -> int:
        """Let time pass to t_us; returns now_ms. The first call only sets the start."""
        if self._last_us >= 0:
            elapsed = diff(t_us, self._last_us) + self._rest_us
            self._rest_us = elapsed % 1000
            self.now_ms = (self.now_ms + elapsed // 1000) & MASK
        self._last_us = t_us
        return self.now_ms
