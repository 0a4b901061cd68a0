"""Serves the UART of an emulated table: addresses, the port, the end by a signal."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from tableemulator.machines.core.uart import UartPort
from tabletools.cli.report import say
from tabletools.errors import UNREACHABLE, ToolError


@contextmanager
def opened_port(serve: str | None, *, pty: bool) -> Iterator[UartPort]:
    """Open the port to serve; raises ToolError if that fails."""
    host, number = _address(serve) if serve is not None else (None, 0)
    try:
        port = UartPort(host, number, pty=pty)
    except OSError as error:
        raise ToolError(
            f"cannot serve the table: {(error.strerror or str(error)).lower()}",
            where=serve or "--pty",
            cause="another program listens on that port, or the host is not this machine",
            step="choose another port; 0 lets the system choose",
            exit_code=UNREACHABLE,
        ) from error
    try:
        yield port
    finally:
        port.close()


def say_where(port: UartPort, serve: str | None) -> None:
    """Print where the table can be reached, once it answers."""
    if serve is not None:
        address = f"{_address(serve)[0]}:{port.port}"
        say(f"serving on {address}", serving=address)
    if port.pty:
        say(f"serving on {port.pty}", serving=str(port.pty))


def _address(text: str) -> tuple[str, int]:
    host, colon, number = text.rpartition(":")
    if not colon or not number.isdecimal() or int(number) > 65535:
        raise ToolError(
            f"not an address: {text!r}",
            where="--serve",
            limit="HOST:PORT, port 0 to 65535",
            step="give for example --serve 127.0.0.1:7301; port 0 chooses a free one",
        )
    return host.strip("[]") or "127.0.0.1", int(number)


@contextmanager
def caught_signals() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM in the list instead of ending the program."""
    caught: list[int] = []

    def catch(number: int, _frame: FrameType | None) -> None:
        caught.append(number)

    with _handled_by(catch):
        yield caught


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt at SIGINT or SIGTERM, also within `caught_signals`."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    with _handled_by(interrupt):
        yield


@contextmanager
def _handled_by(handle: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
