"""The sink that is the stream of a site, against real servers: each event once, in order."""

import json

import pytest
from nats.errors import Error as NatsError
from nats.js.api import StreamConfig

from host_tools.tests import nats_server
from host_tools.tests.left_out import leave_out
from host_tools.tests.nats_server import NatsServer
from host_tools.tests.pit import Pit
from tabletools.cli.event_sinks import sinks_of
from tabletools.cli.main import run
from tabletools.cms.broker import BrokerError
from tabletools.cms.jetstream import Message, Server
from tabletools.cms.nats_sink import NatsSink
from tabletools.cms.origin import Origin
from tabletools.cms.outgoing_event import OutgoingEvent
from tabletools.errors import UNREACHABLE, USER, ToolError
from tabletools.pit.settings import Settings

if nats_server.binary() is None:
    leave_out("nats-server", "the stream of a site", nats_server.HOW)
    pytest.skip("no nats-server here", allow_module_level=True)

ATHENS = Origin(site="athens", pit="main")


def events(*ids, table=1):
    """Events as the ledger numbers them: the digits of their ids."""
    return [
        OutgoingEvent(int(i), i, "tablewire.round.settled", table, b'{"id":"%b"}' % i.encode(), 0)
        for i in ids
    ]


def stored(server, stream="tablewire-athens"):
    """Every message of a stream: subject, id of the message, body."""
    reader = Server(server.broker, "reader")
    reader.open()

    async def read():
        streams = reader.streams
        last = (await streams.stream_info(stream)).state.last_seq
        messages = [await streams.get_msg(stream, number) for number in range(1, last + 1)]
        return [(one.subject, one.headers["Nats-Msg-Id"], one.data) for one in messages]

    try:
        return reader.run(read())
    finally:
        reader.close()


def ids_of(server):
    return [json.loads(body)["id"] for _, _, body in stored(server)]


@pytest.fixture
def server(tmp_path):
    new_server = NatsServer(tmp_path / "nats", "athens").start()
    yield new_server
    new_server.stop()


@pytest.fixture
def sink(server):
    new_sink = NatsSink(server.broker, ATHENS)
    yield new_sink
    new_sink.close()


def test_an_event_is_stored_as_it_is(server, sink):
    """Site, pit, table and type are the subject; pit and id are what repeats are known by."""
    assert sink.send(events("7")).delivered == [7]
    assert sink.send(events("8", table=None)).delivered == [8]
    assert stored(server) == [
        ("tablewire.athens.main.table.1.round.settled", "athens/main/7", b'{"id":"7"}'),
        ("tablewire.athens.main.house.round.settled", "athens/main/8", b'{"id":"8"}'),
    ]


def test_a_repeat_after_any_time_is_stored_once(server):
    """The server forgets ids after 0.1 s here: the newest event of the table is asked for."""
    made = Server(server.broker, "operator")
    made.open()
    made.add_stream(
        StreamConfig("tablewire-athens", subjects=["tablewire.athens.>"], duplicate_window=0.1)
    )
    first = NatsSink(server.broker, ATHENS)
    first.send(events("1"))
    first.send(events("2", table=2))
    first.close()  # killed before the ledger noted the second
    made.publish(
        "tablewire-athens", [Message("tablewire.athens.other.house.x", b'{"id":"0"}', "")]
    )
    made.run(_until_forgotten(made))
    made.close()
    second = NatsSink(server.broker, ATHENS)
    assert second.send(events("2", table=2)).delivered == [2]
    assert second.send(events("3", table=2)).delivered == [3]
    second.close()
    assert ids_of(server).count("2") == 1
    assert ids_of(server)[:2] == ["1", "2"]
    assert ids_of(server)[-1] == "3"


async def _until_forgotten(server):
    """Publish one id until the server stores it a second time."""
    for _ in range(50_000):
        answer = await server.streams.publish(
            "tablewire.athens.other.house.x", b'{"id":"0"}', headers={"Nats-Msg-Id": "probe"}
        )
        if not answer.duplicate and answer.seq > 4:
            return
    raise AssertionError("it did not forget")


def test_a_server_that_is_killed_costs_nothing(server, sink):
    """Gone between two events: the second waits and arrives when it is back, once."""
    assert sink.send(events("1")).delivered == [1]
    server.stop()
    lost = sink.send(events("2"))
    assert (lost.delivered, lost.failed, lost.interrupted) == ([], {}, 2)
    assert f"127.0.0.1:{server.port}" in lost.down
    assert "127.0.0.1" in sink.tick(None)
    server.start()
    assert sink.tick(None) == ""
    assert sink.send(events("2")).delivered == [2]
    assert ids_of(server) == ["1", "2"]


