"""The interpreter's prompt of a board, by mpremote: the only module that knows mpremote.

Nothing is written before listening for a table: the port of its link is no prompt.
Nothing is reset first: a running controller is stopped by Control-C only, because its watchdog
keeps running and a soft reset would end the task that feeds it (firmware/main.py).
"""

import contextlib
import io
import struct
import time
from collections.abc import Callable, Iterator

import serial
from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport

from tabletools.errors import INCOMPLETE, UNREACHABLE, UNSUITABLE, ToolError
from tabletools.flash.boards import at_usb
from tabletools.flash.plan import MAIN, MAIN_NEW
from tabletools.flash.survey import BOARD, CODE, SETTLE, Survey, read
from tabletools.link import FarEnd, Port, PortError, open_port, probe

_READ_S = 2.0
_LEFTOVER_S = 0.2
# Longer than a table is ever silent.
_LISTEN_S = 0.7
_ENTER_S = 0.3
_PROMPT_WITHIN_S = 5.0
# A stopped program has printed its traceback when nothing came for this long.
_QUIET_S = 0.2
_LOOK_S = 0.01
_RAW_BANNER = b"raw REPL; CTRL-B to exit\r\n"
# Bytes written by one line at the prompt: small enough for the memory beside a stopped program.
_PIECE_BYTES = 512
_LOST = (TransportError, serial.SerialException, OSError, struct.error)


def verify_port(port: str) -> None:
    """Raise ToolError, exit code 3, for a port that does not open."""
    _open(port).close()


def _open(port: str) -> Port:
    """Open a port. Raises ToolError, exit code 3, with more causes than mpremote reports."""
    try:
        return open_port(port)
    except PortError as error:
        raise ToolError(
            error.what, where=port, cause=error.cause, step=error.step, exit_code=UNREACHABLE
        ) from error


def answers_at_prompt(line: Port) -> bool:
    """Whether MicroPython waits at its prompt.

    Stops nothing: sends Enter, and leaves a raw REPL that was left open.
    """
    line.write(b"\r\x02")
    return probe(line, _ENTER_S, until=lambda far_end: far_end.is_prompt).is_prompt


class _Transport(SerialTransport):  # type: ignore[misc]
    """A transport that does not wait for silence on a line that is never silent."""

    def read_until(
        self,
        min_num_bytes: int,
        ending: bytes,
        timeout: float | None = 10,
        data_consumer: Callable[[bytes], None] | None = None,
        timeout_overall: float | None = None,
    ) -> bytes:
        if timeout_overall is None:
            return bytes(
                super().read_until(min_num_bytes, ending, timeout, data_consumer=data_consumer)
            )
        data, end = b"", time.monotonic() + timeout_overall
        while not data.endswith(ending) and time.monotonic() < end:
            data += self._waiting(1)  # the rest is for the next reader
        return data

    def enter_raw_repl(
        self, soft_reset: bool = False, timeout_overall: float | None = None
    ) -> None:
        """Stop the program and enter a raw REPL. Raises TransportError; its text says why."""
        within_s = _PROMPT_WITHIN_S if timeout_overall is None else timeout_overall
        self.serial.write(b"\r\x03")
        self._quieten(within_s)
        self.serial.write(b"\r\x01")
        data = self.read_until(1, _RAW_BANNER, timeout_overall=within_s)
        if not data.endswith(_RAW_BANNER):
            raise _StrangeError(data)
        self.in_raw_repl = True

    def _quieten(self, seconds: float) -> None:
        end, quiet = time.monotonic() + seconds, time.monotonic() + _QUIET_S
        last = b""
        while time.monotonic() < quiet:
            data = self._waiting(_PIECE_BYTES)
            if data:
                last, quiet = data, time.monotonic() + _QUIET_S
            if time.monotonic() > end:
                raise _StrangeError(last)

    def _waiting(self, most: int) -> bytes:
        """Return available bytes; waits a moment when there are none."""
        count = self.serial.inWaiting()
        if count:
            return bytes(self.serial.read(min(count, most)))
        time.sleep(_LOOK_S)
        return b""


class _StrangeError(TransportError):  # type: ignore[misc]
    """Something other than a prompt came, or nothing. data: the last bytes."""

    def __init__(self, data: bytes) -> None:
        super().__init__("no prompt")
        far_end = FarEnd()
        far_end.take(data)
        self.diagnosis = far_end.diagnosis()


