"""The reference consumer: killed at every step, sent everything twice, still exactly once."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from host_tools.tests import mosquitto
from host_tools.tests.broker import plain
from host_tools.tests.left_out import leave_out
from host_tools.tests.mosquitto import Mosquitto
from tabletools.cms import MqttSink, OutgoingEvent
from tabletools.cms.consumer import Consumer, Landing

if mosquitto.binary() is None:
    leave_out("Mosquitto", "the broker's side of events", mosquitto.HOW)
    pytest.skip("no mosquitto here", allow_module_level=True)

SCRIPT = Path(__file__).with_name("killed_consumer.py")
STEPS = ("received", "begun", "inserted", "committed", "acknowledged")
EVENTS = 3  # a case
CASES = [(step, nth) for step in STEPS for nth in (1, EVENTS)] + [("inserted", 2)]
KILLED = -signal.SIGKILL


def event(number, **more):
    """A whole event; its data counts."""
    document = {
        "specversion": "1.0",
        "id": f"e{number}",
        "source": "urn:test",
        "type": "t",
        "subject": "s",
        "time": "2027-01-15T08:00:00Z",
        "sequence": f"{number:020d}",
        "table": 1,
        "data": {"n": number},
    }
    return json.dumps(document | more).encode()


def letters(*numbers):
    return [OutgoingEvent(n, f"e{n}", "tablewire.round.settled", 1, event(n), 0) for n in numbers]


def ids_in(file):
    with closing(sqlite3.connect(file)) as db:
        return [row[0] for row in db.execute("SELECT id FROM events ORDER BY position")]


def begin_session(broker, file):
    """From now on the broker keeps what the consumer misses."""
    with closing(Landing(file)) as landing:
        consumer = Consumer(plain(broker), landing, "killed")
        consumer.step()
        consumer.close()


@pytest.fixture
def broker(tmp_path):
    server = Mosquitto(tmp_path / "broker").start()
    yield server
    server.stop()


@pytest.fixture
def sink(broker):
    new_sink = MqttSink(plain(broker))
    yield new_sink
    new_sink.close()


@pytest.fixture
def consumers():
    """Consumers by order: the answer is how one ended."""
    process = subprocess.Popen(
        [sys.executable, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def run(**order):
        print(json.dumps(order), file=process.stdin, flush=True)
        return int(process.stdout.readline())

    yield run
    process.stdin.close()
    process.wait(30)
    process.stdout.close()


def test_a_consumer_killed_at_any_step_has_each_event_once(broker, sink, consumers, tmp_path):
    """11 deaths; each time three events wait, the second of them sent twice: none lost or doubled.

    Killed at the third of a step or at the first: whether that many come together or not, it dies
    or ends with all of them; the next one finishes.
    """
    file, deaths, wanted = tmp_path / "landed", 0, []
    ask = {"url": broker.url, "db": str(file)}
    begin_session(broker, file)
    for step, nth in CASES:
        first = len(wanted) + 1
        a, b, c = range(first, first + EVENTS)
        wanted += [f"e{n}" for n in (a, b, c)]
        sink.send(letters(a, b))
        sink.send(letters(b, c))
        ended = consumers(**ask, step=step, nth=nth, count=len(wanted))
        deaths += ended == KILLED
        assert ended in (0, KILLED)
        assert consumers(**ask, step="", nth=0, count=len(wanted)) == 0
        assert ids_in(file) == wanted
    assert deaths >= len(STEPS)


def test_a_broker_that_restarts_under_a_consumer(broker, sink, tmp_path):
    """After a lost connection the consumer reports it, reconnects and receives what it missed."""
    with closing(Landing(tmp_path / "landed")) as landing:
        consumer = Consumer(plain(broker), landing, "steady")
        consumer.step()
        sink.send(letters(1))
        consumer.run(_Never(), until=lambda: landing.count() == 1)
        broker.stop()
        broker.start()
        sink.send(letters(2))  # finds the connection gone
        sink.send(letters(2))
        again = Consumer(plain(broker), landing, "steady")
        again.run(_Never(), until=lambda: landing.count() == 2)
    assert ids_in(tmp_path / "landed") == ["e1", "e2"]


class _Never:
    """A stop that is never set and waits for nothing."""

    def is_set(self):
        return False

    def wait(self, seconds):
        return False


def test_what_is_no_event_is_kept_aside(tmp_path):
    """Noise, another version, what SQLite cannot store, a contradiction: refused, each kept once.

    None of them may stop the consumer: the broker would send it again and again.
    """
    bad = [
        b"\xff",
        b"[]",
        b"{}",
        event(2, specversion="0.3"),
        event(3, table="1"),
        event(4, id=""),
        b"[" * 100_000 + b"]" * 100_000,
        event(5, table=1 << 63),
        event(6, subject="\ud800"),
        event(1, data={"n": 2}),
    ]
    with closing(Landing(tmp_path / "landed")) as landing:
        assert landing.land([("t", event(1))]) == (1, 0, 0)
        assert landing.land([("t", event(1)), *(("t", one) for one in bad)]) == (0, 1, len(bad))
        assert landing.land([("t", one) for one in bad]) == (0, 0, len(bad))
        assert landing.count() == 1
    with closing(sqlite3.connect(tmp_path / "landed")) as db:
        whys = [row[0] for row in db.execute("SELECT why FROM refused ORDER BY position")]
    assert len(whys) == len(bad)
    assert whys[-1] == "different content under the id of an event"