def test_an_event_too_large_fails_alone(sink):
    """The server accepts 1 MiB: the event is refused, the sink is not down."""
    large = events("1")[0]._replace(body=b"x" * (1 << 20) + b"x")
    sent = sink.send([large, *events("2", table=2)])
    assert (sent.delivered, sent.down) == ([2], "")
    assert "1048577 bytes are more than it accepts" in sent.failed[1]


def test_no_other_site_speaks_for_a_site(tmp_path):
    """Over the leaf connection nothing is published in its name, and its stream cannot change."""
    centre = NatsServer(tmp_path / "centre").start()
    site = NatsServer(tmp_path / "site", "athens", centre).start()
    sink = NatsSink(site.broker, ATHENS)
    sink.send(events("1"))
    other = Server(centre.broker, "another site")
    other.open()

    async def attack():
        client = other.streams._nc
        api = "$JS.athens.API"
        info = await client.request(f"{api}.STREAM.INFO.tablewire-athens", timeout=20)
        for subject in ("STREAM.PURGE", "STREAM.DELETE", "STREAM.UPDATE"):
            await client.publish(f"{api}.{subject}.tablewire-athens", b"{}")
        await client.publish("tablewire.athens.main.table.1.round.settled", b'{"id":"forged"}')
        await client.request(f"{api}.STREAM.INFO.tablewire-athens", timeout=20)
        return json.loads(info.data)["state"]["messages"]

    try:
        other.run(_until_linked(other))
        assert other.run(attack()) == 1
        assert ids_of(site) == ["1"]
    finally:
        other.close()
        sink.close()
        site.stop()
        centre.stop()


async def _until_linked(server):
    """Wait until the site can be read from the centre."""
    for _ in range(50_000):
        try:
            await server.streams._nc.request("$JS.athens.API.INFO", timeout=1)
            return
        except NatsError:
            await server.streams._nc.flush()  # not there yet
    raise AssertionError("the site did not connect")


def test_a_ledger_is_fed_from_the_command_line(server, tmp_path, capsys):
    """A played round of the site athens, with its place in every event."""
    pit = Pit(str(tmp_path / "ledger"))
    pit.play(1, 17, (pit.ada, "red", 500))
    pit.ledger.close()
    command = ["feed", "--db", str(tmp_path / "ledger"), "--nats", server.url, "--once"]
    assert run([*command, "--site", "athens"]) == 0
    assert run([*command, "--site", "athens"]) == 0
    assert [json.loads(body)["source"] for *_, body in stored(server)] == [
        "/athens/main/table/1"
    ] * 3
    settled = json.loads(stored(server)[2][2])
    assert (settled["site"], settled["pit"], settled["type"]) == (
        "athens",
        "main",
        "tablewire.round.settled",
    )
    server.stop()
    assert run([*command, "--site", "berlin"]) == UNREACHABLE
    assert f"127.0.0.1:{server.port}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--nats", "nats://x"], "set site"),
        (["--nats", "http://x", "--site", "a"], "nats://HOST[:PORT] or tls://HOST[:PORT]"),
        (["--nats", "nats://x", "--site", "A b"], "site 'A b' is not a name"),
        (["--nats", "nats://x", "--site", "a", "--pit", "x.y"], "pit 'x.y' is not a name"),
        (["--file", "x", "--pit", "x"], "is of no site"),
    ],
)
def test_a_wrong_place_is_refused(options, why, tmp_path, capsys):
    """One line says which option, and what a name is."""
    assert run(["feed", "--db", str(tmp_path / "none"), *options]) == USER
    assert why in capsys.readouterr().err


def test_a_host_has_its_stream_in_its_settings(server):
    """And a server without a site is refused before anything starts."""
    [sink] = sinks_of(Settings(nats=server.url, site="athens", pit="salon"))
    assert sink.name.endswith("/athens/salon")
    with pytest.raises(ToolError, match="set site"):
        sinks_of(Settings(nats=server.url))


def test_a_server_without_jetstream_is_a_sink_that_is_down(server):
    """The reason is the answer of the server, not a traceback."""
    other = Server(server.broker, "x")
    other.open()
    with pytest.raises(BrokerError, match=r"127\.0\.0\.1"):
        other.publish("no-such-stream", [Message("nowhere", b"", "1")])
    other.close()
