"""The centre of an estate, against real servers: two sites, each event once, by hand."""

import json
import shutil
import socket
import threading
from contextlib import contextmanager, suppress
from dataclasses import replace

import httpx
import pyarrow.parquet as pq
import pytest

from host_tools.tests import nats_server
from host_tools.tests.left_out import leave_out
from host_tools.tests.mosquitto import Certificates
from host_tools.tests.nats_server import NatsServer
from host_tools.tests.pit import Pit
from host_tools.tests.served import until
from host_tools.tests.test_cms_documents import described, events_of_a_host
from tabletools.api import estate_app
from tabletools.cli.main import run
from tabletools.cms import SinkWorker
from tabletools.cms.broker import NATS, Broker, BrokerError
from tabletools.cms.jetstream import Message, Server
from tabletools.cms.nats_sink import NatsSink
from tabletools.cms.origin import Origin
from tabletools.cms.outgoing_event import outgoing_event
from tabletools.errors import USER
from tabletools.estate import figures, fold, model
from tabletools.estate import reader as reader_module
from tabletools.estate.figures import Wanted
from tabletools.estate.parquet_files import ParquetFiles
from tabletools.estate.reader import STREAM, Folding, Reader
from tabletools.store.outbox import Event
from tabletools.store.schema.books import outbox

if nats_server.binary() is None:
    leave_out("nats-server", "the estate", nats_server.HOW)
    pytest.skip("no nats-server here", allow_module_level=True)

SITES = ("athens", "berlin")


def by_certificate(server, certificates, name):
    """How a program with a certificate of its own reaches a server."""
    certificate, key = certificates.make(name)
    url = f"tls://localhost:{server.port}"
    more = {"authority": certificates.authority, "certificate": certificate, "key": key}
    return Broker.from_url(url, NATS, **more)


class Site:
    """One pit of a site, its nats-server, and what feeds the one from the other."""

    def __init__(self, folder, name, centre, certificates=None):
        self.server = NatsServer(folder / name, name, centre, certificates).start()
        self.pit = Pit(str(folder / f"{name}.ledger"))
        self.origin = origin = Origin(site=name, pit="main")
        broker = self.server.broker
        if certificates is not None:
            broker = by_certificate(self.server, certificates, f"{name}-host")
        sink = NatsSink(broker, origin)
        self.feed = SinkWorker(self.pit.ledger, sink, origin=origin, jitter=lambda: 0.0)

    def send(self):
        """Send all; returns how many events."""
        return sum(iter(lambda: self.feed.run_once(float("inf")), 0))

    def close(self):
        self.feed.close()
        self.pit.ledger.close()
        self.server.stop()


class Estate:
    """Two sites and a centre."""

    def __init__(self, folder, place, certificates=None):
        self.hub = hub = NatsServer(folder / "centre", certificates=certificates).start()
        self.sites = {name: Site(folder, name, hub, certificates) for name in SITES}
        self.centre = model.Centre.open(place)
        broker = hub.broker
        if certificates is not None:
            reader = by_certificate(hub, certificates, "reader")
            broker = replace(reader, user="centre", password=nats_server.SECRETS["centre"])
        self.reader = Reader(self.centre, broker, SITES, Folding())

    def step(self):
        try:
            return self.reader.step()
        except BrokerError:
            self.reader.close()
            return 0

    def until(self, events):
        """Read until each pit's events have come; returns the rows of the pits."""

        def come():
            self.step()
            with self.centre.read() as db:
                rows = db.execute(model.pits.select().order_by(model.pits.c.site)).all()
            return rows if [row.events for row in rows] == events else None

        return until(come, detail=lambda: str(self.rows("floor")))

    def rows(self, name, **wanted):
        with self.centre.read() as db:
            now_ns = self.sites["athens"].pit.clock.wall_ns()
            return figures.FIGURES[name](db, Wanted(now_ns, **wanted))

    def close(self):
        self.reader.close()
        self.centre.close()
        for site in self.sites.values():
            site.close()
        self.hub.stop()


