"""How much may be written to a table now. Time is injected.

A board reads 128 bytes in 80 ms, 1,600 a second, from a buffer of 2,047 bytes, and loses the
excess (firmware, uart_link). Its supervisor lets that be late by at most a second: a burst, the
frame begun last and 1,500 bytes of that second fit.
"""

BYTES_PER_S = 1_500
BURST_BYTES = 400


class Pace:
    """Computes what the board has still to read."""

    def __init__(self) -> None:
        self._unread = 0.0
        self._since: float | None = None

    def room(self, now: float) -> int:
        """Bytes after which no frame may be begun; 0 or less: none."""
        if self._since is not None:
            self._unread = max(0.0, self._unread - BYTES_PER_S * (now - self._since))
        self._since = now
        return int(BURST_BYTES - self._unread)

    def wrote(self, count: int) -> None:
        """Note how many bytes were written."""
        self._unread += count
