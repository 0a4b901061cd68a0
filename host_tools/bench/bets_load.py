"""Terminals that place bets over HTTP: a process of its own.

    python host_tools/bench/bets_load.py < JOB

JOB is JSON: port; tokens, of one terminal each; seconds; a_slip, bets of one request, 0 for single
bets; first, number of the first key; a_second, requests that arrive in a second. They arrive at
random (a Poisson process), whether the host has answered those before or not; each takes a free
terminal, and its time counts from its arrival, so it includes any wait for one. With a_second 0
every terminal sends its next request when it is answered. It writes one line of JSON: bets,
seconds, ms (of each request, sorted), refused (codes).
"""

import json
import random
import selectors
import socket
import sys
import time
from collections import deque

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

    def ask(self, arrived):
        """Send the next request. arrived: when it was there to be sent."""
        self._count += 1
        body = json.dumps(self._body(), separators=(",", ":")).encode()
        head = (
            f"POST {self._path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self._token}\r\nContent-Length: {len(body)}\r\n"
            f"Idempotency-Key: {self._name} {self._count}\r\n\r\n"
        )
        self.begun = arrived
        self.socket.sendall(head.encode() + body)

    def _body(self):
        if not self._a_slip:
            return _bet(self._count)
        first = self._count * self._a_slip
        return {"bets": [_bet(first + place) for place in range(self._a_slip)]}

    def answer(self):
        """Read what is there; returns status and body of a whole answer, None before."""
        data = self.socket.recv(65_536)
        if not data:
            raise ConnectionError("the host closed the connection")
        self._data += data
        head, end, body = self._data.partition(HEAD)
        if not end:
            return None
        value_start = head.lower().index(b"content-length:") + 15
        length = int(head[value_start:].split(b"\r\n", 1)[0])
        if len(body) < length:
            return None
        self._data = b""
        return int(head[9:12]), body


def _bet(number):
    return {"bet": "straight", "numbers": [str(number % 37)], "stake_cents": _STAKE}


def run(job):
    """Place bets for so many seconds; returns what came of them."""
    chosen, a_slip, source = selectors.DefaultSelector(), job["a_slip"], random.Random(1)
    free = deque()
    for place, token in enumerate(job["tokens"]):
        terminal = Terminal(job["port"], token, f"{job['first']} {place}", a_slip)
        chosen.register(terminal.socket, selectors.EVENT_READ, terminal)
        free.append(terminal)
    arrival = now = begun = time.perf_counter()
    end = begun + job["seconds"]
    bets, spent, refused = 0, [], {}
    while arrival < end or len(free) < len(job["tokens"]):
        while free and arrival <= now and arrival < end:
            free.popleft().ask(arrival)
            if job["a_second"]:
                arrival += source.expovariate(job["a_second"])
        is_due = free and arrival < end
        for key, _ in chosen.select(max(0.0, arrival - now) if is_due else None):
            answer = key.data.answer()
            if answer is None:
                continue
            spent.append((time.perf_counter() - key.data.begun) * 1000)
            free.append(key.data)
            for code in _codes(*answer, a_slip):
                if code:
                    refused[code] = refused.get(code, 0) + 1
                else:
                    bets += 1
        now = time.perf_counter()
        if not job["a_second"]:
            arrival = now
    return {
        "bets": bets,
        "seconds": time.perf_counter() - begun,
        "ms": sorted(spent),
        "refused": refused,
    }


def _codes(status, body, a_slip):
    """The code of each bet of an answer, empty if it was accepted."""
    if status not in (200, 201):
        return [json.loads(body)["code"]] * max(1, a_slip)
    if not a_slip:
        return [""]
    return [each["code"] or "" for each in json.loads(body)["bets"]]


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
