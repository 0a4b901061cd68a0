"""The UART of an emulated table for programs on this machine: a TCP port and a PTY.

Any number of readers may come, go and come back; each gets the bytes from its coming on, and what
any of them writes reaches the board. A reader that does not keep up is let go, as nobody may hold
up a UART. Knows nothing of frames. `play` paces a table by the wall clock.
"""

from __future__ import annotations

import os
import selectors
import socket
import time
import tty
from collections.abc import Callable

from .harness import Harness

# A reader this far behind is let go.
_BACKLOG_BYTES = 1 << 20
_READ_BYTES = 4096
# A further reader is turned away.
_READERS = 32
_BYTE_US = 10 * 1_000_000 / 115_200


class UartPort:
    """A listening TCP port and, if wanted, a PTY, both carrying the bytes of one UART.

    Raises OSError if the port cannot be opened. port 0 lets the system choose.
    """

    def __init__(self, host: str | None, port: int = 0, *, pty: bool = False) -> None:
        self._selector = selectors.DefaultSelector()
        self._unsent: dict[socket.socket, bytearray] = {}
        self._server: socket.socket | None = None
        self._master: int | None = None
        self._slave: int | None = None
        if host is not None:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            self._server = socket.create_server((host, port), family=family)
            self._server.setblocking(False)
            self._selector.register(self._server, selectors.EVENT_READ)
        if pty:
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            self._selector.register(self._master, selectors.EVENT_READ)

    @property
    def port(self) -> int:
        """Return the TCP port listened on, 0 if there is none."""
        return int(self._server.getsockname()[1]) if self._server else 0

    @property
    def pty(self) -> str:
        """Return the path of the PTY device, empty if there is none."""
        return os.ttyname(self._slave) if self._slave is not None else ""

    def send(self, data: bytes) -> None:
        """Give bytes of the table to every reader; a PTY nobody reads loses them."""
        for client, unsent in list(self._unsent.items()):
            unsent += data
            self._push(client)
        if self._master is not None:
            try:
                os.write(self._master, data)
            except BlockingIOError:
                return

    def receive(self, seconds: float) -> bytes:
        """Wait for bytes from any reader and return them; empty after so many seconds."""
        received = bytearray()
        for key, _mask in self._selector.select(max(0.0, seconds)):
            if key.fileobj is self._server:
                self._welcome()
            elif isinstance(key.fileobj, socket.socket):
                received += self._read(key.fileobj)
            elif self._master is not None:
                received += os.read(self._master, _READ_BYTES)
        return bytes(received)

    def close(self) -> None:
        """Hang up on everybody."""
        for client in list(self._unsent):
            self._let_go(client)
        if self._server is not None:
            self._server.close()
        for descriptor in (self._master, self._slave):
            if descriptor is not None:
                os.close(descriptor)
        self._selector.close()

    def _welcome(self) -> None:
        assert self._server is not None
        try:
            client, _address = self._server.accept()
        except OSError:
            return  # gone again, or no descriptor left: the table plays on
        if len(self._unsent) >= _READERS:
            client.close()
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._unsent[client] = bytearray()
        self._selector.register(client, selectors.EVENT_READ)

    def _read(self, client: socket.socket) -> bytes:
        try:
            data = client.recv(_READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._let_go(client)
        return data

    def _push(self, client: socket.socket) -> None:
        unsent = self._unsent[client]
        try:
            del unsent[: client.send(unsent)]
        except BlockingIOError:
            if len(unsent) > _BACKLOG_BYTES:
                self._let_go(client)
        except OSError:
            self._let_go(client)

    def _let_go(self, client: socket.socket) -> None:
        del self._unsent[client]
        self._selector.unregister(client)
        client.close()


class Pace:
    """Holds a table back to the wall clock and hands it what readers of the port write.

    Called by the table after each slice. stop: asked often; True raises Interrupted.
    """

    def __init__(self, port: UartPort, stop: Callable[[], bool]) -> None:
        self._port = port
        self._stop = stop
        self._start: float | None = None
        self._line_free_us = 0.0  # what readers wrote has gone over the line by then

    def __call__(self, table: Harness) -> None:
        """Wait until the wall clock has come up to the table's time."""
        if self._start is None:
            self._start = time.monotonic() - table.now_us / 1e6
        while True:
            if self._stop():
                raise Interrupted
            left = self._start + table.now_us / 1e6 - time.monotonic()
            if table.now_us >= self._line_free_us:
                data = self._port.receive(min(left, 0.1))
                if data:
                    came_us = int((time.monotonic() - self._start) * 1e6)
                    table.send(data, came_us)
                    self._line_free_us = table.now_us + len(data) * _BYTE_US
            else:
                time.sleep(max(0.0, left))  # who writes faster than the line waits
            if left <= 0:
                return


class Interrupted(Exception):
    """The table was asked to stop."""
