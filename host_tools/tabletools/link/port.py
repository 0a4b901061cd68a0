"""Serial ports, socket://, rfc2217:// and hwgrep:// by pyserial: open, read, write, open again.

The only module that knows pyserial. It does not interpret the bytes.
"""

import errno
import select
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import serial
from serial.tools import list_ports

from tabletools.capture import FROM_TABLE, TO_TABLE
from tabletools.link.events import Event, Notice
from tabletools.link.pacing import Pace
from tabletools.link.session import Session

BAUD = 115_200
# How long to wait when there is nothing to read: the most it adds to the delay of a result.
# The reads themselves never wait: pyserial would lose received bytes when the far end closes.
IDLE_S = 0.02
# From the first bytes to a read of them, so that a frame is not read in many pieces.
GATHER_S = 0.002
RETRY_FIRST_S = 0.25
RETRY_LONGEST_S = 8.0
_READ_BYTES = 4096
BY_ID = Path("/dev/serial/by-id")


SCHEMES = ("socket", "rfc2217", "hwgrep")
"""Kinds of URL that name a port; of pyserial's others, some write files or are no line."""


class Port(Protocol):
    """What a link needs of an open port."""

    def read(self, size: int, /) -> bytes: ...

    def write(self, data: bytes, /) -> int | None: ...

    def close(self) -> None: ...


class PortError(OSError):
    """A port that cannot be opened, in words for the user: what, its likely cause, a next step."""

    def __init__(self, what: str, cause: str, step: str) -> None:
        super().__init__(what)
        self.what = what
        self.cause = cause
        self.step = step


_SERVE = "start the table, for example: tabletool emulate roulette --serve HOST:PORT"
# errno: (likely cause, next step)
_CAUSES = {
    errno.ENOENT: (
        "the cable is not plugged in, or the name does not match",
        "ports here: {ports}",
    ),
    errno.EACCES: ("no right to use the port", "join its group: sudo usermod -aG dialout $USER"),
    errno.EBUSY: ("another program has the port open", "close it, then try again"),
    errno.EAGAIN: ("another program has the port open", "close it, then try again"),
    errno.ENOTTY: ("this is a file, not a port", "to read a file: tabletool decode FILE"),
    errno.ECONNREFUSED: ("nothing listens there", _SERVE),
    errno.EHOSTUNREACH: ("the network does not reach that machine", "check cable and address"),
    errno.ETIMEDOUT: ("the machine is off, or a firewall is in between", "check that it answers"),
}


def verify_port_name(url: str) -> None:
    """Raise PortError for a URL that names no port."""
    scheme, is_url, _ = url.partition("://")
    if is_url and scheme.lower() not in SCHEMES:
        kinds = ", ".join(f"{known}://" for known in SCHEMES)
        raise PortError(
            f"cannot open the port: {scheme}:// is no kind of port",
            "not a device path or URL of a line",
            f"give a device path or {kinds}",
        )
    try:
        if scheme.lower() == "socket" and urlsplit(url).port is None:
            raise ValueError("the URL names no port number")
    except ValueError as error:
        raise _explanation(error) from error


def open_port(url: str, *, baud: int = BAUD) -> Port:
    """Open a device path or a URL of SCHEMES. Raises PortError with cause and next step."""
    verify_port_name(url)
    try:
        port: Port = serial.serial_for_url(url, baudrate=baud, timeout=0, exclusive=True)
        if (connection := _connection(port)) is not None:
            # pyserial leaves it unset on socket://; then a command waits for the ACK of the last
            # one.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return port
    except (serial.SerialException, OSError, ValueError) as error:
        raise _explanation(error) from error


def stable_name(port: str, folder: Path = BY_ID) -> str:
    """Return the name of a serial port that stays when USB plugs are exchanged, "" without one.

    It is a link that udev makes of maker, product and serial number of the adapter (Linux).
    """
    try:
        device = Path(port).resolve(strict=True)
        links = sorted(link for link in folder.iterdir() if link.resolve() == device)
    except OSError:
        return ""
    return str(links[0]) if links else ""


def usb_ports() -> list[tuple[str, str]]:
    """The serial ports on USB: (device path, "vendor:product" in hex), by path."""
    ports = [port for port in list_ports.comports() if port.vid is not None]
    return sorted((port.device, f"{port.vid:04x}:{port.pid:04x}") for port in ports)


def _connection(port: Port) -> socket.socket | None:
    """The TCP connection under a port, None for a device."""
    connection = getattr(port, "_socket", None)
    return connection if isinstance(connection, socket.socket) else None


def _close(port: Port) -> None:
    """Close a port, a TCP connection without pyserial's help.

    pyserial leaves it open when the far end has closed, and then waits 0.3 s before another is
    opened, which a Link does by itself.
    """
    connection = _connection(port)
    if connection is None:
        port.close()
        return
    with suppress(OSError):  # the far end has closed
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
    port.is_open = False  # type: ignore[attr-defined]


