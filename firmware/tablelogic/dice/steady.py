"""Believes a throw only when two pictures in a row, both at rest, read the same."""

from .reader import Reader
from .reasons import NOT_AT_REST, READ


class Steady:
    """Feeds pictures to a reader until two agree. reader: the Reader of the tray's camera."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._last: list = []

    def forget(self) -> None:
        """A new throw begins: what was seen before counts no more."""
        self._last = []

    def look(self, frame: bytes, expected: int) -> tuple:
        """Return (reason, values): READ once this picture and the one before it agree.

        frame, expected: as Reader.read() takes them. NOT_AT_REST: read, but not twice alike.
        """
        reason, values = self._reader.read(frame, expected)
        before = self._last
        self._last = values if reason == READ else []
        if reason == READ and before != values:
            return NOT_AT_REST, values
        return reason, values