@pytest.fixture
def estate(tmp_path, ledger_place, request):
    place = str(tmp_path / "estate.db")
    if "://" in ledger_place:  # the ledger is shared, and has to be its schema alone
        cluster = request.getfixturevalue("cluster")
        place = cluster.url(cluster.new_database())
    new_estate = Estate(tmp_path, place)
    yield new_estate
    new_estate.close()


def test_the_figures_of_two_sites_by_hand(estate):
    """Athens: 10.00 on 17 loses, then wins 350.00. Berlin: 20.00 on red loses, then it won.

    Drop 20.00 and 20.00; win of the bank 10 - 350 = -340.00 and 20 - 40 = -20.00.
    """
    athens, berlin = (estate.sites[name].pit for name in SITES)
    straight = {"numbers": ["17"]}
    described(athens)
    described(berlin)
    athens.play(1, 4, (athens.ada, "straight", 1000, straight))
    athens.play(2, 17, (athens.ada, "straight", 1000, straight))
    events_of_a_host(athens)
    berlin.play(1, 17, (berlin.ada, "red", 2000))
    berlin.rule(1, {"pocket": "18"})
    sent = [estate.sites[name].send() for name in SITES]
    estate.until(sent)
    hold = {row["site"]: row for row in estate.rows("hold")}
    assert (hold["athens"]["drop_cents"], hold["athens"]["win_cents"]) == (2000, -34000)
    assert hold["athens"]["hold_percent"] == "-1700.00"
    # A straight number pays 35 to one, red one to one.
    assert (hold["berlin"]["drop_cents"], hold["berlin"]["win_cents"]) == (2000, -2000)
    assert (hold["berlin"]["games"], hold["berlin"]["undone"]) == (1, 1)
    [model_row] = estate.rows("hold", by="wheel_model")
    assert model_row == {
        "wheel_model": "Cammegh Mercury 360",
        "currency": "EUR",
        "games": 4,
        "undone": 1,
        "drop_cents": 4000,
        "win_cents": -36000,
        "hold_percent": "-900.00",
    }
    assert [row["dealer"] for row in estate.rows("hold", by="dealer")] == [""]
    assert_what_else_came(estate)


def assert_what_else_came(estate):
    """Late bets, firmware, alarms and days of Athens; the floor of both."""
    [late] = estate.rows("late")
    assert (late["site"], late["table"], late["bets"], late["stake_cents"]) == (
        "athens",
        1,
        1,
        500,
    )
    [offer] = estate.rows("offers")
    names = ("site", "offer", "name", "target", "decision", "user", "reason")
    assert [offer[name] for name in names] == [
        *("athens", 1, "Slower ball", "R1", "declined", "Sue", "not this week")
    ]
    assert len(offer["digest"]) == 64
    [device] = estate.rows("firmware")
    assert (device["firmware"], device["attested"], device["release"]) == (
        "1.1.0",
        "no_answer",
        "0.3.0",
    )
    kinds = [row["kind"] for row in estate.rows("alarms", open_s=0)]
    assert "program" in kinds
    assert estate.rows("alarms", open_s=86_400) == []
    assert [(row["place"], row["counted_cents"]) for row in estate.rows("days")] == [
        ("desk", 0),
        ("table 1", 0),
    ]
    floor = estate.rows("floor")
    assert [(row["site"], row["tables"]) for row in floor] == [("athens", 1), ("berlin", 1)]


@pytest.fixture
def played(tmp_path):
    """An estate on SQLite in which a round was played and corrected at each site."""
    new_estate = Estate(tmp_path, str(tmp_path / "estate.db"))
    for site in new_estate.sites.values():
        described(site.pit)
        site.pit.play(1, 17, (site.pit.ada, "red", 2000))
        site.pit.rule(1, {"pocket": "18"})
    new_estate.until([site.send() for site in new_estate.sites.values()])
    yield new_estate
    new_estate.close()


