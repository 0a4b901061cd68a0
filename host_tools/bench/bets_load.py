"""Terminals that place bets over HTTP as fast as each is answered: a process of its own.

    python host_tools/bench/bets_load.py < JOB

JOB is JSON: port; tokens, of one terminal each; seconds; a_slip, bets of one request, 0 for single
bets; first, number of the first key. It writes one line of JSON: bets, seconds, ms (of each
request, sorted), refused (codes).
"""

import json
import selectors
import socket
import sys
import time

HEAD = b"\r\n\r\n"
_STAKE = 500


class Terminal:
    """One connection with one request under way."""

    def __init__(self, port, token, name, a_slip):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.begun = 0.0
        self._path = "/v1/slips" if a_slip else "/v1/bets"
        self._token = token
        self._name = name
        self._a_slip = a_slip
        self._count = 0
        self._data = b""

    def ask(self):
        """Send the next request."""
        self._count += 1
        body = json.dumps(self._body(), separators=(",", ":")).encode()
        head = (
            f"POST {self._path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self._token}\r\nContent-Length: {len(body)}\r\n"
            f"Idempotency-Key: {self._name} {self._count}\r\n\r\n"
        )
        self.begun = time.perf_counter()
        self.socket.sendall(head.encode() + body)

    def _body(self):
        if not self._a_slip:
            return _bet(self._count)
        first = self._count * self._a_slip
        return {"bets": [_bet(first + place) for place in range(self._a_slip)]}

    def answer(self):
        """Read what is there; returns status and body of a whole answer, None before."""
        found = self.socket.recv(65_536)
        if not found:
            raise ConnectionError("the host closed the connection")
        self._data += found
        head, end, body = self._data.partition(HEAD)
        if not end:
            return None
        at = head.lower().index(b"content-length:") + 15
        length = int(head[at:].split(b"\r\n", 1)[0])
        if len(body) < length:
            return None
        self._data = b""
        return int(head[9:12]), body


def _bet(number):
    return {"bet": "straight", "numbers": [str(number % 37)], "stake_cents": _STAKE}


def run(job):
    """Place bets for so many seconds; returns what came of them."""
    chosen, a_slip = selectors.DefaultSelector(), job["a_slip"]
    for place, token in enumerate(job["tokens"]):
        made = Terminal(job["port"], token, f"{job['first']} {place}", a_slip)
        chosen.register(made.socket, selectors.EVENT_READ, made)
    begun, asking = time.perf_counter(), 0
    for key in list(chosen.get_map().values()):
        key.data.ask()
        asking += 1
    bets, spent, refused = 0, [], {}
    while asking:
        for key, _ in chosen.select():
            found = key.data.answer()
            if found is None:
                continue
            now = time.perf_counter()
            spent.append((now - key.data.begun) * 1000)
            for code in _codes(*found, a_slip):
                if code:
                    refused[code] = refused.get(code, 0) + 1
                else:
                    bets += 1
            if now - begun < job["seconds"]:
                key.data.ask()
            else:
                asking -= 1
    return {"bets": bets, "seconds": time.perf_counter() - begun, "ms": sorted(spent),
            "refused": refused}  # fmt: skip


def _codes(status, body, a_slip):
    """The code of each bet of an answer, empty if it was accepted."""
    if status not in (200, 201):
        return [json.loads(body)["code"]] * max(1, a_slip)
    if not a_slip:
        return [""]
    return [each["code"] or "" for each in json.loads(body)["bets"]]


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
