"""Standard streams that report their errors (closed, or on a device that is full), and on which
no text steers the terminal.
"""

import io
import os
import sys
from typing import Any, BinaryIO, TextIO, cast

from tabletools.cli.line_wrap import wrapped
from tabletools.errors import ToolError
from tabletools.terminal_text import printable

_WIDTH = 80  # of a terminal that does not say


class OutputError(Exception):
    """The output cannot be written.

    Not an OSError, so that it is not taken for one of the input.
    """


class _Output(io.FileIO):
    """Standard output; a reader that has gone is BrokenPipeError as usual."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError((error.strerror or str(error)).lower()) from error


class _Text(io.TextIOWrapper):
    """Text of commands: whatever they print, only `drawing` steers the terminal.

    On a terminal, lines are broken at words; elsewhere they stay whole for what reads them.
    """

    def __init__(self, buffer: BinaryIO, encoding: str, *, by_line: bool) -> None:
        # An old terminal shows ? for a character it lacks; that is no reason to stop.
        super().__init__(buffer, encoding=encoding, errors="replace", line_buffering=by_line)
        self.rich_proxied_file = _Drawing(self)
        """Where rich writes what it draws, by the name it looks for."""

        self._is_terminal = by_line and self.isatty()
        self._line = ""

    def write(self, text: str, /) -> int:
        if not self._is_terminal:
            super().write(printable(text))
            return len(text)
        *lines, self._line = (self._line + printable(text)).split("\n")
        for line in lines:
            super().write(wrapped(line, self._width()) + "\n")
        return len(text)

    def flush(self) -> None:
        self.end_line()
        super().flush()

    def end_line(self) -> None:
        """Write what has no line end yet, such as a question, as it is."""
        if self._line:
            line, self._line = self._line, ""
            super().write(line)

    def _width(self) -> int:
        try:
            columns = int(os.environ.get("COLUMNS", "0"))
        except ValueError:
            columns = 0
        return columns if columns > 0 else os.get_terminal_size(self.fileno()).columns or _WIDTH


class _Drawing:
    """The same stream for pictures, which steer the terminal."""

    def __init__(self, text: _Text) -> None:
        self._text = text

    def write(self, text: str, /) -> int:
        self._text.end_line()
        return io.TextIOWrapper.write(self._text, text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._text, name)


def drawing(stream: TextIO) -> TextIO:
    """Return the stream on which a picture or a line is drawn again in place."""
    return cast(TextIO, getattr(stream, "rich_proxied_file", stream))


def _nothing(mode: str) -> TextIO:
    return cast(TextIO, open(os.devnull, mode, encoding="utf-8"))


def is_drawable() -> bool:
    """Whether standard output is a terminal on which a picture can be redrawn in place."""
    return sys.stdout.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


def set_up() -> None:
    """Prepare the three streams. Raises ToolError when standard output is closed."""
    if sys.stdin is None:
        sys.stdin = _nothing("r")
    if sys.stderr is None:
        sys.stderr = _nothing("w")
    if sys.stdout is None:
        sys.stdout = _nothing("w")
        raise ToolError("standard output is closed", step="redirect it, if only to /dev/null")
    before = sys.stdout
    raw = _Output(before.fileno(), "w", closefd=False)
    buffer = cast(BinaryIO, io.BufferedWriter(cast(io.RawIOBase, raw)))
    sys.stdout = _Text(buffer, before.encoding, by_line=raw.isatty())
    if isinstance(sys.stderr, io.TextIOWrapper):
        encoding = sys.stderr.encoding
        sys.stderr = _Text(sys.stderr.detach(), encoding, by_line=True)
