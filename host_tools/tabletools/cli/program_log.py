"""The log of a run: what the program does, on standard error (-v) and in a file (--log-file)."""

import logging
import platform
import re
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from typing import NamedTuple, TextIO

from tabletools import private_file
from tabletools.errors import ToolError
from tabletools.terminal_text import printable

LOG = logging.getLogger("tabletools")
_FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_PASSWORD = re.compile(r"(://[^:/@\s]+:)[^@\s]+@")


class RunOptions(NamedTuple):
    """The options that every command has. file: of the log, "" for none."""

    is_debug: bool = False
    is_verbose: bool = False
    file: str = ""


def run_options(arguments: Sequence[str]) -> tuple[RunOptions, list[str]]:
    """Return the options of a command line, at whatever place, and the words besides.

    Raises ToolError for a log file without a name.
    """
    flags, file, words = set(), "", []
    rest = iter(arguments)
    for word in rest:
        name, has_value, value = word.partition("=")
        if word in ("--debug", "-v", "--verbose"):
            flags.add(word.lstrip("-")[0])
        elif name == "--log-file":
            file = value if has_value else next(rest, "")
            if not file:
                raise ToolError("--log-file needs a value", step="name a file")
        else:
            words.append(word)
            if word == "--":
                words += rest
    return RunOptions("d" in flags, "v" in flags, file), words


@contextmanager
def logging_to(options: RunOptions, arguments: Sequence[str]) -> Iterator[None]:
    """Log as the options say while a command runs. Raises ToolError for a file that fails."""
    with ExitStack() as stack:
        if options.file:
            stack.enter_context(_handling(_opened(stack, options.file), logging.DEBUG))
        if options.is_verbose:
            stack.enter_context(_handling(sys.stderr, logging.INFO))
        begin = time.monotonic()
        line = shlex.join(["tabletool", *arguments])
        if LOG.isEnabledFor(logging.INFO):  # --help does not wait for the rest
            LOG.info("%s, version %s, Python %s", line, version("tablewire"), _python())
        try:
            yield
        finally:
            LOG.info("ended after %.2f s", time.monotonic() - begin)


def _python() -> str:
    return f"{platform.python_version()} on {platform.platform()}"


def _opened(stack: ExitStack, file: str) -> TextIO:
    try:
        return stack.enter_context(open(file, "a", encoding="utf-8", opener=private_file.opener))
    except OSError as error:
        what = f"cannot write the log: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=file, step="name another file with --log-file") from error


class _Form(logging.Formatter):
    """UTC, no password of a URL, and no text that steers a terminal."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        return f"{stamp}.{int(record.msecs):03d}Z"

    def format(self, record: logging.LogRecord) -> str:
        return printable(_PASSWORD.sub(r"\1***@", super().format(record)))


@contextmanager
def _handling(stream: TextIO, level: int) -> Iterator[None]:
    """Write the log of this program from a level on, and warnings of its libraries."""
    handler = logging.StreamHandler(stream)
    handler.setLevel(level)
    handler.setFormatter(_Form(_FORM))
    root, before = logging.getLogger(), LOG.level
    root.addHandler(handler)
    LOG.setLevel(min(level, before or level))
    try:
        yield
    finally:
        root.removeHandler(handler)
        LOG.setLevel(before)
