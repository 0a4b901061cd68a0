"""The USB line and the UART 0 of an emulated RP2040 as serial ports of this process.

For programs that open ports by pyserial: mpremote, tabletool. While BoardPorts is entered, time
is the board's: time.monotonic reads it, time.sleep and a read that waits let it pass. So no limit
of such a program depends on how busy this machine is.
"""

import contextlib
import time
from collections.abc import Callable
from typing import Any, Protocol, Self
from unittest import mock

import serial

from hil_tests.rigs.rp2040_board import Rp2040Board
from tableemulator.board.wasm import Output
from tabletools.link import Link

PROMPT, LINK = "rp2040:usb", "rp2040:uart"
_WAIT_US = 1_000


class Line(Protocol):
    """A board with its two lines."""

    @property
    def now_us(self) -> int: ...

    def send(self, port: str, data: bytes) -> None:
        """Bytes for the board, from now on."""

    def pass_time(self, until_us: int) -> None:
        """Let time pass; what the board sends goes to BoardPorts.take."""


class BareBoard:
    """The lines of a board with nothing around it. take: of BoardPorts."""

    def __init__(self, board: Rp2040Board, take: Callable[[Output], None]) -> None:
        self._board, self._take = board, take

    @property
    def now_us(self) -> int:
        return self._board.now_us

    def send(self, port: str, data: bytes) -> None:
        kind = "usb" if port == PROMPT else "rx"
        self._take(self._board.play([[self.now_us, kind, 0, data.hex()]], self.now_us))

    def pass_time(self, until_us: int) -> None:
        self._take(self._board.play([], until_us))


class BoardPort:
    """As much of pyserial's port as programs here use."""

    rts = dtr = True

    def __init__(self, line: Line, name: str, timeout: float | None) -> None:
        self.name = name
        self._line = line
        self._timeout_us = None if timeout is None else int(timeout * 1e6)
        self._unread = bytearray()

    def isOpen(self) -> bool:  # noqa: N802 (pyserial's name, as mpremote has it)
        return True

    def inWaiting(self) -> int:  # noqa: N802 (pyserial's name, as mpremote has it)
        """Bytes that can be read at once."""
        return len(self._unread)

    def take(self, data: bytes) -> None:
        """Bytes of the board."""
        self._unread += data

    def read(self, size: int = 1) -> bytes:
        """So many bytes; fewer after the time-out."""
        begin_us = self._line.now_us
        while len(self._unread) < size and (
            self._timeout_us is None or self._line.now_us - begin_us < self._timeout_us
        ):
            self._line.pass_time(self._line.now_us + _WAIT_US)
        data = bytes(self._unread[:size])
        del self._unread[:size]
        return data

    def write(self, data: bytes) -> int:
        """Bytes for the board."""
        self._line.send(self.name, data)
        return len(data)

    def close(self) -> None:
        """What was not read is lost."""
        self._unread.clear()


class BoardPorts:
    """Makes the ports PROMPT and LINK there, and time the board's, while it is entered.

    board: a bare one, or the lines of one with something around it, whose output is given to
    `take`.
    """

    def __init__(self, board: Rp2040Board | Line) -> None:
        self._line: Line = BareBoard(board, self.take) if isinstance(board, Rp2040Board) else board
        self._open: dict[str, BoardPort] = {}
        self._patches = contextlib.ExitStack()

    def __enter__(self) -> Self:
        for where, name, replacement in (
            (serial, "serial_for_url", self._opened),
            (time, "monotonic", self._now_s),
            (time, "sleep", self._sleep),
        ):
            self._patches.enter_context(mock.patch.object(where, name, replacement))
        # A link has its clock from where it was defined.
        defaults = Link.__init__.__kwdefaults__
        self._patches.enter_context(mock.patch.dict(defaults, clock=self._now_s, wait=self._sleep))
        return self

    def __exit__(self, *_error: object) -> None:
        self._patches.close()

    def take(self, output: Output) -> None:
        """What the board sent; what comes to a port that is not open is lost."""
        printed = output.printed.encode(errors="surrogateescape")
        for name, data in ((PROMPT, printed), (LINK, output.sent)):
            if name in self._open:
                self._open[name].take(data)

    def _opened(self, url: str, *, timeout: float | None = None, **_options: Any) -> BoardPort:
        if url not in (PROMPT, LINK):
            raise serial.SerialException(f"{url} is no line of the board")
        port = self._open[url] = BoardPort(self._line, url, timeout)
        return port

    def _now_s(self) -> float:
        return self._line.now_us / 1e6

    def _sleep(self, seconds: float) -> None:
        self._line.pass_time(self._line.now_us + int(seconds * 1e6))