@contextlib.contextmanager
def opened(port: str) -> "Iterator[Prompt]":
    """The raw REPL of the board at a port. Raises ToolError, exit code 3."""
    _verify_quiet(port)
    try:
        transport = _Transport(port, timeout=_READ_S)
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


def _verify_quiet(port: str) -> None:
    """Raise ToolError for the link of a table, and for a device that sends unasked and is no
    board: the bytes to a prompt would be noise to it."""
    line = _open(port)
    try:
        # What a killed session left unread comes at once; what comes later is sent now.
        far_end = probe(line, _LEFTOVER_S)
        if not far_end.is_table:
            far_end = probe(line, _LISTEN_S)
    finally:
        line.close()
    if far_end.is_table:
        raise ToolError(
            "a table answers here, so this is its link, not a prompt",
            where=port,
            cause="the two ports of the board were mixed up",
            step="give the port of its USB with --port and this one with --link; which is which:"
            " `tabletool port`",
            exit_code=UNREACHABLE,
        )
    strange = far_end.diagnosis()
    if strange is not None and not far_end.is_prompt and not at_usb(port):
        raise _strange(f"nothing was written there: {strange.what}", port)


def _strange(what: str, port: str) -> ToolError:
    return ToolError(
        what,
        where=port,
        cause="another device, a speed other than 115200 baud, or a program that never stops",
        step="find the port of the board with `tabletool port`; a board: unplug it, plug it in"
        " again, then give the same command",
        exit_code=UNREACHABLE,
    )


def _enter(transport: SerialTransport, port: str) -> None:
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # mpremote prints what it received
            transport.enter_raw_repl()
            transport.exec(SETTLE)
    except _StrangeError as error:
        if error.diagnosis is None:
            raise _silent(port) from error
        what = f"no prompt {_PROMPT_WITHIN_S:g} s after Control-C: {error.diagnosis.what}"
        raise _strange(what, port) from error
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
    """Operations at the prompt of a board.

    Every call raises ToolError, exit code 5, when the board is lost; doing: the step in progress,
    as the error names it.
    """

    def __init__(self, transport: SerialTransport, port: str) -> None:
        self.doing = "reading the board"
        self._transport = transport
        self._port = port

    def board(self) -> Survey:
        """Return which board it is, without its files."""
        return self._survey(BOARD)

    def survey(self) -> Survey:
        """What is on the board."""
        return self._survey(CODE)

    def _survey(self, code: str) -> Survey:
        with self._watch():
            try:
                return read(self._transport.exec(code).decode())
            except ValueError as error:
                raise TransportError(str(error)) from error

    def read(self, path: str) -> bytes | None:
        """Return a small file, None if there is none."""
        with self._watch():
            try:
                return bytes(self._transport.fs_readfile(path))
            except FileNotFoundError:
                return None

    def remove(self, path: str) -> None:
        """Remove a file."""
        with self._watch():
            self._transport.fs_rmfile(path)

    def make_folder(self, path: str) -> None:
        """Make a folder in an existing one."""
        with self._watch():
            self._transport.fs_mkdir(path)

    def write(self, path: str, data: bytes) -> None:
        """Write a file; main.py appears complete or not at all."""
        with self._watch():
            place = MAIN_NEW if path == MAIN else path
            self._transport.fs_writefile(place, data, chunk_size=_PIECE_BYTES)
            if path == MAIN:
                self._transport.exec(f"import os\nos.rename({MAIN_NEW!r}, {MAIN!r})")

    def restart(self) -> None:
        """Restart the board; the prompt is gone then."""
        with self._watch():
            self._transport.exec_raw_no_follow("import machine\nmachine.reset()")

    @contextlib.contextmanager
    def _watch(self) -> Iterator[None]:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                yield
        except TransportExecError as error:
            line = error.error_output.strip().splitlines()[-1]
            raise self._failure(f"the board refused: {line}", UNSUITABLE) from error
        except _LOST as error:
            raise self._failure("the board was lost", INCOMPLETE) from error

    def _failure(self, what: str, exit_code: int) -> ToolError:
        return ToolError(
            f"{what} while {self.doing}",
            where=self._port,
            cause="the cable, the power, or a flash that is full or worn",
            step="run the same command again: it continues where it was",
            exit_code=exit_code,
        )
