"""A web address that signed requests are sent to, one after the other, and its answers.

Signed as in Standard Webhooks. No redirect is followed: the owner sets the address, and an answer
must not change it. Each exchange ends within a time, however slowly the other side sends.
"""

import base64
import binascii
import hashlib
import hmac
import http.client
import ipaddress
import select
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

SECRET = "whsec_"
LEAST_SECRET, MOST_SECRET = 24, 64
AGENT = "tablewire"


def secret_of(text: str) -> bytes:
    """Return the bytes of a secret, `whsec_` and base64. Raises ValueError."""
    try:
        secret = base64.b64decode(text.removeprefix(SECRET), validate=True)
    except binascii.Error as error:
        raise ValueError("a secret is `whsec_` and base64") from error
    if not text.startswith(SECRET) or not LEAST_SECRET <= len(secret) <= MOST_SECRET:
        limit = f"{LEAST_SECRET} to {MOST_SECRET}"
        raise ValueError(f"a secret is `whsec_` and base64 of {limit} bytes")
    return secret


def signature(secrets: Sequence[bytes], ident: str, timestamp: int, body: bytes) -> str:
    """Return `webhook-signature`: one for each secret, so that one can replace the other."""
    content = f"{ident}.{timestamp}.".encode() + body
    digests = (hmac.new(secret, content, hashlib.sha256).digest() for secret in secrets)
    return " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests)


def signed_headers(
    secrets: Sequence[bytes], ident: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """Return the headers of a signed message."""
    return {
        "user-agent": AGENT,
        "webhook-id": ident,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secrets, ident, timestamp, body),
    }


class Unreachable(Exception):
    """The other side did not answer as HTTP, or not in time; it may have read the request."""


class Exchange(NamedTuple):
    """An answer. body: its first bytes, at most as many as were requested."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Endpoint:
    """One address; not for several threads at once.

    timeout_s: for a whole exchange. connect: makes a connection, None: one over the network.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout_s: float,
        authority: Path | None = None,
        connect: Callable[[], http.client.HTTPConnection] | None = None,
    ) -> None:
        """authority: certificates trusted to be the other side's. Raises ValueError."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an address: https://HOST[:PORT]/PATH")
        if parts.username is not None or parts.fragment:
            raise ValueError("an address has no user, password or fragment")
        if parts.scheme == "http" and not _is_loopback(parts.hostname):
            raise ValueError(f"{url!r} is not encrypted: use https, except on this machine itself")
        self._host, self._port = parts.hostname, parts.port
        self.target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self.name = f"{parts.scheme}://{parts.netloc}{parts.path or '/'}"
        self._timeout_s = timeout_s
        self._context = None
        if parts.scheme == "https":
            self._context = ssl.create_default_context(cafile=authority and str(authority))
        self._connect = connect or self._over_network
        self._connection: http.client.HTTPConnection | None = None
        self._line: socket.socket | None = None

    def exchange(
        self, method: str, target: str, body: bytes, headers: Mapping[str, str], *, most: int
    ) -> Exchange:
        """Send a request; returns the answer. Raises Unreachable.

        Sent a second time if the other side closed a connection that was kept since an earlier
        request. most: bytes of the answer that are read.
        """
        if self._connection is not None and _has_more(self._connection):
            self.close()  # what follows an answer would be taken for the next one
        is_old = self._connection is not None
        try:
            return self._exchange(method, target, body, headers, most)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as error:
            self.close()
            if not is_old:
                raise Unreachable(_why(error)) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Unreachable(_why(error)) from error
        try:
            return self._exchange(method, target, body, headers, most)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Unreachable(_why(error)) from error

    def cut(self) -> None:
        """End an exchange that another thread waits for: it raises Unreachable there."""
        # An answer after which the other side closes takes the socket from its connection.
        line = self._line or (self._connection and self._connection.sock)
        if line:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Disconnect."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _exchange(
        self, method: str, target: str, body: bytes, headers: Mapping[str, str], most: int
    ) -> Exchange:
        if self._connection is None:
            self._connection = self._connect()
        connection = self._connection
        # A read timeout would not stop an endpoint that sends a byte now and then.
        watch = threading.Timer(self._timeout_s, self.cut)
        watch.daemon = True
        watch.start()
        try:
            connection.request(method, target, body or None, dict(headers))
            self._line = connection.sock
            answer = connection.getresponse()
            read = answer.read(most)
            if answer.length and len(read) < most:
                raise http.client.IncompleteRead(read, answer.length)
            if answer.will_close or not answer.isclosed():
                self.close()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return Exchange(answer.status, named, read)
        finally:
            watch.cancel()
            self._line = None

    def _over_network(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=self._timeout_s, context=self._context
        )


def _has_more(connection: http.client.HTTPConnection) -> bool:
    """Whether anything came after the last answer, or the other side has closed."""
    if connection.sock is None:
        return False
    waiting = select.poll()
    waiting.register(connection.sock, select.POLLIN)
    return bool(waiting.poll(0))


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(error) or type(error).__name__


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False
