"""The interpreter's prompt of a board, by mpremote: the only place that knows mpremote.

Nothing is reset on the way in: a controller at work is stopped by Control-C alone, for its
watchdog runs on and a soft reset would end what feeds it (firmware/main.py).
"""

import contextlib
import io
import struct
from collections.abc import Iterator

import serial
from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport

from tabletools.errors import INCOMPLETE, UNREACHABLE, UNSUITABLE, ToolError
from tabletools.flash.plan import MAIN, MAIN_NEW
from tabletools.flash.survey import BOARD, CODE, Survey, read
from tabletools.link.port import PortError, open_port

_READ_S = 2.0
_PROMPT_WITHIN_S = 5.0
# Bytes written by one line at the prompt: small enough for the memory beside a stopped program.
_PIECE_BYTES = 512
_LOST = (TransportError, serial.SerialException, OSError, struct.error)


def verify_port(port: str) -> None:
    """Raise ToolError, exit code 3, for a port that does not open: better told than mpremote."""
    try:
        open_port(port).close()
    except PortError as error:
        raise ToolError(
            error.what, where=port, cause=error.cause, step=error.step, exit_code=UNREACHABLE
        ) from error


@contextlib.contextmanager
def opened(port: str) -> Iterator["Prompt"]:
    """The raw REPL of the board at a port. Raises ToolError, exit code 3."""
    verify_port(port)
    try:
        transport = SerialTransport(port, timeout=_READ_S)
    except _LOST as error:
        raise _silent(port) from error
    try:
        _enter(transport, port)
        yield Prompt(transport, port)
    finally:
        with contextlib.suppress(*_LOST):
            transport.exit_raw_repl()
        with contextlib.suppress(*_LOST):
            transport.close()


def _enter(transport: SerialTransport, port: str) -> None:
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # mpremote prints what it got
            transport.enter_raw_repl(soft_reset=False, timeout_overall=_PROMPT_WITHIN_S)
    except _LOST as error:
        raise _silent(port) from error


def _silent(port: str) -> ToolError:
    return ToolError(
        "no MicroPython answers at its prompt",
        where=port,
        cause="a table in production has it closed, the board has no MicroPython, or this is"
        " the port of its link",
        step="a table: turn the maintenance key, or `tabletool maintenance LINK open`; a board:"
        " put MicroPython on it; which port is which: `tabletool port`",
        exit_code=UNREACHABLE,
    )


class Prompt:
    """What can be done at the prompt of a board. Every call raises ToolError, exit code 5, when
    the board is lost; told: the step that was begun, as the error names it."""

    def __init__(self, transport: SerialTransport, port: str) -> None:
        self.told = "reading the board"
        self._transport = transport
        self._port = port

    def board(self) -> Survey:
        """Which board it is, without its files."""
        return self._surveyed(BOARD)

    def survey(self) -> Survey:
        """What is on the board."""
        return self._surveyed(CODE)

    def _surveyed(self, code: str) -> Survey:
        with self._watched():
            try:
                return read(self._transport.exec(code).decode())
            except ValueError as error:
                raise TransportError(str(error)) from error

    def read(self, path: str) -> bytes | None:
        """A small file, None when there is none."""
        with self._watched():
            try:
                return bytes(self._transport.fs_readfile(path))
            except FileNotFoundError:
                return None

    def remove(self, path: str) -> None:
        """Remove a file."""
        with self._watched():
            self._transport.fs_rmfile(path)

    def make_folder(self, path: str) -> None:
        """Make a folder in one that is there."""
        with self._watched():
            self._transport.fs_mkdir(path)

    def write(self, path: str, data: bytes) -> None:
        """Write a file; main.py appears whole or not at all."""
        with self._watched():
            place = MAIN_NEW if path == MAIN else path
            self._transport.fs_writefile(place, data, chunk_size=_PIECE_BYTES)
            if path == MAIN:
                self._transport.exec(f"import os\nos.rename({MAIN_NEW!r}, {MAIN!r})")

    def restart(self) -> None:
        """Start the board anew; the prompt is gone then."""
        with self._watched():
            self._transport.exec_raw_no_follow("import machine\nmachine.reset()")

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                yield
        except TransportExecError as error:
            line = error.error_output.strip().splitlines()[-1]
            raise self._failed(f"the board refused: {line}", UNSUITABLE) from error
        except _LOST as error:
            raise self._failed("the board was lost", INCOMPLETE) from error

    def _failed(self, what: str, exit_code: int) -> ToolError:
        return ToolError(
            f"{what} while {self.told}",
            where=self._port,
            cause="the cable, the power, or a flash that is full or worn",
            step="give the same command again: it goes on where it was",
            exit_code=exit_code,
        )
