"""Events out of the outbox to a broker, QoS 1, one process, the ledger in a file of SQLite."""

import tempfile
import time
from pathlib import Path

from host_tools.bench.figure import reported
from host_tools.tests import mosquitto
from tabletools.cms import Broker, FileSink, MqttSink, Sink, Sinks
from tabletools.evidence import Terms
from tabletools.store import Actor, Store
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.table.terms import create_table

EVENTS = 4_000
TABLES = 40


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


def events_a_second(ledger: Store, sink: Sink, events: int) -> float:
    """Feed one sink until nothing is left; returns its events a second."""
    sinks = Sinks(ledger, [sink])
    start = time.perf_counter()
    count = 0
    while count < events:
        count += sinks.run_once(time.monotonic())
        assert not sinks.feeds[0].status.down, sinks.feeds[0].status.down
    took = time.perf_counter() - start
    sinks.close()
    return events / took


def figures(events: int = EVENTS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ledger = fill(folder / "ledger", events)
        rate = events_a_second(ledger, FileSink(folder / "events.jsonl"), events)
        rows.append(reported("events from the outbox into a file", round(rate), "events/s"))
        if mosquitto.binary() is not None:
            broker = mosquitto.Mosquitto(folder / "broker").start()
            rate = events_a_second(ledger, MqttSink(Broker.from_url(broker.url)), events)
            broker.stop()
            rows.append(
                reported("events from the outbox to a broker, QoS 1", round(rate), "events/s")
            )
        ledger.close()
    return rows
