"""How the sinks of a host stand, as /metrics, /v1/ready and /v1/sinks enqueue it."""

import re
import threading

import pytest
from sqlalchemy import event

from host_tools.tests.served import Host
from tabletools.cms import Sinks
from tabletools.cms.sinks import DeliveryResult
from tabletools.store.outbox import OutboxEvent, enqueue


class Drawer:
    """A sink that takes what it may. fails: an error for every event. is_gone: it is not there."""

    name, in_waves, most, retry_s, is_patient = "file:drawer", False, 100, (1.0,), False

    def __init__(self):
        self.fails = self.is_gone = ""

    def send(self, letters):
        if self.is_gone:
            return DeliveryResult(down=self.is_gone)
        numbers = [one.number for one in letters]
        return (
            DeliveryResult(failed=dict.fromkeys(numbers, self.fails))
            if self.fails
            else DeliveryResult(numbers)
        )

    def tick(self, states):
        return self.is_gone

    def close(self):
        pass


class Clock:
    """Clocks that a test moves, in seconds."""

    now_s = 1_800_000_000

    def wall_ns(self):
        return self.now_s * 10**9

    mono_ns = wall_ns


@pytest.fixture
def feed(ledger_place):
    """A host with one sink that a test drives: (host, sinks, drawer, clock)."""
    clock, drawer = Clock(), Drawer()
    with Host(ledger_place, clock=clock) as host:
        host.user("Amy", "auditor")
        sinks = Sinks(host.ledger, [drawer])
        host.state.sinks, host.state.down_sinks = sinks.states, sinks.down
        yield host, sinks, drawer, clock
        sinks.close()


def happen(host, name):
    """An event comes into the outbox."""
    at_ns = host.ledger.clock.wall_ns()
    answer = OutboxEvent(name, "tablewire.alarm.raised", "alarm/1", {}, None)
    host.ledger.run(lambda db: enqueue(db, answer, at_ns))


def standing(host):
    """The answer for the only sink."""
    [sink] = host.login("Amy").get("/v1/sinks").json()["sinks"]
    return sink


def metrics(host):
    """Value by name, of the sink."""
    lines = host.client().get("/metrics").text.splitlines()
    answer = (line.rpartition(" ") for line in lines if 'sink="file:drawer"' in line)
    return {name.partition("{")[0]: float(value) for name, _, value in answer}


def test_a_sink_that_is_gone_is_a_warning(feed):
    """Its backlog and age are reported, the host stays ready; when it is back all is 0."""
    host, sinks, drawer, clock = feed
    drawer.is_gone = "the disk is full"
    happen(host, "a")
    clock.now_s += 30
    happen(host, "b")
    sinks.run_once(0)
    answer = standing(host)
    assert (answer["state"], answer["error"]) == ("down", "the disk is full")
    assert (answer["waiting"], answer["oldest_s"], answer["dead"]) == (2, 30.0, 0)
    ready = host.client().get("/v1/ready")
    assert ready.status_code == 200
    assert ready.json()["warnings"] == ["sink file:drawer is down"]
    values = metrics(host)
    assert (values["tablewire_sink_up"], values["tablewire_sink_waiting"]) == (0, 2)
    assert values["tablewire_sink_lag_seconds"] == 30
    drawer.is_gone = ""
    sinks.run_once(60)
    answer = standing(host)
    assert (answer["state"], answer["waiting"], answer["oldest_s"], answer["sent"]) == (
        "up",
        0,
        0.0,
        2,
    )
    assert host.client().get("/v1/ready").json()["warnings"] == []
    assert metrics(host)["tablewire_sink_sent_total"] == 2


def test_a_sink_that_refuses_every_event_is_down(feed):
    """It answers, with an error to each: down from the third on, up once it takes one."""
    host, sinks, drawer, clock = feed
    drawer.fails = "answered 404"
    happen(host, "a")
    for _ in range(2):
        sinks.run_once(0)
        clock.now_s += 2
    assert (standing(host)["state"], metrics(host)["tablewire_sink_up"]) == ("up", 1)
    happen(host, "b")
    sinks.run_once(0)
    answer = standing(host)
    assert (answer["state"], answer["error"]) == ("down", "answered 404")
    assert metrics(host)["tablewire_sink_up"] == 0
    ready = host.client().get("/v1/ready")
    assert (ready.status_code, ready.json()["warnings"]) == (200, ["sink file:drawer is down"])
    drawer.fails = ""
    clock.now_s += 2
    sinks.run_once(0)
    assert standing(host)["state"] == "up"
    assert host.client().get("/v1/ready").json()["warnings"] == []


def test_an_event_that_fails_is_shown_until_it_is_given_up(feed):
    """First it waits, with its error; after the last pause it is a dead letter."""
    host, sinks, drawer, clock = feed
    drawer.fails = "answered 500"
    happen(host, "a")
    sinks.run_once(0)
    answer = standing(host)
    assert (answer["state"], answer["waiting"], answer["dead"]) == ("up", 1, 0)
    assert answer["error"] == "answered 500"
    clock.now_s += 2
    sinks.run_once(2)
    answer = standing(host)
    assert (answer["waiting"], answer["dead"], answer["failed"]) == (0, 1, 2)


def test_a_sink_that_another_process_feeds_is_on_standby(feed):
    """The host reports no backlog: the process that feeds the sink does."""
    host, sinks, _drawer, _clock = feed
    other = Sinks(host.ledger, [Drawer()])
    other.run_once(0)
    sinks.run_once(0)
    answer = standing(host)
    assert (answer["state"], answer["waiting"]) == ("standby", None)
    assert metrics(host) == {}
    other.close()
    sinks.run_once(60)
    assert standing(host)["state"] == "up"


def test_ready_reads_nothing_that_grows(feed):
    """Without a login it reads no event, round or bet, and still names a sink that is down."""
    host, sinks, drawer, clock = feed
    happen(host, "a")
    drawer.is_gone = "nothing there"
    sinks.run_once(clock.now_s)
    read = []

    def note(*args):  # the read model reads on meanwhile
        if threading.current_thread().name.startswith("probe"):
            read.append(args[2])

    event.listen(host.ledger.engine, "before_cursor_execute", note)
    ready = host.client().get("/v1/ready")
    assert ready.json()["warnings"] == ["sink file:drawer is down"]
    assert {word for text in read for word in re.findall(r"(?:FROM|JOIN) (\w+)", text)} == {
        "users"
    }
