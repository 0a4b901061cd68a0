"""The sink that is a broker, against a real one: gone, restarted, refusing, encrypted."""

import signal
from pathlib import Path

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from host_tools.tests import mosquitto
from host_tools.tests.broker import Reader, plain
from host_tools.tests.left_out import leave_out
from host_tools.tests.mosquitto import Certificates, Mosquitto
from host_tools.tests.pit import Pit
from tabletools.cli.event_sinks import sinks_of
from tabletools.cms import Broker, MqttSink, OutgoingEvent, mqtt
from tabletools.cms.mqtt import Message
from tabletools.cms.sinks import SinkWorker
from tabletools.money import outbox_queries
from tabletools.money.outbox_queries import TableState
from tabletools.pit.settings import Settings

if mosquitto.binary() is None:
    leave_out("Mosquitto", "the broker's side of events", mosquitto.HOW)
    pytest.skip("no mosquitto here", allow_module_level=True)


def letters(*ids, table=1, kind="round.settled"):
    """Letters as the ledger numbers them: the digits of their ids."""
    return [
        OutgoingEvent(int(i), i, f"tablewire.{kind}", table, b'{"id":"%b"}' % i.encode(), 0)
        for i in ids
    ]


@pytest.fixture
def broker(tmp_path):
    server = Mosquitto(tmp_path / "broker").start()
    yield server
    server.stop()


@pytest.fixture
def sink(broker):
    new_sink = MqttSink(plain(broker), host="pit1", wall_ns=lambda: 1_800_000_000_000_000_000)
    yield new_sink
    new_sink.close()


@pytest.mark.parametrize("size", [1, 90, 20_000])
@pytest.mark.parametrize("expiry_s", [None, 0, 2**32 - 1])
def test_properties_are_packed_as_the_library_packs_them(size, expiry_s):
    """It reads them back; of one of its own it makes as many bytes."""
    about = {"id": "\u03b1" * size, "type": "tablewire.round.settled"}
    message = Message("topic", b"", "text/plain", expiry_s=expiry_s, about=about)
    packed = mqtt._PublishProperties(message).pack()
    theirs = Properties(PacketTypes.PUBLISH)
    theirs.unpack(packed)
    assert theirs.UserProperty == list(about.items())
    assert (theirs.ContentType, theirs.PayloadFormatIndicator) == ("text/plain", 1)
    assert getattr(theirs, "MessageExpiryInterval", None) == expiry_s
    assert len(theirs.pack()) == len(packed)


def test_an_event_arrives_as_it_is(broker, sink):
    """Topic, quality, type, expiry and user properties; not retained."""
    reader = Reader(plain(broker), "tablewire/table/+/event/#")
    assert sink.send(letters("7")).delivered == [7]
    [one] = reader.until(lambda r: r.heard).heard
    assert (one.topic, one.qos, one.retain) == ("tablewire/table/1/event/round.settled", 1, False)
    assert one.payload == b'{"id":"7"}'
    sent_properties = one.properties
    assert sent_properties.ContentType == "application/cloudevents+json; charset=utf-8"
    assert sent_properties.UserProperty == [("id", "7"), ("type", "tablewire.round.settled")]
    assert 604_700 <= sent_properties.MessageExpiryInterval <= 604_800
    reader.close()
    late = Reader(plain(broker), ident="late")
    late.until(lambda r: r.messages("/health"))
    assert late.events == []
    late.close()


def test_states_and_health_are_retained(broker, sink):
    """A late subscriber gets the table's state, that the host is up, then that it left."""
    state = TableState(4, "R4", True, 12, 3, True, "round_opened", 1_800_000_000_000_000_000)
    sink.tick([state])
    sink.send(letters("1"))
    reader = Reader(plain(broker))
    reader.until(lambda r: len(r.heard) >= 2)
    assert reader.messages("table/4/state") == [
        {
            "table": 4,
            "name": "R4",
            "enabled": True,
            "round": 12,
            "number": 3,
            "bets_open": True,
            "cause": "round_opened",
            "since": "2027-01-15T08:00:00.000000Z",
            "host": "pit1",
            "at": "2027-01-15T08:00:00.000000Z",
        }
    ]
    assert all(one.retain for one in reader.heard)
    sink.close()
    reader.until(lambda r: len(r.messages("table/4/state")) == 2)
    left = reader.messages("table/4/state")[1]
    assert (left["bets_open"], left["cause"]) == (False, "host_stopped")
    reader.until(lambda r: len(r.messages("pit1/health")) == 2)
    assert [one["status"] for one in reader.messages("pit1/health")] == ["online", "stopped"]
    reader.close()


