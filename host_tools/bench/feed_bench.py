"""Events out of the outbox to a broker, QoS 1, one process, the ledger in a file of SQLite.

Beside it a bare loop that publishes the same messages with the same client, and does nothing else.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from paho.mqtt.client import Client, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from host_tools.bench.figure import judged, reported
from host_tools.tests import mosquitto, nats_server
from tabletools.cms import Broker, FileSink, MqttSink, Sink, Sinks
from tabletools.cms.nats_sink import NatsSink
from tabletools.cms.origin import Origin
from tabletools.cms.outgoing_event import CONTENT_TYPE
from tabletools.evidence import Terms
from tabletools.store import Actor, Store
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.table.terms import create_table

EVENTS = 4_000
TABLES = 40
BODY = 330
"""Bytes of such an event as it is sent."""
TYPE = "tablewire.bets.closed"
MOST_TIMES = 1.2
QUICK = ("set_tcp_nodelay true", "max_inflight_messages 0")
"""Of the broker, as CMS.md has it."""
UNNAMED = Origin()


def fill(place: Path, events: int) -> Store:
    """A ledger with events of many tables in its outbox."""
    ledger = Store.open(place)
    terms = Terms("roulette", "hc2023", "french", {"minimum": 500})
    tables = [create_table(ledger, f"R{n}", terms, Actor("bench")) for n in range(TABLES)]
    with ledger.write() as db:
        for n in range(events):
            table = tables[n % TABLES]
            data = {"round": n, "device": table, "number": n, "table": table}
            event = OutboxEvent(f"event-{n}", TYPE, f"round/{n}", data, table)
            enqueue(db, event, ledger.clock.wall_ns())
    return ledger


class Rate(NamedTuple):
    """How fast events were sent. cpu_us: of this process, for one of them."""

    a_second: float
    cpu_us: float


@contextmanager
def time_sending(events: int) -> Iterator[list[Rate]]:
    """Time the sending of so many events; the result is put into the list."""
    result: list[Rate] = []
    start, start_cpu = time.perf_counter(), time.process_time()
    yield result
    cpu_s = time.process_time() - start_cpu
    result.append(Rate(events / (time.perf_counter() - start), cpu_s / events * 1e6))


def fed(ledger: Store, sink: Sink, events: int, origin: Origin = UNNAMED) -> Rate:
    """Feed one sink until nothing is left."""
    sinks = Sinks(ledger, [sink], origin=origin)
    count = 0
    with time_sending(events) as rates:
        while count < events:
            count += sinks.run_once(time.monotonic())
            assert not sinks.feeds[0].status.down, sinks.feeds[0].status.down
    sinks.close()
    return rates[0]


def publish(broker: Broker, events: int) -> Rate:
    """Publish messages as large as those events by a bare client of the library, as documented."""
    client = Client(CallbackAPIVersion.VERSION2, "bare", protocol=MQTTv5)
    client.max_inflight_messages_set(0)
    answered: list[int] = []
    client.on_publish = lambda _client, _data, number, _code, _properties: answered.append(number)
    client.connect(broker.host, broker.port)
    while not client.is_connected():
        client.loop()
    with time_sending(events) as rates:
        for number in range(events):
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.ContentType = CONTENT_TYPE
            properties.PayloadFormatIndicator = 1
            properties.MessageExpiryInterval = 3600
            properties.UserProperty = [("id", f"event-{number}"), ("type", TYPE)]
            topic = f"bare/table/{number % TABLES}/event/bets.closed"
            client.publish(topic, b"x" * BODY, 1, properties=properties)
            if number % TABLES == 0:
                client.loop(0)
        while len(answered) < events:
            client.loop(0.2)
    client.disconnect()
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
            broker = mosquitto.Mosquitto(folder / "broker", *QUICK).start()
            place = Broker.from_url(broker.url)
            rate, bare = fed(ledger, MqttSink(place), events), publish(place, events)
            broker.stop()
            name = "events from the outbox to a broker, QoS 1"
            rows.append(reported(name, round(rate.a_second), "events/s"))
            times = round(rate.cpu_us / bare.cpu_us, 2)
            name = "CPU of the same, to a bare loop that publishes with the same client"
            rows.append(
                judged(name, times, "times", f"<= {MOST_TIMES}", is_met=times <= MOST_TIMES)
            )
            rows.append(reported("the bare loop", round(bare.a_second), "messages/s"))
            times = round(rate.a_second / bare.a_second, 2)
            rows.append(reported("events a second, to messages of the bare loop", times, "times"))
        if nats_server.binary() is not None:
            rows += _to_stream(ledger, folder, events)
        ledger.close()
    return rows


def _to_stream(ledger: Store, folder: Path, events: int) -> list[dict[str, object]]:
    """Measure the stream of a site: one event of each table is under way at a time."""
    server = nats_server.NatsServer(folder / "nats", "athens").start()
    origin = Origin(site="athens", pit="main")
    rate = fed(ledger, NatsSink(server.broker, origin), events, origin)
    server.stop()
    return [
        reported(
            "events from the outbox into the stream of a site", round(rate.a_second), "events/s"
        ),
        reported("CPU of the same, of the publisher", round(rate.cpu_us), "us"),
    ]