def _explanation(error: Exception) -> PortError:
    root: BaseException = error
    while root.__context__ is not None and not isinstance(root, socket.gaierror):
        root = root.__context__
    # termios.error carries (errno, text) like an OSError, but is not one.
    text = str(root.args[-1] if root.args else root)
    what = f"cannot open the port: {text[:1].lower()}{text[1:]}"
    if isinstance(root, socket.gaierror):
        return PortError(what, "the name of the machine is unknown", "check its spelling")
    if isinstance(root, TimeoutError):
        return PortError(what, *_CAUSES[errno.ETIMEDOUT])
    cause, step = _CAUSES.get(
        root.args[0] if root.args else 0,
        ("not a device path or URL", "give a path such as /dev/ttyACM0 or socket://HOST:PORT"),
    )
    ports = ", ".join(port.device for port in list_ports.comports()) or "none"
    return PortError(what, cause, step.format(ports=ports))


def _number_of(port: Port) -> int | None:
    """The file number of a port that can be waited for, None for any other."""
    if sys.platform == "win32":
        return None
    try:
        return int(port.fileno())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return None


class Link:
    """Drives one session over one port, opening it again when it is lost.

    Nothing is written before a table was received: the port may be a prompt, or another device.

    The pauses between attempts double from RETRY_FIRST_S to RETRY_LONGEST_S, without jitter, and
    restart once bytes have come.
    """

    def __init__(
        self,
        url: str,
        session: Session,
        *,
        record: Callable[[float, str, bytes], None] | None = None,
        opener: Callable[[str], Port] = open_port,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """record: called with (seconds, direction, bytes) for all traffic."""
        self.url = url
        self.session = session
        # Why the last attempt to open failed, None while a port is open.
        self.failure: PortError | None = None
        self._record = record
        self._opener = opener
        self._clock = clock
        self._wait = wait
        self._port: Port | None = None
        self._next_try = clock()
        self._pause = RETRY_FIRST_S
        self._pace = Pace()

    def step(self) -> list[Event]:
        """Do one iteration: open if needed, read, write; IDLE_S long if there is nothing to do."""
        if self._port is None:
            return self._open()
        try:
            events = self._exchange(self._port)
        except OSError as error:  # SerialException is one
            self.close()
            self._back_off()
            return self.session.lost(self._clock(), str(error))
        return events + self.session.tick(self._clock())

    def now_s(self) -> float:
        """Return the time by the clock of this link."""
        return self._clock()

    def move(self, url: str) -> None:
        """Leave the port, and open another one at the next step."""
        self.close()
        self.url, self.failure = url, None
        self._next_try, self._pause = self._clock(), RETRY_FIRST_S

    def close(self) -> None:
        """Close the port."""
        if self._port is not None:
            _close(self._port)
            self._port = None

    def _open(self) -> list[Event]:
        now = self._clock()
        if now < self._next_try:
            self._wait(min(IDLE_S, self._next_try - now))
            return []
        try:
            self._port = self._opener(self.url)
        except PortError as error:
            self.failure = error
            text = f"{error.what}; trying again in {self._back_off():g} s"
            return [Notice("unreachable", text, error=True, frames=self.session.log.last())]
        self.failure = None
        return self.session.connected(self._clock(), listens=True)

    def _back_off(self) -> float:
        """Schedule the next attempt; returns the delay."""
        pause = self._pause
        self._next_try = self._clock() + pause
        self._pause = min(2 * pause, RETRY_LONGEST_S)
        return pause

    def _exchange(self, port: Port) -> list[Event]:
        self._write(port)
        data = port.read(_READ_BYTES)
        events: list[Event] = []
        if data:
            self._pause = RETRY_FIRST_S
            self._note(FROM_TABLE, data)
            events = self.session.receive(data, self._clock())
            # Acknowledge stored records at once, not after the next wait for bytes.
            self._write(port)
        else:
            self._idle(port)
        return events

    def _idle(self, port: Port) -> None:
        """Wait for bytes, IDLE_S at most; a port that cannot be waited for is polled."""
        number = _number_of(port)
        if number is None:
            self._wait(IDLE_S)
            return
        poll = select.poll()
        poll.register(number, select.POLLIN)
        if poll.poll(IDLE_S * 1000):
            self._wait(GATHER_S)

    def _write(self, port: Port) -> None:
        out = self.session.outgoing(self._pace.room(self._clock()))
        if out:
            port.write(out)
            self._pace.wrote(len(out))
            self._note(TO_TABLE, out)

    def _note(self, direction: str, data: bytes) -> None:
        if self._record is not None:
            self._record(self._clock(), direction, data)
