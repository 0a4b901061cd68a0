"""The running host killed at every step of a write: one round, one bet, settled and paid once.

Each case: a host is killed with SIGKILL when it reaches a step of the ledger for the nth time;
another takes over. The terminal sends its request again with the same key until it is answered,
the table repeats what was not acknowledged.
"""

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from hil_tests.thinned import thinned
from host_tools.tests.conftest import DATABASES
from host_tools.tests.emulated import Played
from host_tools.tests.served import HOUSE, french
from host_tools.tests.terminals import open_seat, write_session_key
from tableemulator.machines.repeater import Served
from tabletools.money import cash, people_queries, play_queries
from tabletools.pit.assignments import place_of
from tabletools.store import Store
from tabletools.table import verify

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a token of the terminal"
# (step, how often it comes before the host dies): records, a bet, then whole transactions.
CASES = [
    *((step, nth) for step in ("received", "begun", "evidence", "judged") for nth in (1, 2, 3)),
    ("settled", 1),
    *((step, 1) for step in ("verified", "posted", "inserted", "kept")),
    *((step, nth) for step in ("before_commit", "committed") for nth in range(1, 7)),
]


def test_how_many_cases_there_are():
    """12 of records, 1 of the settlement, 4 of the bet, 12 of transactions in their order."""
    assert len(CASES) == 29


# Each database with some of them; with TABLEWIRE_EVERY_STEP (make soak) with all.
RUNS = [
    *(("sqlite", *case) for case in thinned(CASES, 12)),
    *(("postgresql", *case) for case in thinned(CASES, 36) if "postgresql" in DATABASES),
]


def fill(place):
    """Make a ledger with the table, and one player with EUR 1,000.00 at a terminal."""
    ledger = Store.open(place)
    table = place_of(ledger, french("R1", "socket://127.0.0.1:1")).table
    account = cash.open_account(ledger, "1", "ada", pin_hash="none")
    cash.deposit(ledger, account, 100_000, "first", HOUSE)
    open_seat(ledger, TOKEN, account, table, "seat 1", "none")
    ledger.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """The file of such a ledger, to be copied."""
    place = tmp_path_factory.mktemp("kill") / "ledger"
    fill(str(place))
    return place


@pytest.fixture(scope="module")
def template_database(cluster):
    """The name of such a database, to be copied."""
    name = cluster.new_database()
    fill(cluster.url(name))
    return name


@pytest.fixture
def place(request, tmp_path):
    """The place of a separate, filled ledger. The parameter: which database."""
    if request.param == "postgresql":
        cluster = request.getfixturevalue("cluster")
        return cluster.url(cluster.new_database(request.getfixturevalue("template_database")))
    template = request.getfixturevalue("template")
    for part in template.parent.iterdir():
        shutil.copy(part, tmp_path / part.name)
    return str(tmp_path / template.name)


class Forks:
    """The program that forks hosts, and its output."""

    def __init__(self, session_key):
        self._session_key = str(session_key)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "host_tools.tests.killed_host"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._said = queue.Queue()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()
        self._waiting = []

    def _read(self):
        for line in self._process.stdout:
            self._said.put(json.loads(line))

    def start(self, place, url, step="", nth=0):
        """Start a host; returns its URL and process."""
        order = {"place": str(place), "url": url, "step": step, "nth": nth}
        order["session_key"] = self._session_key
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return self._said.get(timeout=60)

    def ended(self, wait_s):
        """The exit code of the host, None while it runs."""
        try:
            return self._said.get(timeout=wait_s)["ended"] if wait_s else self._now()
        except queue.Empty:
            return None

    def _now(self):
        return self._said.get_nowait()["ended"]

    def close(self):
        self._process.stdin.close()
        self._process.wait(60)
        self._thread.join()
        self._process.stdout.close()


@pytest.fixture(scope="module")
def forks(tmp_path_factory):
    processes = Forks(write_session_key(tmp_path_factory.mktemp("key")))
    yield processes
    processes.close()


class Night:
    """One round at a table while hosts die. killed: whether the first one did."""

    def __init__(self, forks, place, played, url):
        self.forks, self.place, self.url = forks, place, url
        self.played = played
        self.killed = False
        self.client = httpx.Client(verify=False)
        self.ledger = Store.open_existing(place)

    def begin(self, step="", nth=0):
        said = self.forks.start(self.place, self.url, step, nth)
        self.pid = said.get("pid")
        if self.pid is None:  # it died before it could say where it is
            self.killed = True
            self.begin()
            return
        self.client.close()
        headers = {"Authorization": f"Bearer {TOKEN}", "Idempotency-Key": "the bet"}
        self.client = httpx.Client(base_url=said["at"], headers=headers, verify=False, timeout=5)

    def revive(self):
        """Start another host if this one is dead."""
        code = self.forks.ended(0)
        if code is not None:
            assert code == -signal.SIGKILL
            assert not self.killed
            self.killed = True
            self.begin()

    def until(self, condition):
        """Wait until a request has that answer, from whichever host."""
        limit, nobody = time.monotonic() + 40, threading.Event()
        while time.monotonic() < limit:
            self.revive()
            try:
                value = condition()
            except httpx.TransportError:
                value = None
            if value:
                return value
            nobody.wait(0.01)  # lets the host run; what it does wakes nobody
        raise AssertionError("it did not happen")

    def seat(self):
        answer = self.client.get("/v1/seat")
        return answer.json() if answer.status_code == 200 else None

    def bet(self):
        """The answer to the bet, None if it has to be sent again."""
        answer = self.client.post("/v1/bets", json={"bet": "red", "stake_cents": 500})
        return None if answer.status_code == 503 else answer

    def play(self, step, nth):
        """One round; returns the answer to the bet."""
        self.begin(step, nth)
        self.until(lambda: self.client.get("/v1/ready").status_code == 200)
        self.played.open(1)
        self.until(lambda: (seat := self.seat()) and seat["round"])
        answer = self.until(self.bet)
        self.played.close(1)
        self.played.end(1, 7)
        self.until(self.is_settled)
        self.until(lambda: not self.played.journal)
        return answer

    def is_settled(self):
        """Whether the round is settled, by the ledger; without a bet nothing else shows it."""
        with self.ledger.read() as db:
            return [
                row["settled"] for row in play_queries.round_rows(db, play_queries.Search())
            ] == [1]

    def end(self):
        """Let the last host end by a signal."""
        self.client.close()
        self.ledger.close()
        os.kill(self.pid, signal.SIGTERM)
        code = self.forks.ended(30)
        if code == -signal.SIGKILL and not self.killed:
            self.killed = True
            return
        assert code == 0


@pytest.mark.parametrize(("place", "step", "nth"), RUNS, indirect=["place"])
def test_a_host_killed_there_is_survived(forks, place, step, nth):
    """The bet is there once if it was answered so, the round settled once, the books whole."""
    played = Played()
    with Served(played) as port:
        night = Night(forks, place, played, port.url)
        answer = night.play(step, nth)
        night.end()
    assert night.killed
    ledger = Store.open_existing(place)
    with ledger.read() as db:
        assert verify.check(db).problems == []
        [round_row] = play_queries.round_rows(db, play_queries.Search())
        bets = play_queries.bet_rows(db, round_row["id"])
        [player] = people_queries.player_rows(db)
    ledger.close()
    assert (round_row["verdict"], round_row["settled"]) == ("believed", 1)
    assert len(bets) == (answer.status_code == 201)
    valid = [bet for bet in bets if bet["standing"] == "valid"]
    assert player.balance_cents == 100_000 + 500 * len(valid) - 500 * (len(bets) - len(valid))
