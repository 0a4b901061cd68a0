"""The sink that is a web address: each event is posted, signed as in Standard Webhooks.

A slow or broken endpoint delays only itself. No redirect is followed: the owner sets the address
to which events are sent, and an answer must not change it.
"""

import base64
import binascii
import hashlib
import hmac
import http.client
import ipaddress
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from tabletools.cms.outgoing_event import CONTENT_TYPE, OutgoingEvent
from tabletools.cms.sinks import DeliveryResult
from tabletools.money.outbox_queries import TableState

SECRET = "whsec_"
LEAST_SECRET, MOST_SECRET = 24, 64
TIMEOUT_S = 15.0
# After the last one an event is given up: a little more than three days.
RETRY_S = (
    5.0,
    30.0,
    120.0,
    600.0,
    1800.0,
    7200.0,
    18_000.0,
    36_000.0,
    50_400.0,
    72_000.0,
    86_400.0,
)
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


def message_id(event: OutgoingEvent) -> str:
    """Return the `webhook-id` of an event: its id, without the point that would end it there."""
    return event.id.replace(".", "_")


def signature(secrets: Sequence[bytes], ident: str, timestamp: int, body: bytes) -> str:
    """Return `webhook-signature`: one for each secret, so that one can replace the other."""
    content = f"{ident}.{timestamp}.".encode() + body
    digests = (hmac.new(secret, content, hashlib.sha256).digest() for secret in secrets)
    return " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests)


class _Unreachable(Exception):
    """The endpoint accepts no events now."""


class WebhookSink:
    """One endpoint. secrets: the newest first. wall_s: UTC, for the signed timestamp.

    connect: makes a connection to the endpoint, None: one over the network.
    """

    in_waves = True
    most = 20
    retry_s: Sequence[float] = RETRY_S
    is_patient = False

    def __init__(
        self,
        url: str,
        secrets: Sequence[bytes],
        *,
        name: str = "",
        authority: Path | None = None,
        timeout_s: float = TIMEOUT_S,
        wall_s: Callable[[], float] = time.time,
        connect: Callable[[], http.client.HTTPConnection] | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an address: https://HOST[:PORT]/PATH")
        if parts.username is not None or parts.fragment:
            raise ValueError("an address has no user, password or fragment")
        if parts.scheme == "http" and not _is_loopback(parts.hostname):
            raise ValueError(f"{url!r} is not encrypted: use https, except on this machine itself")
        if not secrets:
            raise ValueError("a webhook needs a secret to sign with")
        self._host, self._port = parts.hostname, parts.port
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self.name = name or f"webhook:{parts.scheme}://{parts.netloc}{parts.path or '/'}"
        self._secrets = tuple(secrets)
        self._timeout_s = timeout_s
        self._wall_s = wall_s
        self._context = None
        if parts.scheme == "https":
            self._context = ssl.create_default_context(cafile=authority and str(authority))
        self._connect = connect or self._over_network
        self._connection: http.client.HTTPConnection | None = None

    def send(self, events: Sequence[OutgoingEvent]) -> DeliveryResult:
        """Post events one after the other, until the endpoint is unreachable."""
        sent = DeliveryResult()
        for one in events:
            try:
                status = self._post(one)
            except _Unreachable as error:
                sent.down, sent.interrupted = str(error), one.number
                return sent
            if 200 <= status < 300:
                sent.delivered.append(one.number)
            else:
                sent.failed[one.number] = f"answered {status}{_meaning(status)}"
        return sent

    def tick(self, states: Sequence[TableState] | None) -> str:
        """Nothing to do."""
        return ""

    def close(self) -> None:
        """Disconnect."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _post(self, one: OutgoingEvent) -> int:
        """Post one event; returns the status of the answer."""
        ident, timestamp = message_id(one), int(self._wall_s())
        headers = {
            "content-type": CONTENT_TYPE,
            "user-agent": AGENT,
            "webhook-id": ident,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(self._secrets, ident, timestamp, one.body),
        }
        is_old = self._connection is not None
        try:
            return self._exchange(one.body, headers)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as error:
            self.close()
            if not is_old:  # else it disconnected between two events, which is allowed
                raise _Unreachable(_why(error)) from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise _Unreachable(_why(error)) from error
        try:
            return self._exchange(one.body, headers)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise _Unreachable(_why(error)) from error

    def _exchange(self, body: bytes, headers: dict[str, str]) -> int:
        connection = self._connected()
        # A read timeout would not stop an endpoint that sends a byte now and then.
        watch = threading.Timer(self._timeout_s, _cut, (connection,))
        watch.daemon = True
        watch.start()
        try:
            connection.request("POST", self._path, body, headers)
            answer = connection.getresponse()
            answer.read(4096)
            if answer.will_close or not answer.isclosed():
                self.close()
            return answer.status
        finally:
            watch.cancel()

    def _connected(self) -> http.client.HTTPConnection:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _over_network(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=self._timeout_s, context=self._context
        )


def _cut(connection: http.client.HTTPConnection) -> None:
    raw_socket = connection.sock
    if raw_socket is not None:
        with suppress(OSError):
            raw_socket.shutdown(2)


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(error) or type(error).__name__


def _meaning(status: int) -> str:
    if 300 <= status < 400:
        return ": a redirect, which is not followed"
    return ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False