@pytest.fixture
def certificates(tmp_path):
    return Certificates(tmp_path / "certificates")


@pytest.fixture
def closed_estate(tmp_path, certificates):
    """An estate whose servers hear holders of its certificates alone."""
    new_estate = Estate(tmp_path, str(tmp_path / "estate.db"), certificates)
    yield new_estate
    new_estate.close()


def test_an_estate_of_certificates(closed_estate, certificates, tmp_path):
    """Sites, hosts and centre talk by TLS; without a certificate of theirs nobody is heard, nor
    at the centre with one of a site."""
    estate = closed_estate
    for site in estate.sites.values():
        described(site.pit)
        site.pit.play(1, 17, (site.pit.ada, "red", 2000))
    estate.until([site.send() for site in estate.sites.values()])
    assert [row["site"] for row in estate.rows("hold")] == list(SITES)
    foreign = Certificates(tmp_path / "foreign")
    with_own_key = by_certificate(estate.hub, foreign, "other")
    strangers = [
        by_certificate(estate.hub, certificates, "athens-host"),
        Broker.from_url(f"tls://localhost:{estate.hub.port}", NATS),
        by_certificate(estate.hub, foreign, "reader"),
        replace(with_own_key, authority=certificates.authority),
        estate.hub.broker,
    ]
    for broker in strangers:
        stranger = Server(broker, "stranger")
        with suppress(BrokerError):
            stranger.open()
        with pytest.raises((BrokerError, AssertionError)):
            stranger.drive()
        stranger.close()


def test_bias_over_the_estate_by_hand(played):
    """18 in force at both, after a correction; then 40 times 5 in Berlin, by the model of both.

    Of 42 results exactly 40 are one number with a chance of 861 * 36^2 / 37^42; 37 may be it, and
    more than 40 are 700 times rarer.
    """
    athens, berlin = (played.sites[name].pit for name in SITES)
    rows = played.rows("bias", hours=8784)
    assert [(row["site"], row["machine"], row["results"], row["most_often"]) for row in rows] == [
        ("athens", "single", 1, "18"),
        ("berlin", "single", 1, "18"),
    ]
    assert {(row["p"], row["verdict"]) for row in rows} == {("1", "quiet")}
    for number in range(2, 42):
        berlin.play(number, 5)
    athens.play(2, None)
    sent = [played.sites[name].send() for name in SITES]
    with played.centre.read() as db:
        had = [row.events for row in db.execute(model.pits.select().order_by(model.pits.c.site))]
    played.until([one + more for one, more in zip(had, sent, strict=True)])
    [row] = played.rows("bias", by="wheel_model", hours=8784)
    assert float(row.pop("p")) == pytest.approx(37 * 861 * 36**2 / 37**42, rel=0.01)
    assert row == {
        "wheel_model": "Cammegh Mercury 360",
        "machine": "single",
        "results": 42,
        "most_often": "5",
        "count": 40,
        "expected": "1.1",
        "verdict": "alarm",
    }
    assert [row["verdict"] for row in played.rows("bias", hours=8784)] == ["alarm", "quiet"]
    assert played.rows("bias", by="dealer")[0]["dealer"] == ""


def test_events_that_come_twice_change_nothing(played):
    """The whole stream is read again, as after a position was lost: the figures stay."""
    before = {name: played.rows(name) for name in ("hold", "alarms", "firmware", "days")}
    count = [row.events for row in played.until([5, 5])]
    with played.centre.write() as db:
        db.execute(model.progress.delete())
    played.reader.close()
    played.until([2 * each for each in count])
    assert {name: played.rows(name) for name in before} == before


