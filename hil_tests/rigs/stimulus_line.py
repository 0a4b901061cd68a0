"""The host's end of the stimulus: edges sent, counted, played (words: stimulus/lines.py)."""

from binascii import crc32
from collections.abc import Sequence
from typing import Protocol

# Sent before the count is asked: well within the buffer of the other end.
_BATCH = 32
ANSWER_S = 2.0
# Answers to an earlier host that may still come.
_LEFT_LINES = 4
# (time in us from the start, channel, level)
Edge = tuple[int, int, int]


class StimulusError(RuntimeError):
    """The stimulus did not obey a command; the text says what came instead."""


class Line(Protocol):
    """A serial port, or a board of the rig wasm in its own time."""

    def write(self, data: bytes, /) -> int | None: ...

    def read_line(self, within_s: float, /) -> bytes:
        """The next line with its newline, what there is of it when the time is over."""


def wrapped(text: str) -> bytes:
    """A line of these words with its sum."""
    return f"{text}*{crc32(text.encode()):08x}\n".encode()


class Stimulus:
    """A second board that plays edges. channels, depth: as it says, steps it holds at once."""

    def __init__(self, line: Line) -> None:
        self._line = line
        words = self._hello()
        if len(words) != 6 or words[:2] != ["stimulus", "1"]:
            raise StimulusError(f"no stimulus of version 1 there: it says {' '.join(words)!r}")
        self.channels, self.depth = int(words[3]), int(words[5])

    def _hello(self) -> list[str]:
        """Its first words, after what an earlier host has left on the line."""
        self._line.write(b"\n" + wrapped("hello"))
        words: list[str] = []
        for _ in range(_LEFT_LINES):
            words = self._answer(ANSWER_S)
            if words[:1] == ["stimulus"]:
                break
        return words

    def load(self, idle: int, edges: Sequence[Edge]) -> None:
        """Send a schedule, in the order of time; the channels stand at the bits of idle."""
        self._expect(0, self._ask(f"clear {idle}"))
        for first in range(0, len(edges), _BATCH):
            batch = edges[first : first + _BATCH]
            self._line.write(b"".join(wrapped(f"edge {t} {c} {v}") for t, c, v in batch))
            self._expect(first + len(batch), self._ask("count"))

    def start(self) -> None:
        """Play from now on."""
        if self._ask("play") != ["playing"]:
            raise StimulusError("it does not play")

    def finish(self, within_s: float) -> tuple[int, int]:
        """Wait for the end: edges played, and by how many microseconds one was late at most."""
        words = self._answer(within_s)
        if len(words) != 4 or words[0] != "played":
            raise StimulusError(f"it did not play to the end: {' '.join(words)!r}")
        return int(words[1]), int(words[3])

    def _ask(self, text: str) -> list[str]:
        self._line.write(wrapped(text))
        return self._answer(ANSWER_S)

    def _answer(self, within_s: float) -> list[str]:
        text = self._line.read_line(within_s).decode(errors="replace")
        words, _, _ = text.rpartition("*")
        if not text or wrapped(words) != text.encode():
            raise StimulusError(f"no answer, or a damaged one: {text!r}")
        return words.split()

    def _expect(self, count: int, words: list[str]) -> None:
        if words != ["ok", str(count)]:
            raise StimulusError(f"{count} edges were sent; it says {' '.join(words)!r}")
