"""What is at the other end of a line, judged by the bytes received before anything is written.

A table sends a frame at least twice a second unasked. A prompt sends nothing, and the first bytes
of a frame would stop a program running there; so nothing is written before a frame came.
"""

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from tabletools.capture import without_zeros
from tabletools.capture.line_faults import LONGEST
from tablewire.codec import Frame
from tablewire.framing import Receiver

# Longer than the interval of two heartbeats.
LISTEN_S = 1.2
PROMPT = b">>> "
_PAUSE_S = 0.02
_TAIL_BYTES = 64
_WORDS_CHARACTERS = 40  # of text, in a diagnosis
_TEXT = frozenset(b"\t\r\n\x1b") | frozenset(range(0x20, 0x7F))


STRANGE = (
    "another device, a noisy line, or other settings than 115200 baud, 8 data bits, no parity and"
    " no flow control or translation of bytes"
)
"""The likely cause of bytes that are no frames."""


class Source(Protocol):
    """A source of bytes."""

    def read(self, size: int, /) -> bytes: ...


class Diagnosis(NamedTuple):
    """What came instead of frames, in words for the user."""

    what: str
    cause: str  # the likely one
    step: str = ""  # where the cause is certain


class FarEnd:
    """What is at the other end, by the bytes received so far."""

    def __init__(self) -> None:
        # A frame with a valid check came, whether or not it is trusted.
        self.is_table = False
        # Bytes up to then.
        self.count = 0
        self._tail = b""
        self._recent = b""
        self._receiver = Receiver()

    def take(self, data: bytes) -> None:
        """Take received bytes."""
        if self.is_table:
            return
        self.count += len(data)
        self._tail = (self._tail + data)[-_TAIL_BYTES:]
        self._recent = (self._recent + data)[-LONGEST:]
        self.is_table = any(
            isinstance(item, Frame) or item.frame is not None for item in self._receiver.feed(data)
        )

    @property
    def is_text(self) -> bool:
        """Whether the last bytes are text and not a frame."""
        return bool(self._tail) and not self.is_table and _TEXT.issuperset(self._tail)

    @property
    def is_prompt(self) -> bool:
        """Whether the prompt of MicroPython came last."""
        return self._tail.endswith(PROMPT)

    def diagnosis(self) -> Diagnosis | None:
        """Why there is no table, None when nothing came or a table is there."""
        if self.is_table or not self.count:
            return None
        if self.is_text:
            words = self._tail.decode("ascii").split()
            return Diagnosis(
                f"text comes, no frames: {' '.join(words)[-_WORDS_CHARACTERS:]!r}",
                "a prompt, a terminal or another program: this is not the link of a table",
            )
        what = f"{self.count} bytes came, no frames: ..{self._tail[-8:].hex(' ')}"
        if (cause := without_zeros(self._recent)) is not None:
            return Diagnosis(what, *cause)
        return Diagnosis(what, STRANGE)


def probe(
    line: Source, seconds: float = LISTEN_S, until: Callable[[FarEnd], bool] | None = None
) -> FarEnd:
    """Read an open port, whose reads do not wait, until there is a table or `until` holds."""
    far_end = FarEnd()
    end = time.monotonic() + seconds
    while not far_end.is_table and time.monotonic() < end:
        far_end.take(line.read(4096))
        if until is not None and until(far_end):
            break
        time.sleep(_PAUSE_S)
    return far_end