def test_what_a_site_sends_wrongly_is_set_aside(played):
    """Too large, too long, NUL, another site's name, no JSON: refused; what follows is folded."""
    athens = played.sites["athens"]
    with athens.pit.ledger.read() as db:
        settled = outbox.select().where(outbox.c.type == "tablewire.round.settled")
        [row] = db.execute(settled).all()
    good = json.loads(outgoing_event(Event(*row), athens.origin).body)
    subject = "tablewire.athens.main.table.1.round.settled"

    def changed(**values):
        return json.dumps(good | values).encode()

    wrong = [
        changed(data=good["data"] | {"lost_cents": 2**60}),
        changed(data=good["data"] | {"lost_cents": -1}),
        changed(data=good["data"] | {"device": 1.5}),
        changed(id="x" * 2000),
        changed(id="a\x00b"),
        changed(pit="\ud800"),
        changed(site="berlin"),
        changed(sequence="9" * 20),
        changed(time="2027-01-15T08:00:00"),
        b"{" * 100_000,
        b"\xff",
    ]
    server = Server(athens.server.broker, "hostile")
    server.open()
    for number, body in enumerate(wrong):
        server.publish("tablewire-athens", [Message(subject, body, f"wrong {number}")])
    server.close()
    athens.pit.play(2, 17, (athens.pit.ada, "red", 2000))
    sent = athens.send()
    played.until([5 + sent, 5])
    with played.centre.read() as db:
        refused = db.execute(model.refused.select()).all()
    assert len(refused) == len(wrong)
    assert {row.subject for row in refused} == {subject}
    [hold] = [row for row in played.rows("hold") if row["site"] == "athens"]
    assert hold["games"] == 2


class Hostile:
    """Site Athens sends what it likes: it owns its server."""

    def __init__(self, estate):
        self.estate = estate
        self.athens, self.berlin = (estate.sites[name] for name in SITES)
        with self.athens.pit.ledger.read() as db:
            settled = outbox.select().where(outbox.c.type == "tablewire.round.settled")
            [row] = db.execute(settled).all()
        self.good = json.loads(outgoing_event(Event(*row), self.athens.origin).body)
        self.bytes = json.dumps(self.good).encode()

    def changed(self, **values):
        return json.dumps(self.good | values).encode()

    def data(self, **values):
        return self.changed(data=self.good["data"] | values)

    def send(self, body, subject="tablewire.athens.main.table.1.round.settled", headers=()):
        """Publish as its server allows: also a subject or a header that is no text."""
        lines = b"".join(each + b"\r\n" for each in headers)
        head = lines if lines.startswith(b"NATS/1.0") else b"NATS/1.0\r\n" + lines
        head += b"\r\n"
        name = subject if isinstance(subject, bytes) else subject.encode()
        sizes = f"{len(head)} {len(head) + len(body)}".encode()
        with socket.create_connection(("127.0.0.1", self.athens.server.port)) as line:
            answers = line.makefile("rb")
            answers.readline()
            line.sendall(b'CONNECT {"verbose":false,"headers":true}\r\n')
            line.sendall(b"HPUB " + name + b" " + sizes + b"\r\n" + head + body + b"\r\nPING\r\n")
            until(lambda: answers.readline() == b"PONG\r\n")

    def refused(self):
        with self.estate.centre.read() as db:
            return [row.why for row in db.execute(model.refused.select().order_by("number"))]

    def takings(self):
        """Those of each site."""
        return {row["site"]: row for row in self.estate.rows("hold")}

    def both_play_on(self):
        """A round of each site comes to the centre, whatever Athens sent: that is read before."""
        before = self.takings()
        for name, site in self.estate.sites.items():
            number = 1 + before[name]["games"]
            site.pit.play(number, 17, (site.pit.ada, "red", 2000))
            site.send()

        def come():
            self.estate.step()
            rows = self.takings()
            is_there = all(rows[name]["games"] > before[name]["games"] for name in SITES)
            return rows if is_there else None

        return before, until(come, detail=lambda: str(self.estate.rows("hold")))


@pytest.fixture
def hostile(played):
    return Hostile(played)


