"""A slow contact (tilt, dome, button): debounced level and how long it has stood."""

from tablewire.compat import const

from .ticks import diff

_CLOSE_MS = const(100)
_OPEN_MS = const(1000)


class Contact:
    """closed: the debounced level. A contact closes after 100 ms and opens after 1 s of rest.

    fitted: whether there is one.
    """

    def __init__(self, fitted: int = 1) -> None:
        self.fitted = fitted
        self.level = 0
        self.closed = False
        self.since_ms = 0

    def edge(self, level: int, now_ms: int) -> None:
        """The raw level changed."""
        if level != self.level:
            self.level = level
            self.since_ms = now_ms

    def tick(self, now_ms: int) -> bool:
        """Debounce; True when `closed` changed."""
        rest = diff(now_ms, self.since_ms)
        if self.level and not self.closed and rest >= _CLOSE_MS:
            self.closed = True
            return True
        if self.closed and not self.level and rest >= _OPEN_MS:
            self.closed = False
            return True
        return False
