"""The log of a run: what the program does, on standard error (-v) and in a file (--log-file)."""

import logging
import platform
import re
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from typing import NamedTuple, TextIO

from tabletools import private_file
from tabletools.errors import ToolError, cannot_write
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
            handler = _LogFile(_open(stack, options.file), options.file)
            stack.enter_context(_handling(handler, logging.DEBUG))
        if options.is_verbose:
            stack.enter_context(_handling(logging.StreamHandler(sys.stderr), logging.INFO))
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


def _open(stack: ExitStack, file: str) -> TextIO:
    try:
        log = open(file, "a", encoding="utf-8", opener=private_file.opener)  # noqa: SIM115
    except OSError as error:
        raise _unwritable(error, file) from error
    stack.callback(_close, log)
    return log


def _unwritable(error: OSError, file: str) -> ToolError:
    return cannot_write("the log", error, file, "name another file with --log-file")


def _close(log: TextIO) -> None:
    with suppress(OSError):  # what a full disk has no room for was reported with its line
        log.close()


class _LogFile(logging.StreamHandler[TextIO]):
    """The file of a log. A disk that is full costs lines of it, not the command: once reported."""

    def __init__(self, log: TextIO, name: str) -> None:
        super().__init__(log)
        self._name = name
        self._is_reported = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._is_reported:
            self._is_reported = True
            for line in _unwritable(error, self._name).lines("warning"):
                print(line, file=sys.stderr)


class _Form(logging.Formatter):
    """UTC, no password of a URL, and no text that steers a terminal."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        return f"{stamp}.{int(record.msecs):03d}Z"

    def format(self, record: logging.LogRecord) -> str:
        return printable(_PASSWORD.sub(r"\1***@", super().format(record)))


@contextmanager
def _handling(handler: logging.Handler, level: int) -> Iterator[None]:
    """Write the log of this program from a level on, and warnings of its libraries."""
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