NESTED = b"[" * 100_000
POISON = {
    "nested": (lambda one: one.changed(data=0).replace(b'"data": 0', b'"data": ' + NESTED), ()),
    "far future": (lambda one: one.changed(time="9999-01-15T08:00:00Z"), ()),
    "before 1970": (lambda one: one.changed(time="0001-01-15T08:00:00Z"), ()),
    "too much": (lambda one: one.data(number=9, lost_cents=2**53), ()),
    "no text in what is skipped": (
        lambda one: one.bytes.replace(b'"data"', b'"more": "\xff", "data"'),
        (),
    ),
    "header of an answer": (lambda one: b"{}", (b"Status: 503",)),
    "header of an end": (lambda one: b"{}", (b"Status: 404",)),
    "status line": (lambda one: b"{}", (b"NATS/1.0 503 No Responders",)),
    "headers that are none": (lambda one: b"{}", (b"\xff\xfe: x", b"no colon")),
}


@pytest.mark.parametrize("name", POISON)
@pytest.mark.one_in(2)
def test_a_poisoned_message_of_one_site_is_set_aside_and_the_others_are_read(hostile, name):
    """Each of these ended the reader of all sites, or vanished without a word."""
    body, headers = POISON[name]
    hostile.send(body(hostile), headers=headers)
    hostile.both_play_on()
    assert len(hostile.refused()) == 1


def test_a_subject_that_is_no_text_ends_no_reader(hostile):
    hostile.send(hostile.bytes, subject=b"tablewire.athens.main.table.1.\xff\xfe")
    hostile.both_play_on()
    assert len(hostile.refused()) == 1


def test_what_no_database_can_have_is_set_aside_alone(hostile, monkeypatch):
    """What cannot be folded takes nothing with it that came in the same batch."""
    put = fold.put

    def refusing(db, table, key, values):
        if values.get("number") == 9:
            raise OverflowError("Python int too large to convert to SQLite INTEGER")
        put(db, table, key, values)

    monkeypatch.setattr(fold, "put", refusing)
    hostile.send(hostile.data(number=9))
    hostile.both_play_on()
    assert [why.split(":")[0] for why in hostile.refused()] == ["OverflowError"]
    assert hostile.takings()["athens"]["games"] == 2


def test_no_site_speaks_for_another(hostile):
    """Athens makes its stream take Berlin's subjects, and names Berlin in header and event."""
    server = Server(hostile.athens.server.broker, "hostile")
    server.open()

    async def widen():
        info = await server.streams.stream_info("tablewire-athens")
        await server.streams.update_stream(info.config.evolve(subjects=["tablewire.>"]))

    server.run(widen())
    server.close()
    body = json.dumps(
        hostile.good | {"site": "berlin", "data": hostile.good["data"] | {"number": 77}}
    ).encode()
    subject = "tablewire.berlin.main.table.1.round.settled"
    source = b"Nats-Stream-Source: tablewire-berlin:JJWTU83j 9"
    hostile.send(body, subject, headers=(source, source, source.lower()))
    hostile.send(body, subject)
    before, after = hostile.both_play_on()
    for name in SITES:
        assert after[name]["games"] == before[name]["games"] + 1
    assert hostile.refused() == ["it is of berlin, but from tablewire-athens"] * 2


@pytest.mark.parametrize("place", ["centre", "berlin"])
def test_a_site_reads_and_deletes_no_stream_but_its_own(hostile, place):
    """Over its leaf connection Athens read what Berlin took, and deleted the centre's stream."""
    name = "tablewire-estate" if place == "centre" else "tablewire-berlin"
    server = Server(hostile.athens.server.broker, "hostile")
    server.open()
    streams = server._client.jetstream(domain=place, timeout=1)
    for attack in (
        streams.get_msg(name, 1),
        streams.purge_stream(name),
        streams.delete_stream(name),
    ):
        with pytest.raises(BrokerError):
            server.run(attack)
    server.close()
    hostile.both_play_on()


