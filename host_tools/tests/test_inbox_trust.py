"""What may be settled: only what the device with the key made, once, whoever sits on the line."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hil_tests.emulators.keyed import KeyedTable
from hil_tests.emulators.repeater import CLOSED, OPENED, result
from tabletools.inbox import Collector, Inbox, Listing, opened, release
from tabletools.inbox.database import connect
from tabletools.inbox.schema import MIGRATIONS
from tablewire.cobs import stuff, unstuff
from tablewire.crc import crc32
from tablewire.messages import (
    BETS_CLOSED,
    FLAG_DURABLE,
    FLAG_RETRANSMITTED,
    ROUND_OPENED,
    SEED,
    TAMPER,
)
from tablewire.roulette import WHEEL_RESULT
from tablewire.seal import Mac
from tablewire.sender import Sender

SECRET = bytes(range(32))
KEYS = {7: {1: SECRET}}


class Pit:
    """An inbox on a line with a table and, between them, a wire that a test may cut into."""

    def __init__(self, file, table, keys=KEYS):
        self.db = opened(file)
        self.inbox = Inbox(self.db)
        self.collector = Collector(self.inbox, lambda device: keys.get(device, {}))
        self.session = self.collector.session
        self.table = table
        self.now = 0.0
        self.take(self.session.connected(self.now))
        self.turn()

    def take(self, events):
        for event in events:
            self.collector.take(event)

    def hear(self, wire):
        self.take(self.session.receive(wire, self.now))

    def turn(self, wire=b""):
        """Honest bytes reach the host, until nobody has more to say."""
        while True:
            self.hear(wire)
            wire = self.table.receive(self.session.outgoing())
            if not wire:
                return

    def round(self, number, pocket=17):
        self.turn(self.table.say(ROUND_OPENED, OPENED, number))
        self.turn(self.table.say(BETS_CLOSED, CLOSED, number))
        self.turn(self.table.say(WHEEL_RESULT, result(pocket), number))
        self.turn(self.table.beat())

    def rows(self, text):
        return [tuple(row) for row in self.db.execute(text)]

    def settleable(self):
        return self.rows(
            "SELECT s.device, s.round, payload ->> '$.pocket' FROM settleable s"
            " JOIN records ON records.id = s.record ORDER BY 1, 2"
        )


@pytest.fixture
def pit(tmp_path):
    pit = Pit(tmp_path / "inbox", KeyedTable(7, 1, SECRET))
    with closing(pit.db):
        yield pit


def forged(number, pocket):
    sender = Sender(7, 1)
    sender.counter, sender.round = 500, number
    wires = [sender.build(ROUND_OPENED, OPENED, 2), sender.build(BETS_CLOSED, CLOSED, 2)]
    return b"".join([*wires, sender.build(WHEEL_RESULT, result(pocket), 2)])


def test_only_a_verified_round_is_settled(pit):
    """All of it under a session, not in test mode."""
    pit.round(12)
    assert pit.settleable() == [(7, 12, 17)]
    pit.table.sender.test_mode = True
    pit.round(13)
    assert pit.settleable() == [(7, 12, 17)]
    assert pit.rows("SELECT DISTINCT authentication FROM records") == [("verified",)]


def test_the_bench_is_never_settled(tmp_path):
    """Stored, believed, and not settleable: there was no key."""
    pit = Pit(tmp_path / "inbox", KeyedTable(9))
    with closing(pit.db):
        pit.round(12)
        assert pit.rows("SELECT verdict FROM rounds") == [("believed",)]
        assert pit.rows("SELECT DISTINCT authentication FROM records") == [("none",)]
        assert pit.settleable() == []


def test_a_round_that_got_its_key_half_way_is_not_settled(tmp_path):
    """Opened on the bench, ended under a session: who opened it is not proven."""
    table = KeyedTable(7)
    pit = Pit(tmp_path / "inbox", table, {})
    pit.turn(table.say(ROUND_OPENED, OPENED, 12))
    pit.db.close()
    table.number, table.secret = 1, SECRET
    pit = Pit(tmp_path / "inbox", table)
    with closing(pit.db):
        pit.turn(table.say(BETS_CLOSED, CLOSED, 12))
        pit.turn(table.say(WHEEL_RESULT, result(3), 12))
        pit.turn(table.beat())
        assert pit.rows("SELECT verdict FROM rounds") == [("believed",)]
        assert pit.settleable() == []


def test_a_forged_round_stops_the_table_until_a_person_releases_it(pit):
    """One alarm with the first frame, the rest counted; the honest rounds count after release."""
    pit.round(12)
    wire = forged(13, 5)
    pit.hear(wire)
    assert pit.rows("SELECT kind, device, repeats, raw FROM alarms") == [
        ("tamper", 7, 2, wire[: wire.index(b"\0") + 1])
    ]
    assert "round_opened of device 7 boot 1 counter 501 refused" in pit.inbox.stopped(7)
    pit.round(13)
    assert pit.settleable() == []
    assert pit.rows("SELECT bets_open FROM tables") == [(0,)]
    assert release(pit.db, 7, "line replaced, A. Person", 5)
    assert pit.settleable() == [(7, 12, 17), (7, 13, 17)]
    pit.hear(wire)
    assert len(pit.rows("SELECT 1 FROM alarms")) == 2
    assert [row["kind"] for row in Listing(pit.db).alarms()] == ["tamper", "tamper"]


def test_what_the_table_refused_is_an_alarm(pit):
    """Its tamper record tells of forged commands; a person has to know."""
    pit.turn(pit.table.say(TAMPER, (2, 66, 900, 3)))
    [(kind, text)] = pit.rows("SELECT kind, text FROM alarms")
    assert kind == "tamper"
    assert '"count": 3' in text
    assert pit.table.journal == []


def test_an_inbox_of_the_last_release_is_carried_over(tmp_path):
    """Alarms and the stops that point to them survive the new kind of alarm."""
    file = tmp_path / "inbox"
    with closing(connect(file.as_uri())) as db:
        db.executescript(MIGRATIONS[0])
        db.executescript("PRAGMA application_id=1952607351; PRAGMA user_version=1")
        db.execute("INSERT INTO alarms (at_ns, device, kind, text) VALUES (1, 7, 'conflict', 'x')")
        db.execute("INSERT INTO stops (device, since_ns, reason, alarm) VALUES (7, 1, 'x', 1)")
    with closing(opened(file)) as db:
        assert db.execute(
            "SELECT text FROM alarms JOIN stops ON alarm = alarms.id"
        ).fetchall() == [("x",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        with pytest.raises(sqlite3.IntegrityError):
            db.execute("INSERT INTO stops (device, since_ns, reason, alarm) VALUES (8, 1, 'x', 9)")


class ManInTheMiddle(RuleBasedStateMachine):
    """A table, a host, and an attacker who holds the line between them.

    He may drop, repeat, hold back, reorder, change and make frames, both ways, and cut the power.
    What the table made is the truth: nothing else is ever settleable, nothing twice.
    """

    def __init__(self):
        super().__init__()
        self.pit = None
        self.truth = {}
        self.table = KeyedTable(7, 1, SECRET)
        self.pit = Pit.__new__(Pit)
        self.pit.db = opened(Path("unused"), connector=lambda _: connect("file::memory:"))
        self.start()
        self.up, self.down, self.heard = [], [], []
        self.number = 0

    def start(self):
        """The host's program begins."""
        pit = self.pit
        pit.inbox = Inbox(pit.db)
        pit.collector = Collector(pit.inbox, lambda device: KEYS.get(device, {}))
        pit.session = pit.collector.session
        pit.table, pit.now = self.table, 0.0
        pit.take(pit.session.connected(0.0))

    def teardown(self):
        self.pit.db.close()

    def flow(self):
        """What each end wants to say goes onto the line, where it waits for the attacker."""
        self.down += [p + b"\0" for p in self.pit.session.outgoing().split(b"\0") if p]

    def say(self, wire):
        made = [p + b"\0" for p in wire.split(b"\0") if p]
        self.up += made
        self.heard += made

    @rule(pocket=st.integers(0, 36))
    def play(self, pocket):
        """The table plays a round."""
        self.number += 1
        self.truth[self.number] = pocket
        for ident, values in (
            (ROUND_OPENED, OPENED), (BETS_CLOSED, CLOSED), (WHEEL_RESULT, result(pocket)),
        ):  # fmt: skip
            self.say(self.table.say(ident, values, self.number))
        self.say(self.table.beat())

    @rule()
    def repeat(self):
        """The table sends again what was not acknowledged."""
        self.say(self.table.repeat())
        self.say(self.table.beat())

    @rule()
    def pass_on(self):
        """The line is left alone for a while: everything arrives."""
        for _ in range(4):
            self.flow()
            while self.down:
                self.say(self.table.receive(self.down.pop(0)))
            while self.up:
                self.pit.hear(self.up.pop(0))

    @rule()
    def wait(self):
        """Three seconds of silence."""
        self.pit.now += 3.0
        self.pit.take(self.pit.session.tick(self.pit.now))

    @rule()
    def restart_table(self):
        self.table.restart()

    @rule()
    def restart_host(self):
        self.start()

    @rule()
    def release(self):
        release(self.pit.db, 7, "a person", 5)

    @precondition(lambda self: self.up)
    @rule(data=st.data())
    def drop(self, data):
        self.up.pop(data.draw(st.integers(0, len(self.up) - 1)))

    @precondition(lambda self: len(self.up) > 1)
    @rule(data=st.data())
    def reorder(self, data):
        self.up.insert(0, self.up.pop(data.draw(st.integers(0, len(self.up) - 1))))

    @precondition(lambda self: self.heard)
    @rule(data=st.data())
    def replay(self, data):
        self.up.append(data.draw(st.sampled_from(self.heard)))

    @precondition(lambda self: self.heard)
    @rule(data=st.data(), place=st.integers(23, 60), bit=st.integers(0, 7))
    def change(self, data, place, bit):
        """A bit of a recorded frame, CRC made right again; or its tag stripped, flag cleared."""
        body = bytearray(unstuff(data.draw(st.sampled_from(self.heard))[:-1]))[:-4]
        if data.draw(st.booleans()):
            body[2] &= ~1
            del body[-16:]
        body[min(place, len(body) - 1)] ^= 1 << bit
        sealed = bytes(body) + crc32(bytes(body), SEED).to_bytes(4, "little")
        buf = bytearray(1) + bytearray(sealed) + bytearray(1)
        self.up.append(bytes(buf[: stuff(buf, len(sealed))]))

    @rule(
        number=st.integers(1, 6),
        boot=st.integers(1, 4),
        counter=st.integers(1, 60),
        flags=st.sampled_from([FLAG_DURABLE, FLAG_DURABLE | FLAG_RETRANSMITTED]),
    )
    def forge(self, number, boot, counter, flags):
        """A whole round that nobody played, tagged with a key of the attacker's or not at all."""
        sender = Sender(7, boot)
        sender.counter, sender.round = counter, number
        if counter % 2:
            sender.mac = Mac(b"guess")
        for ident, values in (
            (ROUND_OPENED, OPENED), (BETS_CLOSED, CLOSED), (WHEEL_RESULT, result(36)),
        ):  # fmt: skip
            self.up.append(sender.build(ident, values, flags))

    @rule()
    def reflect(self):
        """What the host said comes back to it."""
        self.flow()
        self.up += self.down

    @invariant()
    def only_the_truth_is_settled(self):
        found = self.pit.settleable()
        assert len({number for _, number, _ in found}) == len(found)
        for device, number, pocket in found:
            assert (device, self.truth.get(number)) == (7, pocket)
        stored = self.pit.rows("SELECT type, round, payload ->> '$.pocket' FROM records")
        for kind, number, pocket in stored:
            assert kind != WHEEL_RESULT or self.truth.get(number) == pocket


TestManInTheMiddle = ManInTheMiddle.TestCase
TestManInTheMiddle.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def test_a_row_tells_which_key_verified_it(pit, tmp_path):
    """The number of the session's key; none for a bench record."""
    pit.round(12)
    assert pit.rows("SELECT DISTINCT key_number FROM records") == [(1,)]
    rows = list(Listing(pit.db).records(12))
    assert [row["key_number"] for row in rows] == [1, 1, 1]
    pit.db.row_factory = None
    pit.table.number, pit.table.secret = 2, SECRET[::-1]
    later = {7: {1: SECRET, 2: SECRET[::-1]}}
    pit.turn()
    pit.db.close()
    pit.table.restart()
    again = Pit(tmp_path / "inbox", pit.table, later)
    with closing(again.db):
        again.round(13)
        found = again.rows("SELECT round, key_number FROM records WHERE round > 0 GROUP BY 1, 2")
        assert found == [(12, 1), (13, 2)]
    bench = Pit(tmp_path / "bench", KeyedTable(9))
    with closing(bench.db):
        bench.round(1)
        assert bench.rows("SELECT DISTINCT key_number FROM records") == [(None,)]
