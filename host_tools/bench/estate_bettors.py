"""Bettors of the estate bench, in a process of their own: each lays bets as it is answered.

    python -m host_tools.bench.estate_bettors PAUSE_S HOST_PORT... < TOKENS

TOKENS: a line of JSON with the token of each bettor. A request that was not answered, or that
nothing could be booked for, is sent again with the same key, to the next host. Says what was
measured when its input ends.
"""

import http.client
import json
import sys
import threading
import time

AGAIN_S = 0.05
BODY = json.dumps({"bet": "red", "stake_cents": 500})


CLOSED = ("no_more_bets", "no_round", "configuration")
"""Codes of a table that accepts no bet now; the last: its host has just begun to read it."""


class Bettor(threading.Thread):
    """One terminal. placed: number of each bet by its key; took: s of each answer that took a bet.

    longest_s: without any answer of the kind that books.
    """

    def __init__(self, number, token, ports, pause_s, over):
        super().__init__(daemon=True)
        self.placed, self.took = {}, []
        self.closed = self.again = 0
        self.longest_s = 0.0
        self._number, self._token, self._ports = number, token, ports
        self._pause_s, self._over = pause_s, over
        # Each refusal is a late bet, with an event of its own: a player who asks again at once
        # costs more than one who plays.
        self._again_s = max(AGAIN_S, pause_s)
        self._place = number % len(ports)
        self._line = None

    def run(self):
        """Lay bets until it is over; the last one is answered."""
        count, asked_at = 0, time.monotonic()
        while not self._over.is_set():
            key = f"{self._number}-{count}"
            begun = time.monotonic()
            answer = self._ask(key)
            now = time.monotonic()
            if answer is None or answer[0] == 503:
                self.again += 1
                self._next()
                self._over.wait(self._again_s)
                continue
            self.longest_s = max(self.longest_s, now - asked_at)
            asked_at, count = now, count + 1
            if answer[0] == 201:
                self.placed[key] = answer[1]["bet"]
                self.took.append(now - begun)
                self._over.wait(self._pause_s)
            else:
                assert answer[1]["code"] in CLOSED, answer
                self.closed += 1
                self._over.wait(self._again_s)
        self._unanswered(f"{self._number}-{count}")
        if self._line is not None:
            self._line.close()

    def _unanswered(self, key):
        """Ask again for the bet that may have been taken without an answer, if it was asked."""
        for _ in range(200):
            answer = self._ask(key)
            if answer is not None and answer[0] != 503:
                if answer[0] == 201:
                    self.placed[key] = answer[1]["bet"]
                return
            self._next()
            threading.Event().wait(AGAIN_S)

    def _ask(self, key):
        if self._line is None:
            port = self._ports[self._place]
            self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Idempotency-Key": key,
            "Content-Type": "application/json",
        }
        try:
            self._line.request("POST", "/v1/bets", BODY, headers)
            answer = self._line.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            return None

    def _next(self):
        if self._line is not None:
            self._line.close()
        self._line = None
        self._place = (self._place + 1) % len(self._ports)


def main():
    """Bet until the input ends."""
    pause_s, ports = float(sys.argv[1]), [int(word) for word in sys.argv[2:]]
    tokens = json.loads(sys.stdin.readline())
    over = threading.Event()
    bettors = [Bettor(n, token, ports, pause_s, over) for n, token in enumerate(tokens)]
    for bettor in bettors:
        bettor.start()
    sys.stdin.read()
    over.set()
    for bettor in bettors:
        bettor.join()
    report = {
        "taken": sorted(bet for bettor in bettors for bet in bettor.placed.values()),
        "took": [seconds for bettor in bettors for seconds in bettor.took],
        "closed": sum(bettor.closed for bettor in bettors),
        "again": sum(bettor.again for bettor in bettors),
        "longest_s": max((bettor.longest_s for bettor in bettors), default=0.0),
    }
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