def test_the_id_of_another_sites_next_event_keeps_it_from_no_centre(hostile):
    """The stream drops a message with an id that it has: Athens sends Berlin's next one first."""
    number = 1 + hostile.takings()["berlin"]["games"]
    hostile.send(b"{}", headers=(f"Nats-Msg-Id: berlin/main/round-{number}-1".encode(),))
    until(lambda: hostile.estate.step() or hostile.refused())
    hostile.both_play_on()


def test_a_reader_that_fails_says_so_and_goes_on(hostile, monkeypatch):
    """A defect ended its thread, and the centre was ready with old figures."""
    failures, said, stop = [ValueError("a defect")], [], threading.Event()
    step = hostile.estate.reader.step

    def failing():
        if failures:
            raise failures.pop()
        stop.set()
        return step()

    monkeypatch.setattr(reader_module, "_AGAIN_S", 0.0)
    monkeypatch.setattr(hostile.estate.reader, "step", failing)
    hostile.estate.reader.run(stop, lambda event, facts: said.append((event, facts["why"])))
    why = "ValueError: a defect"
    assert said == [("estate_stream_lost", why), ("estate_stream_back", why)]


def spin(estate, number):
    """A round at Athens, sent to the server of the site."""
    athens = estate.sites["athens"]
    athens.pit.play(number, 4, (athens.pit.ada, "red", 1000))
    return athens.send()


def test_a_centre_whose_server_lost_its_newest_messages_has_all(estate, tmp_path):
    """After a power failure the sites send again, in another order: Berlin first, which is new."""
    estate.until([spin(estate, 1)])
    estate.hub.stop()
    store, before = tmp_path / "centre" / "store", tmp_path / "before"
    shutil.copytree(store, before)
    estate.hub.start()
    lost = spin(estate, 2)
    until(lambda: games(estate) == {"athens": 2})
    estate.hub.stop()
    shutil.rmtree(store)
    before.rename(store)
    athens, berlin = (estate.sites[name] for name in SITES)
    athens.server.stop()
    estate.hub.start()
    berlin.pit.play(1, 4, (berlin.pit.ada, "red", 1000))
    assert berlin.send() == lost
    until(lambda: last_number(estate.hub) == 2 * lost)
    athens.server.start()
    until(lambda: games(estate) == {"athens": 2, "berlin": 1})


def games(estate):
    """Games of each site that has some, once what came is read."""
    estate.step()
    return {row["site"]: row["games"] for row in estate.rows("floor") if row["games"]}


def last_number(hub):
    """Number of the newest message of the centre's stream."""
    server = Server(hub.broker, "test")
    server.open()
    try:
        return server.run(server.streams.stream_info(STREAM)).state.last_seq
    finally:
        server.close()


def test_a_reader_that_pauses_reads_after_each_pause(estate, tmp_path):
    """The files of Parquet go on."""
    files = ParquetFiles(tmp_path / "parquet")
    writer = Reader(estate.centre, estate.hub.broker, SITES, files)
    sent = [spin(estate, 1)]
    estate.until(sent)

    class Stop(threading.Event):
        pauses = 0

        def wait(self, timeout=None):
            self.pauses += 1
            if self.pauses == 2:
                sent.append(spin(estate, 2))
                estate.until([sum(sent)])
            return self.pauses == 3

    writer.run(Stop(), lambda event, facts: None, pause_s=600.0)
    rows = [pq.read_table(file).num_rows for file in sorted((tmp_path / "parquet").iterdir())]
    assert rows == sent


def test_messages_that_the_stream_has_no_longer_are_passed(estate):
    """Between two of a batch, and as the newest that was read."""
    estate.reader.step()  # makes the stream
    sent = spin(estate, 1)
    until(lambda: last_number(estate.hub) == sent)
    remove(estate.hub, 2)
    estate.until([sent - 1])
    remove(estate.hub, sent)
    estate.reader.close()
    spin(estate, 2)
    until(lambda: games(estate) == {"athens": 2})


