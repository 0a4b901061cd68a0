"""Runs the application until a signal ends it: the sockets, TLS, the log."""

import json
import logging
import os
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TextIO

import uvicorn

from tabletools.api.app import build
from tabletools.api.app_state import AppState
from tabletools.api.protocol import Protocol
from tabletools.api.security import is_loopback
from tabletools.errors import UNREACHABLE, ToolError
from tabletools.pit.settings import Settings

GRACE_S = 2
"""Longest wait for the requests in progress when the host ends."""
READ_S = 5.0
"""Longest time for what a request reads."""
END_S = 4.0
"""From a signal to the end of the process, whatever still runs: five seconds are promised."""
_LOG_S = 0.5
"""Longest wait for a reader of the log at that end."""


def verify_exposure(settings: Settings) -> None:
    """Raise ToolError for a host that would be reachable unprotected."""
    if bool(settings.tls_certificate) != bool(settings.tls_key):
        missing = "tls_key" if settings.tls_certificate else "tls_certificate"
        raise ToolError(f"{missing} is missing", step="name certificate and key together")
    if is_loopback(settings.host):
        return
    if not settings.public and not settings.behind_proxy:
        raise ToolError(
            f"{settings.host} is reached from other machines",
            where="host",
            limit="127.0.0.1 or ::1 unless configured otherwise",
            step="for other machines give --public with --tls-certificate and --tls-key, or"
            " --behind-proxy when a proxy ends TLS before it",
        )
    if settings.public and not settings.tls_certificate and not settings.behind_proxy:
        raise ToolError(
            "logins would cross the network unencrypted",
            where="--public",
            step="give --tls-certificate and --tls-key, or --behind-proxy",
        )


def verify_certificate(settings: Settings) -> None:
    """Raise ToolError unless certificate and key can be read and belong together."""
    if not settings.tls_certificate:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings.tls_certificate, settings.tls_key)
    except OSError as error:  # also an SSLError
        raise ToolError(
            f"certificate and key cannot be used: {error.strerror or error}",
            where=f"tls_certificate, tls_key: {settings.tls_certificate}, {settings.tls_key}",
            cause="one is not a PEM file, or the key belongs to another certificate",
            step="name the chain of this host's certificate and the key it was made with",
        ) from error


def listening(settings: Settings) -> socket.socket:
    """Open the socket. Raises ToolError."""
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, settings.port), family=family, backlog=512)
    except OSError as error:
        raise ToolError(
            f"cannot listen: {(error.strerror or str(error)).lower()}",
            where=f"{host}:{settings.port}",
            cause="another program uses that port, or the address does not belong to this machine",
            step="choose another port; 0 chooses a free one",
            exit_code=UNREACHABLE,
        ) from error
    # Accepted connections inherit it. asyncio sets it only where proto is IPPROTO_TCP, which
    # create_server leaves 0; without it every answer on a kept connection waits 40 ms for an ACK.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def address_of(settings: Settings, sock: socket.socket) -> str:
    """The address under which the host is reached."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    kind = "https" if settings.tls_certificate else "http"
    return f"{kind}://{host}:{sock.getsockname()[1]}"


class Server(uvicorn.Server):
    """Ends its streams when it is stopped.

    late: ends a process that is still there END_S after a signal, as if it were killed: its leases
    and its players' sessions expire, and no thread of it can delay that.
    """

    state: AppState
    late: threading.Timer

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        self.end_by_signal()
        super().handle_exit(sig, frame)

    def end_by_signal(self) -> None:
        """Stop, within END_S."""
        if not self.state.ending.is_set():
            self.late.start()
        self.end()

    def end(self) -> None:
        """Stop as a signal would."""
        self.state.ending.set()
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close every connection; what is read for one is interrupted, a bet is not."""
        for connection in self.server_state.connections:
            if isinstance(connection, Protocol):
                connection.end_reading()
        await super().shutdown(sockets)


def server_of(state: AppState) -> Server:
    """Return a server of a host, not yet running."""
    settings = state.settings
    config = uvicorn.Config(
        build(state),
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_S,
        timeout_keep_alive=30,
        http=Protocol,
        h11_max_incomplete_event_size=32 * 1024,
        ssl_certfile=settings.tls_certificate or None,
        ssl_keyfile=settings.tls_key or None,
    )
    server = Server(config)
    server.state = state
    server.late = threading.Timer(END_S, _leave, (state.log,))
    server.late.daemon = True
    return server


@contextmanager
def ended_by_signals(server: Server) -> Iterator[None]:
    """SIGINT and SIGTERM end the server, from before it runs until it has closed everything."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {
        number: signal.signal(number, lambda _n, _f: server.end_by_signal()) for number in numbers
    }
    try:
        yield
    finally:
        server.late.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(log: Callable[[str, dict[str, Any]], None]) -> None:
    threads = [one.name for one in threading.enumerate() if not one.daemon]
    facts = {"seconds": END_S, "threads": threads}
    logging_it = threading.Thread(target=log, args=("ended_late", facts), daemon=True)
    logging_it.start()
    logging_it.join(_LOG_S)
    os._exit(1)


class Log:
    """One JSON object a line: time, event, facts. Never a password, a token or a key."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._lock = threading.Lock()

    def __call__(self, event: str, facts: dict[str, Any]) -> None:
        """Write one line; a log that cannot be written stops nothing."""
        now = time.time()
        stamp = (
            time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z"
        )
        line = json.dumps({"at": stamp, "event": event, **facts}, default=str)
        with self._lock:
            try:
                print(line, file=self._stream, flush=True)
            except (OSError, ValueError):
                return


class Passed(logging.Handler):
    """Passes messages of the libraries to the log of the host."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        self._log(
            "library",
            {"name": record.name, "level": record.levelname.lower(), "text": record.getMessage()},
        )
