"""An emulated external wallet: a book that follows WALLET.md, and a server that fails on purpose.

Shares no code with the host: the developer of a wallet may read it as a second description.
`WalletBook` is the wallet; `WalletServer` is what may go wrong between it and the host
(`FAILURES`).
"""

import base64
import hashlib
import hmac
import json
import os
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Fields = dict[str, Any]
_OF_MOVEMENT = ("kind", "key", "account", "currency", "cents")
_PAGE = 3
"""Entries on a page of a statement: few, so that tests turn pages."""
_SKEW_S = 300
"""Requests signed longer ago, or so far ahead, are refused."""


class WalletBook:
    """Accounts of players and every movement, in memory and, with a file, on the disk.

    file: a line for each movement, before it is answered; a new book reads it.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.balances: dict[str, int] = {}
        """Cents by account number; an account that is not here is unknown."""
        self._answers: dict[tuple[str, str], tuple[Fields, Fields]] = {}
        self._entries: list[Fields] = []
        self._file = file
        self._lock = threading.Lock()
        if file is not None and file.exists():
            for line in file.read_text().splitlines():
                self._carry_out(json.loads(line))

    def open(self, account: str, cents: int) -> None:
        """Open an account with money."""
        self.answer({"kind": "open", "account": account, "cents": cents})

    def answer(self, request: Fields) -> Fields:
        """Carry a request out, once for its key, and return the answer."""
        with self._lock:
            kind = request["kind"]
            if kind == "health":
                return {"kind": kind, "status": "done"}
            if kind == "statement":
                return self._statement(request)
            if self._file is not None:
                with self._file.open("a") as file:
                    file.write(json.dumps(request) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
            return self._carry_out(request)

    def _carry_out(self, request: Fields) -> Fields:
        if request["kind"] == "open":
            self.balances[request["account"]] = request["cents"]
            return {}
        name = ("reversal" if request["kind"] == "reversal" else "movement", request["key"])
        same = {field: request[field] for field in _OF_MOVEMENT}
        before, answer = self._answers.get(name, (None, None))
        if before is not None and answer is not None:
            return answer if before == same else self._refuse(same, "key_reused")
        answer = self._move(request, same)
        self._answers[name] = same, answer
        return answer

    def _move(self, request: Fields, same: Fields) -> Fields:
        kind, account, cents = request["kind"], request["account"], request["cents"]
        if account not in self.balances:
            return self._refuse(same, "unknown_account")
        if kind == "reversal":
            return self._reverse(request, same)
        if kind == "debit":
            if ("reversal", request["key"]) in self._answers:  # it came after its reversal
                return self._refuse(same, "reversed")
            if self.balances[account] < cents:
                return self._refuse(same, "insufficient_funds")
        self.balances[account] += cents if kind == "credit" else -cents
        self._entries.append({**same, "day": request["day"], "reversed": False})
        return {**same, "status": "done", "balance_cents": self.balances[account]}

    def _reverse(self, request: Fields, same: Fields) -> Fields:
        account, done = request["account"], {**same, "status": "done"}
        for entry in self._entries:
            if entry["key"] == request["key"]:
                if (entry["kind"], entry["account"]) != ("debit", account):
                    return self._refuse(same, "no_debit")
                entry["reversed"] = True
                self.balances[account] += entry["cents"]
        return {**done, "balance_cents": self.balances[account]}

    def _refuse(self, same: Fields, code: str) -> Fields:
        return {**same, "status": "refused", "code": code}

    def _statement(self, request: Fields) -> Fields:
        after = int(request["after"] or 0)
        of_day = [each for each in self._entries if each["day"] == request["day"]]
        page = of_day[after : after + _PAGE]
        is_last = after + _PAGE >= len(of_day)
        return {
            "kind": "statement",
            "day": request["day"],
            "entries": [{k: v for k, v in each.items() if k != "day"} for each in page],
            "next": None if is_last else str(after + _PAGE),
        }


def signature(secret: bytes, ident: str, timestamp: str, body: bytes) -> str:
    """Return `webhook-signature` of a message, as Standard Webhooks describes it."""
    digest = hmac.new(secret, f"{ident}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


# --- what may go wrong ---------------------------------------------------------------------------

# Failures that hand the body over without changing it; the others change a good answer.
_BEFORE = ("timeout_before", "reset_before", "status_400", "status_404", "status_500", "redirect")
_CHANGED: Mapping[str, Callable[[Fields], Fields]] = {
    "wrong_amount": lambda answer: {**answer, "cents": answer.get("cents", 0) + 1},
    "negative_amount": lambda answer: {**answer, "cents": -answer.get("cents", 1)},
    "overflow": lambda answer: {**answer, "cents": 2**64 + answer.get("cents", 0)},
    "fraction": lambda answer: {**answer, "cents": float(answer.get("cents", 1))},
    "wrong_key": lambda answer: {**answer, "key": "f" * 32},
    "wrong_account": lambda answer: {**answer, "account": "Ω" * 300},
    "wrong_kind": lambda answer: {**answer, "kind": "credit" * 2},
    "wrong_currency": lambda answer: {**answer, "currency": "XXX"},
    "no_status": lambda answer: {**answer, "status": "maybe"},
}
_BODIES: Mapping[str, Callable[[bytes], bytes]] = {
    "garbage": lambda body: b"<html>gateway</html>",
    "empty": lambda body: b"",
    "not_utf8": lambda body: b"\xff\xfe" + body,
    "nested": lambda body: b"[" * 100_000,
    "twice_named": lambda body: body[:-1] + b',"status":"done"}',
    "not_a_number": lambda body: body[:-1] + b',"more":NaN}',
    "huge": lambda body: body[:-1] + b" " * 1_000_000 + b"}",
}
FAILURES = (
    *_BEFORE,
    *_CHANGED,
    *_BODIES,
    "timeout_after",
    "reset_after",
    "half_answer",
    "status_500_after",
    "twice",
    "unsigned",
    "old_answer",
    "slow",
    "drip",
    "drip_to_close",
    "skew",
)
"""Every way to fail that `WalletServer` knows. twice: the request is delivered a second time, and
the second answer returned; slow: a good answer, late but in time; the host does not need to mind
these two. Those named before do not apply the request; all others do."""
HARMLESS = ("twice", "slow")
"""Failures after which the host has a good answer."""
ANSWERED_TWICE = "answered_twice"
"""A copy of the answer follows it a little later. Not among `FAILURES`: what it does depends on
whether the next request is on its way by then."""
UNAPPLIED = (*_BEFORE, "skew")
"""Failures after which the wallet has not carried the request out."""
UNANSWERED = ("timeout_before", "timeout_after", "drip", "drip_to_close")
"""Failures that end when the host has waited for as long as it may."""


class WalletServer:
    """A wallet on a port of this machine. failures: what happens to the next requests, in order.

    timeout_s: after which the host has given up on a request.
    """

    def __init__(
        self, book: WalletBook, secret: bytes, *, timeout_s: float = 0.3, port: int = 0
    ) -> None:
        self.book = book
        self.failures: deque[str] = deque()
        self.requests: list[Fields] = []
        """Every request that was authentic, as it came."""
        self.skew_s = 0
        """How far the clock of the wallet is ahead."""
        self.timeout_s = timeout_s
        self.be_slow: Callable[[], object] = lambda: time.sleep(self.timeout_s / 4)
        """Passes the time of an answer that is slow."""
        self._secret = secret
        self._last: tuple[bytes, str] | None = None
        self._connections: list[socket.socket] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 5

            def setup(self) -> None:
                super().setup()
                server._connections.append(self.connection)

            def do_POST(self) -> None:
                server._serve(self)

            def log_message(self, format: str, *args: object) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """On which it listens."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/wallet/v1"

    def close(self) -> None:
        """End: connections are closed, and refused from now on."""
        self._server.shutdown()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._server.server_close()
        self._thread.join()

    def _serve(self, call: BaseHTTPRequestHandler) -> None:
        body = call.rfile.read(int(call.headers["content-length"] or 0))
        ident, timestamp = call.headers["webhook-id"], call.headers["webhook-timestamp"]
        request = json.loads(body)
        if not self._is_authentic(call, body) or call.path != f"/wallet/v1/{request['kind']}":
            self._send(call, 401, b"{}", "")
            return
        self.requests.append(request)
        is_movement = request["kind"] in ("debit", "credit", "reversal")
        failure = self.failures.popleft() if self.failures and is_movement else ""
        if failure in UNAPPLIED:
            self._fail_before(call, failure)
            return
        answer = self.book.answer(request)
        if failure == "twice":
            answer = self.book.answer(request)
        if failure in _CHANGED:
            answer = _CHANGED[failure](answer)
        text = json.dumps(answer).encode()
        text = _BODIES[failure](text) if failure in _BODIES else text
        signed = signature(self._secret, ident, timestamp, text)
        self._fail_after(call, failure, text, signed)
        if is_movement:
            self._last = text, signed

    def _is_authentic(self, call: BaseHTTPRequestHandler, body: bytes) -> bool:
        ident, timestamp = call.headers["webhook-id"], call.headers["webhook-timestamp"]
        signed = call.headers["webhook-signature"].split(" ")
        is_signed = signature(self._secret, ident, timestamp, body) in signed
        return is_signed and abs(time.time() + self.skew_s - int(timestamp)) <= _SKEW_S

    def _fail_before(self, call: BaseHTTPRequestHandler, failure: str) -> None:
        if failure == "timeout_before":
            time.sleep(2 * self.timeout_s)
            call.close_connection = True
        elif failure == "reset_before":
            self._reset(call)
        elif failure == "redirect":
            call.send_response(307)
            call.send_header("location", "http://127.0.0.1:1/elsewhere")
            call.send_header("content-length", "0")
            call.end_headers()
        else:
            status = 401 if failure == "skew" else int(failure.split("_")[1])
            self._send(call, status, b'{"status":"refused","code":"insufficient_funds"}', "")

    def _fail_after(
        self, call: BaseHTTPRequestHandler, failure: str, text: bytes, signed: str
    ) -> None:
        if failure == "timeout_after":
            time.sleep(2 * self.timeout_s)
            call.close_connection = True
        elif failure == "reset_after":
            self._reset(call)
        elif failure == "half_answer":
            call.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n" + text[:20])
            self._reset(call)
        elif failure == "drip":
            self._drip(call, text, "")
        elif failure == "drip_to_close":
            self._drip(call, text, "connection: close\r\n")
        elif failure == "old_answer" and self._last is not None:
            self._send(call, 200, *self._last)
        else:
            if failure == "slow":
                self.be_slow()
            status = 500 if failure == "status_500_after" else 200
            self._send(call, status, text, "" if failure in ("unsigned", "old_answer") else signed)
            if failure == ANSWERED_TWICE:
                time.sleep(self.timeout_s / 10)
                self._send(call, status, text, signed)

    def _drip(self, call: BaseHTTPRequestHandler, text: bytes, more: str) -> None:
        """Send a byte now and then: no read of the host waits for long, all of them do."""
        call.close_connection = True
        head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(text)}\r\n{more}\r\n".encode()
        until = time.monotonic() + 8 * self.timeout_s
        if more:
            call.wfile.write(head)
        for byte in text if more else head + text:
            if time.monotonic() > until:
                return
            try:
                call.wfile.write(bytes([byte]))
                call.wfile.flush()
            except OSError:
                return
            time.sleep(self.timeout_s / 10)

    def _reset(self, call: BaseHTTPRequestHandler) -> None:
        linger = struct.pack("ii", 1, 0)
        call.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        call.close_connection = True
        call.connection.close()

    def _send(self, call: BaseHTTPRequestHandler, status: int, text: bytes, signed: str) -> None:
        call.send_response(status)
        call.send_header("content-type", "application/json")
        call.send_header("content-length", str(len(text)))
        if signed:
            call.send_header("webhook-signature", signed)
        call.end_headers()
        call.wfile.write(text)
