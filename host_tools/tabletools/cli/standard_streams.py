"""Standard streams that report their errors: closed, or on a device that is full."""

import io
import os
import sys
from typing import TextIO, cast

from tabletools.errors import ToolError


class OutputError(Exception):
    """The output cannot be written.

    Not an OSError, so that it is not taken for one of the input.
    """


class _Output(io.FileIO):
    """Standard output; a reader that has gone is BrokenPipeError as usual."""

    def write(self, data: "bytes | bytearray | memoryview", /) -> int:  # type: ignore[override]
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError((error.strerror or str(error)).lower()) from error


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
    # An old terminal shows ? for a character it lacks; that is no reason to stop.
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=before.encoding,
        errors="replace",
        line_buffering=raw.isatty(),
    )
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="replace")
