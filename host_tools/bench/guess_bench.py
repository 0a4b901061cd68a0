"""Decisions of two users while strangers guess passwords: the slowest but one, to that at rest.

An adjustment of a cent, whose second user gives a password, with argon2 at its shipped cost; host
and guessing clients share this machine.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from argon2 import PasswordHasher

from host_tools.bench.figure import Figure, judged, reported
from host_tools.tests.pit import FRENCH
from host_tools.tests.served import HOUSE, PASSWORD, Host
from tabletools.table.terms import create_table

LOAD = Path(__file__).resolve().parent / "guess_load.py"
CLIENTS, DECISIONS = 100, 60
MOST_TIMES = 5


@contextmanager
def guessing(port: int, clients: int) -> Iterator[None]:
    """Clients that guess, each of which was answered before this begins."""
    words = [sys.executable, str(LOAD), str(port), str(clients)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as strangers:
        assert strangers.stdout is not None
        try:
            assert strangers.stdout.readline(), "the guessing clients failed"
            yield
        finally:
            strangers.terminate()


def decision_ms(sue: httpx.Client, count: int, first: str) -> list[float]:
    """Times of so many decisions, one after the other, sorted."""
    body = {
        "cents": 1,
        "table": 1,
        "reason": "measured",
        "evidence": "none",
        "second": {"name": "Dan", "password": PASSWORD},
    }
    times = []
    for number in range(count):
        begun = time.perf_counter()
        key = {"Idempotency-Key": f"{first} {number}"}
        answer = sue.post("/v1/accounts/1/adjustments", json=body, headers=key)
        times.append((time.perf_counter() - begun) * 1000)
        assert answer.status_code == 201, answer.text
    return sorted(times)


def figures(
    clients: int = CLIENTS, decisions: int = DECISIONS, hasher: PasswordHasher | None = None
) -> list[Figure]:
    """The ratio, and the two times it is made of. hasher: as shipped if it is None."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Host(f"{folder}/ledger", hasher=hasher or PasswordHasher()) as host,
    ):
        for name, role in (("Sue", "supervisor"), ("Dan", "supervisor")):
            host.user(name, role)
        create_table(host.ledger, "R1", FRENCH, HOUSE, device=1)
        sue = host.login("Sue")
        host.login("Dan")
        account = {"player_number": "1", "name": "Ada"}
        assert sue.post("/v1/accounts", json=account).json()["id"] == 1
        rest = decision_ms(sue, decisions, "rest")
        with guessing(int(host.url.rpartition(":")[2]), clients):
            crowd = decision_ms(sue, decisions, "crowd")
    (*_, slow, _), (*_, slow_at_rest, _) = crowd, rest
    times = round(slow / slow_at_rest, 2)
    kind = f"slowest but one of {decisions} decisions"
    name = f"{kind} under {clients} guessing clients"
    return [
        judged(f"{name}, to that at rest", times, "times", f"<= {MOST_TIMES}",
               is_met=times <= MOST_TIMES),
        reported(name, round(slow, 1), "ms"),
        reported(f"{kind} at rest", round(slow_at_rest, 1), "ms"),
    ]  # fmt: skip


if __name__ == "__main__":
    for figure in figures():
        print(figure)
