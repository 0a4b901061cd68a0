"""How much may be written to a table now. Time is handed in.

A board takes 128 bytes in 80 ms, 1,600 a second, out of a buffer of 2,047 bytes, and loses what
is more (firmware, uart_link). Its supervisor lets that be late by a second at most: a burst, the
frame begun last and 1,500 bytes of that second fit.
"""

BYTES_PER_S = 1_500
BURST_BYTES = 400


class Pace:
    """Reckons what the board has still to read."""

    def __init__(self) -> None:
        self._unread = 0.0
        self._at: float | None = None

    def room(self, now: float) -> int:
        """Bytes after which no frame may be begun; 0 or less: none."""
        if self._at is not None:
            self._unread = max(0.0, self._unread - BYTES_PER_S * (now - self._at))
        self._at = now
        return int(BURST_BYTES - self._unread)

    def wrote(self, count: int) -> None:
        """So many bytes went out."""
        self._unread += count