def test_a_state_ends_with_its_host(broker):
    """It is said again every 10 s, and the broker drops it after 30: no bets are open for ever."""
    now_s = [0]
    sink = MqttSink(plain(broker), host="pit1", wall_ns=lambda: now_s[0] * 10**9)
    reader = Reader(plain(broker), "tablewire/table/#")
    state = TableState(4, "R4", True, 12, 3, True, "round_opened", 0)
    for now_s[0] in range(0, 25, 5):
        sink.tick([state])
    reader.until(lambda r: len(r.heard) == 3)
    assert [one["at"][17:19] for one in reader.messages("state")] == ["00", "10", "20"]
    assert all(0 < one.properties.MessageExpiryInterval <= 30 for one in reader.heard)
    sink.close()
    reader.close()


def test_a_host_that_dies_is_reported_by_its_will(broker, sink):
    """The socket closes without DISCONNECT: the broker reports that the host was lost."""
    sink.tick(None)
    reader = Reader(plain(broker), "tablewire/host/#")
    reader.until(lambda r: r.heard)
    sink._drop()
    reader.until(lambda r: len(r.heard) == 2)
    assert [one["status"] for one in reader.messages("health")] == ["online", "lost"]
    reader.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_broker_that_restarts_costs_nothing(broker, sink, number):
    """Gone between two events: the second waits, is refused nowhere, arrives when it is back."""
    assert sink.send(letters("1")).delivered == [1]
    broker.stop(number)
    lost = sink.send(letters("2", "3"))
    assert (lost.delivered, lost.failed) == ([], {})
    assert f"127.0.0.1:{broker.port}" in lost.down
    assert "127.0.0.1" in sink.tick(None)
    broker.start()
    reader = Reader(plain(broker))
    assert sink.send(letters("2", "3")).delivered == [2, 3]
    assert reader.until(lambda r: len(r.events) == 2).events == ["2", "3"]
    reader.close()


def test_a_reader_that_was_away_is_sent_what_it_missed(broker, sink):
    """Its session is kept by the broker, over a restart of the broker too."""
    Reader(plain(broker), session_s=3600).close()
    sink.send(letters("1", "2"))
    broker.stop()
    broker.start()
    sink.send(letters("3"))  # finds the connection gone
    sink.send(letters("3"))
    reader = Reader(plain(broker), session_s=3600)
    assert reader.until(lambda r: len(r.events) >= 3).events == ["1", "2", "3"]
    reader.close()


def test_an_event_nobody_reads_can_be_kept(broker):
    """With needs_reader an event is not delivered before there is a subscriber."""
    sink = MqttSink(plain(broker), needs_reader=True)
    assert sink.send(letters("1")).failed == {
        1: "tablewire/table/1/event/round.settled: there is no subscriber"
    }
    reader = Reader(plain(broker))
    assert sink.send(letters("1")).delivered == [1]
    sink.close()
    reader.close()


def test_a_reader_of_results_alone_is_not_held_up(broker):
    """Nobody reads that bets closed: the result after it arrives all the same."""
    sink = MqttSink(plain(broker), needs_reader=True)
    reader = Reader(plain(broker), "tablewire/table/+/event/round.settled")
    assert sink.send(letters("7", kind="bets.closed")).delivered == [7]
    assert sink.send(letters("8")).delivered == [8]
    reader.until(lambda r: r.heard)
    reader.close()
    sink.close()


@pytest.mark.parametrize(("waits", "left"), [(True, 1), (False, 0)])
def test_a_running_host_keeps_what_nobody_reads(broker, tmp_path, waits, left):
    """A broker answers yes to an event without a subscriber and drops it: a result would be lost.

    A house whose broker serves displays alone may turn that off.
    """
    named = {} if waits else {"mqtt_wait_for_reader": False}
    [sink] = sinks_of(Settings(mqtt=f"mqtt://127.0.0.1:{broker.port}", **named))
    pit = Pit(str(tmp_path / "ledger"))
    worker = SinkWorker(pit.ledger, sink, jitter=lambda: 0)
    pit.play(1, 17, (pit.ada, "red", 500))
    worker.run_once(0.0)
    assert outbox_queries.backlog(pit.ledger, sink.name).waiting == left
    worker.close()
    pit.ledger.close()


def test_more_than_the_broker_takes_at_once_is_sent_in_turn(tmp_path):
    """The broker takes 5 in flight: 40 events of 40 tables arrive all the same."""
    broker = Mosquitto(tmp_path / "narrow", "max_inflight_messages 5").start()
    sink, reader = MqttSink(plain(broker)), Reader(plain(broker))
    wanted = [one for n in range(1, 41) for one in letters(str(n), table=n)]
    assert sorted(sink.send(wanted).delivered) == list(range(1, 41))
    reader.until(lambda r: len(r.events) == 40)
    sink.close()
    reader.close()
    broker.stop()


