"""The parts of the estate bench that count: what a bettor calls taken, and the ranks."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hil_tests.thinned import soak_only
from host_tools.bench import many_tables
from host_tools.bench.estate_bench import figures, parse, ranks
from host_tools.bench.estate_bettors import Bettor
from host_tools.bench.estate_tables import Wheel
from host_tools.tests import postgresql

# Status and body of each answer in turn; None: the line is cut without one.
ANSWERS = [
    (201, {"bet": 1}),
    (503, {"code": "table_not_held"}),
    None,
    (201, {"bet": 2}),
    (409, {"code": "no_more_bets"}),
    (201, {"bet": 3}),
]


class Desk(BaseHTTPRequestHandler):
    """Answers as given; keys: of the requests received."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """Answer a bet."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.keys.append(self.headers["Idempotency-Key"])
        answer = self.server.answers.pop(0) if self.server.answers else (201, {"bet": 99})
        if not self.server.answers:
            self.server.over.set()
        if answer is None:
            self.close_connection = True
            return
        text = json.dumps(answer[1]).encode()
        self.send_response(answer[0])
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def desk():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Desk)
    server.answers, server.keys, server.over = list(ANSWERS), [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_bettor_asks_again_with_the_same_key(desk):
    """Until it is booked or refused; then for the next bet, and once more in the end."""
    bettor = Bettor(7, "token", [desk.server_address[1]], 0.0, desk.over)
    bettor.run()
    assert desk.keys[:6] == ["7-0", "7-1", "7-1", "7-1", "7-2", "7-3"]
    assert [bettor.placed[key] for key in ("7-0", "7-1", "7-3")] == [1, 2, 3]
    assert "7-2" not in bettor.placed
    assert (bettor.again, bettor.closed, len(bettor.took)) == (2, 1, 3)


def test_ranks_are_of_all_answers():
    """Of 1 to 99 ms half are within 50, 95 of 100 within 95, 99 of 100 within 99."""
    assert ranks([ms / 1000 for ms in range(1, 100)]) == (50.0, 95.0, 99.0)
    assert ranks([]) == (0.0, 0.0, 0.0)


def test_a_wheel_plays_rounds_in_their_order():
    """Opens, closes with its number after the time for bets, waits for the acknowledgement."""
    wheel = Wheel(1000, 2.0, threading.Event())
    assert wheel._play(10.0) == b""  # without a session nothing goes out; the journal keeps it
    assert [record[1] for _, record in wheel.journal] == [0x10]
    wheel._play(11.9)
    assert len(wheel.journal) == 1
    wheel._play(12.0)
    assert [record[1] for _, record in wheel.journal] == [0x10, 0x11, 0x12]
    wheel._play(12.4)
    assert wheel.rounds == 0
    wheel.journal.clear()
    wheel._play(12.5)
    assert (wheel.rounds, wheel.settled) == (1, [0.5])


def test_without_postgresql_there_are_no_figures(monkeypatch):
    """`make bench` continues without them."""
    monkeypatch.setattr(postgresql, "binaries", lambda: None)
    assert figures() == []


def test_the_large_form_has_its_options():
    """What the capacity plan was measured with."""
    options = parse(["--tables", "1", "16", "--bettors", "4", "--no-kill"])
    assert (options.tables, options.bettors, options.hosts, options.kill) == ([1, 16], 4, 2, False)


@soak_only
def test_many_tables_come_online_and_settle_their_rounds():
    """As few as a test can afford: what is measured is there, and rounds are believed."""
    results = many_tables.measure(3, many_tables.parse(["--seconds", "3", "--bet-seconds", "1"]))
    assert (results["tables"], results["still_online"]) == (3, 3)
    assert results["rounds_s"] > 0
    assert 0 < results["rest_cores"] < 1