def remove(hub, number):
    """Delete a message of the centre's stream."""
    server = Server(hub.broker, "test")
    server.open()
    try:
        assert server.run(server.streams.delete_msg(STREAM, number))
    finally:
        server.close()


def test_the_events_are_in_parquet_files_once(played, tmp_path):
    """Killed after a file was written: it is written again under its name, with more in it."""
    folder = tmp_path / "events"

    class Killed(ParquetFiles):
        def take(self, db, batch):
            super().take(db, batch[:3])
            raise BrokerError("killed")

    for taker in (Killed(folder), ParquetFiles(folder)):
        reader = Reader(played.centre, played.hub.broker, SITES, taker)
        with suppress(BrokerError):
            until(reader.step)
        reader.close()
    table = pq.read_table(folder)
    assert sorted(table["number"].to_pylist()) == list(range(1, 11))
    assert set(table["site"].to_pylist()) == set(SITES)
    assert json.loads(table["event"][0].as_py())["id"] == table["id"][0].as_py()
    assert not list(folder.glob("*.part"))


@contextmanager
def served(centre, down=""):
    """A client of the page of a centre."""
    server = estate_app.server_of(centre, lambda: down)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with httpx.Client(base_url=url, timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()


def test_the_page_and_its_figures(played):
    """Read only, for this machine: names of other hosts are refused, questions are checked."""
    with served(played.centre) as client:
        assert "<title>Estate</title>" in client.get("/").text
        assert client.get("/console/base.css").status_code == 200
        floor = client.get("/v1/estate/floor").json()["rows"]
        assert [row["site"] for row in floor] == list(SITES)
        by_model = client.get("/v1/estate/hold?by=wheel_model&hours=8784")
        assert by_model.status_code == 200
        for path in (
            "hold?by=1",
            "hold?hours=0",
            "hold?hours=99999",
            "hold?x=1",
            "alarms?open_s=-1",
            "alarms?open_s=99999999999",
        ):
            assert client.get(f"/v1/estate/{path}").status_code == 422, path
        assert client.get("/v1/estate/none").status_code == 404
        assert client.post("/v1/estate/floor").status_code == 405
        assert client.get("/", headers={"host": "evil.example"}).status_code == 400
        assert "default-src 'none'" in client.get("/").headers["content-security-policy"]
    with served(played.centre, "gone") as client:
        assert client.get("/v1/ready").status_code == 503


def test_figures_on_the_command_line(played, tmp_path, capsys):
    """As a table, as JSON lines; a wrong name is refused with those there are."""
    place = str(tmp_path / "estate.db")
    assert run(["estate", "show", "floor", "--db", place]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["site", "athens", "berlin"]
    assert run(["estate", "show", "firmware", "--db", place]) == 0
    assert capsys.readouterr().out == "nothing to show\n"
    assert run(["estate", "show", "floor", "--db", place, "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["tables"] == 1
    assert run(["estate", "where", "R1", "--db", place]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["site", "athens", "berlin"]
    assert run(["estate", "where", "R1", "--db", place, "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (found["site"], found["name"], found["game"]) == ("athens", "R1", "roulette")
    assert run(["estate", "where", "R9", "--db", place]) == USER
    assert "no pit has reported a table 'R9'" in capsys.readouterr().err
    assert run(["estate", "show", "none", "--db", place]) == USER
    assert "floor, hold, alarms, late, firmware, days, offers, bias" in capsys.readouterr().err
    assert run(["estate", "show", "floor", "--db", str(tmp_path / "none")]) == USER
    assert "there is no such file" in capsys.readouterr().err
    site = ["--site", "A b", "--nats", "nats://x", "--db", place]
    assert run(["estate", "serve", *site]) == USER
    assert "site 'A b' is not a name" in capsys.readouterr().err