RULES = Path(__file__).resolve().parents[1] / "docs" / "mosquitto.acl"


@pytest.fixture
def closed(tmp_path):
    """A broker for holders of certificates alone, with rules of access; and the certificates."""
    certificates = Certificates(tmp_path / "certificates")
    server, key = certificates.make("broker", "localhost")
    broker = Mosquitto(
        tmp_path / "closed",
        f"cafile {certificates.authority}",
        f"certfile {server}",
        f"keyfile {key}",
        "require_certificate true",
        "use_identity_as_username true",
        f"acl_file {RULES}",
        "allow_anonymous false",
    ).start()
    yield broker, certificates
    broker.stop()


def with_certificate(broker, certificates, name, host="localhost"):
    certificate, key = certificates.make(name)
    url = f"mqtts://{host}:{broker.port}"
    return Broker.from_url(url, authority=certificates.authority, certificate=certificate, key=key)


def test_a_certificate_opens_its_own_tables_alone(closed):
    """pit1 may write table 1: its event goes; table 2 is refused, and nothing else is."""
    broker, certificates = closed
    sink = MqttSink(with_certificate(broker, certificates, "pit1"), host="pit1")
    reader = Reader(
        with_certificate(broker, certificates, "floor-display-1"), "tablewire/table/1/#"
    )
    sent = sink.send([*letters("1"), *letters("2", table=2)])
    assert sent.delivered == [1]
    assert sent.failed == {2: "tablewire/table/2/event/round.settled: the broker answered 135"}
    assert reader.until(lambda r: r.events).events == ["1"]
    sink.close()
    reader.close()


def test_a_display_hears_its_own_table_alone(closed):
    """The house's alarm goes before the round of table 1: the display is sent the round alone."""
    broker, certificates = closed
    sink = MqttSink(with_certificate(broker, certificates, "pit1"), host="pit1")
    system = Reader(with_certificate(broker, certificates, "cms"), ident="cms")
    display = Reader(with_certificate(broker, certificates, "floor-display-1"), ident="display")
    sink.send([*letters("1", table=None, kind="alarm.raised"), *letters("2")])
    assert system.until(lambda r: len(r.events) == 2).events == ["1", "2"]
    assert display.until(lambda r: r.events).events == ["2"]
    for one in (sink, system, display):
        one.close()


def test_without_a_certificate_or_the_right_name_there_is_no_connection(closed):
    """No certificate, one of another authority, a broker under another name: all are down."""
    broker, certificates = closed
    bare = Broker.from_url(f"mqtts://localhost:{broker.port}", authority=certificates.authority)
    assert MqttSink(bare).send(letters("1")).down
    named = with_certificate(broker, certificates, "pit1", host="127.0.0.1")
    assert "certificate is not valid for '127.0.0.1'" in MqttSink(named).send(letters("1")).down
    own = Certificates(certificates.authority.parent / "other")
    foreign = Broker.from_url(f"mqtts://localhost:{broker.port}", authority=own.authority)
    assert "certificate verify failed" in MqttSink(foreign).send(letters("1")).down


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://broker", "is not a broker"),
        ("mqtt://user:word@broker", "must not contain a password"),
        ("mqtt://broker/topic", "more than a host and a port"),
    ],
)
def test_an_address_that_is_no_broker_is_refused(url, why):
    """Each with what is wrong."""
    with pytest.raises(ValueError, match=why):
        Broker.from_url(url)


def test_an_event_that_drives_the_broker_away_is_found(tmp_path):
    """Larger than the broker takes: it hangs up. Sent again one by one, the event is named."""
    broker = Mosquitto(tmp_path / "small", "max_packet_size 600").start()
    sink, reader = MqttSink(plain(broker)), Reader(plain(broker))
    [first], [large], [last] = (letters(str(n), table=n) for n in (1, 2, 3))
    large = large._replace(body=b'{"id":"2","cards":"%s"}' % (b"A" * 2000))
    assert sink.send([first, large, last]).interrupted is None  # any of the three
    again = sink.send([first, last, large])
    assert (again.delivered, again.failed, again.interrupted) == ([1, 3], {}, 2)
    assert again.down
    assert sink.send([first, last]).delivered == [1, 3]
    many = [one for n in range(1, 41) for one in letters(str(n), table=n)]
    assert sink.send(many).delivered == list(range(1, 41))
    reader.until(lambda r: len(r.events) >= 44)
    sink.close()
    reader.close()
    broker.stop()
