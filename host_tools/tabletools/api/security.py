"""Checks of every request: host and origin, size limit, the share of a login, secure headers, the
log.

Plain ASGI, so that streams pass through it untouched.
"""

import ipaddress
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from tabletools.api.app_state import SAFE, LoginState, token_of
from tabletools.api.asgi import (
    App,
    Message,
    Receive,
    RequestHead,
    Scope,
    Send,
    body_again,
    head_of,
)
from tabletools.api.problems import MOST_BYTES, plain, problem
from tabletools.api.terminal_routes import PLACING
from tabletools.rules.codes.fields import INVALID_TEXT
from tabletools.rules.violation import RuleViolation
from tabletools.settle.strict_json import DUPLICATE_KEY, parse_line
from tabletools.store.requester import NOBODY, REQUESTER

MOST_AT_ONCE = 12
"""Requests of one login in progress: a page of the console sends 8, and there are 40 threads."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self';"
        " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
_HSTS = {"strict-transport-security": "max-age=31536000"}
_NOT_STORED = {"cache-control": "no-store"}


class SecurityMiddleware:
    """Wraps the application of one host, or of a centre."""

    def __init__(self, app: App, state: LoginState) -> None:
        self._app = app
        self._state = state
        self._logins: Counter[str] = Counter()  # requests in progress, by token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        REQUESTER.set(scope.get("state", {}).get("requester", NOBODY))
        request = head_of(scope)
        if request is None:
            await self._app(scope, receive, send)
            return
        watch = _Watch(self._state, request, scope, send)
        answer = self._refusal(request)
        if answer is None and request.method not in SAFE:
            body = await _body(receive)
            if body is None:  # the client disconnected, perhaps before the end of the body
                watch.end()
                return
            answer, receive = _body_refusal(body), body_again(body, receive)
        token = self._token_of(request, scope)
        if answer is None and self._logins[token] >= MOST_AT_ONCE:
            answer = _too_many()
        if answer is not None:
            await answer(scope, receive, watch.send)
        else:
            with self._count(token, watch):
                try:
                    await self._app(scope, receive, watch.send)
                except Exception as error:  # answered already, as a problem
                    watch.note_defect(error)
        watch.end()

    def _token_of(self, request: RequestHead, scope: Scope) -> str:
        """Return the token that a request for a worker thread states, empty if it has none.

        Bets need none: they wait in the queue of their table.
        """
        if not request.path.startswith("/v1") or (
            request.method == "POST" and request.path in PLACING
        ):
            return ""
        stated = HTTPConnection(scope)
        return stated.cookies.get(self._state.cookie) or token_of(
            stated.headers.get("authorization", "")
        )

    @contextmanager
    def _count(self, token: str, watch: "_Watch") -> Iterator[None]:
        """Count a request until its answer begins: a stream then needs no thread."""
        if not token:
            yield
            return

        def leave() -> None:
            if not left:
                left.append(True)
                self._logins[token] -= 1
                if not self._logins[token]:
                    del self._logins[token]

        left: list[bool] = []
        self._logins[token] += 1
        watch.on_start = leave
        try:
            yield
        finally:
            leave()

    def _refusal(self, request: RequestHead) -> Any:
        headers = {n.decode("latin-1"): value.decode("latin-1") for n, value in request.headers}
        host = _name_of(f"//{headers.get('host', '')}")
        if not self._is_ours(host):
            what = f"the request is for {host!r}, which is not a name of this host"
            step = "use its own name, or add the name to `names` in its settings"
            return problem(421, "wrong_host", what, step)
        origin = headers.get("origin")
        if request.method not in SAFE and origin is not None:
            scheme = "https" if self._state.settings.is_secure else "http"
            ours = f"{scheme}://{headers.get('host', '')}"
            if origin != ours:
                what = f"the request comes from another host's page: {origin[:100]!r}"
                return problem(403, "origin", what, f"pages of {ours} may")
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy that reads the other of the two headers sees another request (RFC 9112, 6.1).
            what = "the request has both Content-Length and Transfer-Encoding"
            answer = problem(400, "body_ambiguous", what, "send one of the two")
            answer.headers["connection"] = "close"
            return answer
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return plain(413)
        return None

    def _is_ours(self, name: str) -> bool:
        settings = self._state.settings
        if settings.names:
            return name in settings.names
        if settings.public or settings.behind_proxy:
            return bool(name)
        return name in (*LOOPBACK, settings.host.strip("[]"))


def _too_many() -> Any:
    what = f"{MOST_AT_ONCE} requests of this login are in progress"
    answer = problem(429, "too_many_requests", what, "wait for their answers, then send it again")
    answer.headers["retry-after"] = "1"
    return answer


async def _body(receive: Receive) -> bytes | None:
    """Read the body of a request; of one that is too long only enough to know it.

    None if the connection ended before.
    """
    parts, count, more = [], 0, True
    while more and count <= MOST_BYTES:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        count += len(parts[-1])
        more = message.get("more_body", False)
    return b"".join(parts)


def _body_refusal(body: bytes) -> Any:
    """Return the answer to a body that is too long or ambiguous JSON; else None."""
    if len(body) > MOST_BYTES:
        return plain(413)
    try:
        if body:
            parse_line(body)
    except RuleViolation as refusal:
        if refusal.code is DUPLICATE_KEY:
            return problem(400, refusal.code.name, refusal.what, refusal.code.remedy)
        if refusal.code is not INVALID_TEXT:  # the routes name the field
            return plain(400)
    return None


def _name_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(address: str) -> bool:
    """Whether an address to listen on can be reached from this machine only."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False


class _Watch:
    """One request: adds headers to its answer and writes a log line at its end."""

    def __init__(self, state: LoginState, request: RequestHead, scope: Scope, send: Send) -> None:
        self.status = 0
        self.on_start: Callable[[], None] = lambda: None
        """Called when the answer begins."""
        self._state = state
        self._request = request
        self._scope = scope
        self._send = send
        self._begun = time.perf_counter()
        self._id = secrets.token_hex(8)

    async def send(self, message: Message) -> None:
        """Pass a message of the answer on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.on_start()
            own = {**HEADERS, "x-request-id": self._id}
            if self._state.settings.is_secure:
                own |= _HSTS
            headers = message["headers"]
            names = {name for name, _ in headers}
            if b"cache-control" not in names and self._request.path.startswith("/v1"):
                own |= _NOT_STORED
            more = ((name.encode(), value.encode()) for name, value in own.items())
            message["headers"] = [*headers, *more]
        await self._send(message)

    def end(self) -> None:
        """Note that the request was answered."""
        spent = time.perf_counter() - self._begun
        route = self._scope.get("route")
        path = getattr(route, "path", "other")
        self._state.requests.note(self._request.method, path, self.status, spent)
        self._state.log(
            "request",
            {
                "id": self._id,
                "method": self._request.method,
                "path": self._request.path[:200],
                "status": self.status,
                "ms": round(spent * 1000, 1),
                "peer": self._request.peer,
            },
        )

    def note_defect(self, error: Exception) -> None:
        """Note an unexpected error."""
        self._state.log("defect", {"id": self._id, "why": f"{type(error).__name__}: {error}"})
