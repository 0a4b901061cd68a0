"""The last frames of a link, to be shown with an error."""

from collections import deque
from typing import NamedTuple

DEPTH = 20


class Logged(NamedTuple):
    """One frame as it was on the line."""

    at_s: float  # clock of the link
    direction: str
    data: bytes
    name: str  # of the message, or why it was refused

    def __str__(self) -> str:
        return f"{self.at_s:12.3f} {self.direction} {self.data.hex()}  {self.name}"


class FrameLog:
    """A ring of the last frames, both directions."""

    def __init__(self, depth: int = DEPTH) -> None:
        self._frames: deque[Logged] = deque(maxlen=depth)

    def add(self, at_s: float, direction: str, data: bytes, name: str) -> None:
        """Add one frame."""
        self._frames.append(Logged(at_s, direction, data, name))

    def last(self) -> tuple[Logged, ...]:
        """The logged frames, oldest first."""
        return tuple(self._frames)
