"""Events out of the outbox to a broker, QoS 1, one process, the ledger in a file of SQLite.

Beside it a bare loop that publishes the same messages with the same client, and does nothing else.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from host_tools.bench.figure import judged, reported
from host_tools.tests import mosquitto
from tabletools.cms import Broker, FileSink, MqttSink, Sink, Sinks
from tabletools.cms.mqtt import Line, Message
from tabletools.cms.outgoing_event import CONTENT_TYPE
from tabletools.evidence import Terms
from tabletools.store import Actor, Store
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.table.terms import create_table

EVENTS = 4_000
TABLES = 40
BODY = 330
"""Bytes of such an event as it is sent."""
MOST_TIMES = 1.5


def fill(place: Path, events: int) -> Store:
    """A ledger with events of many tables in its outbox."""
    ledger = Store.open(place)
    terms = Terms("roulette", "hc2023", "french", {"minimum": 500})
    tables = [create_table(ledger, f"R{n}", terms, Actor("bench")) for n in range(TABLES)]
    with ledger.write() as db:
        for n in range(events):
            table = tables[n % TABLES]
            data = {"round": n, "device": table, "number": n, "table": table}
            event = OutboxEvent(f"event-{n}", "tablewire.bets.closed", f"round/{n}", data, table)
            enqueue(db, event, ledger.clock.wall_ns())
    return ledger


class Rate(NamedTuple):
    """How fast events were sent. cpu_us: of this process, for one of them."""

    a_second: float
    cpu_us: float


@contextmanager
def timed(events: int) -> Iterator[list[Rate]]:
    """Time the sending of so many events; the result is put into the list."""
    result: list[Rate] = []
    start, start_cpu = time.perf_counter(), time.process_time()
    yield result
    cpu_s = time.process_time() - start_cpu
    result.append(Rate(events / (time.perf_counter() - start), cpu_s / events * 1e6))


def fed(ledger: Store, sink: Sink, events: int) -> Rate:
    """Feed one sink until nothing is left."""
    sinks = Sinks(ledger, [sink])
    count = 0
    with timed(events) as rates:
        while count < events:
            count += sinks.run_once(time.monotonic())
            assert not sinks.feeds[0].status.down, sinks.feeds[0].status.down
    sinks.close()
    return rates[0]


def published(broker: Broker, events: int) -> Rate:
    """Publish messages as large as those events, as many in flight."""
    line = Line(broker, "bare")
    line.open()
    body = b"x" * BODY
    with timed(events) as rates:
        for number in range(events):
            topic = f"bare/table/{number % TABLES}/event/bets.closed"
            about = {"id": f"event-{number}", "type": "tablewire.bets.closed"}
            line.publish(Message(topic, body, CONTENT_TYPE, expiry_s=3600, about=about))
            if number % TABLES == 0:
                line.drive()
        while len(line.answers) < events:
            line.drive(0.2)
    line.close()
    return rates[0]


def figures(events: int = EVENTS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ledger = fill(folder / "ledger", events)
        rate = fed(ledger, FileSink(folder / "events.jsonl"), events)
        name = "events from the outbox into a file"
        rows.append(reported(name, round(rate.a_second), "events/s"))
        if mosquitto.binary() is not None:
            broker = mosquitto.Mosquitto(folder / "broker").start()
            place = Broker.from_url(broker.url)
            rate, bare = fed(ledger, MqttSink(place), events), published(place, events)
            broker.stop()
            name = "events from the outbox to a broker, QoS 1"
            rows.append(reported(name, round(rate.a_second), "events/s"))
            times = round(rate.cpu_us / bare.cpu_us, 2)
            name = "CPU of the same, to a bare loop that publishes with the same client"
            rows.append(
                judged(name, times, "times", f"<= {MOST_TIMES}", is_met=times <= MOST_TIMES)
            )
            rows.append(reported("the bare loop", round(bare.a_second), "messages/s"))
        ledger.close()
    return rows
