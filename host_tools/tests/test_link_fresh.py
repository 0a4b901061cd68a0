"""Beacons, stale links, records that cannot be read, another host: a session in given time."""

import pytest

from host_tools.tests.test_ledger_unread import NEWER, as_type
from tableemulator.machines.keyed import KeyedTable
from tabletools.link import (
    ONLINE,
    TAKEN,
    Notice,
    NotOnline,
    OnceStore,
    Session,
    Tampered,
    Unread,
)
from tabletools.link.identification import TAKEN_LONGEST_S, TAKEN_PAUSE_S, host_name
from tablewire import messages as m
from tablewire import seal
from tablewire.cobs import stuff, unstuff
from tablewire.codec import TAG_BYTES
from tablewire.crc import crc32
from tablewire.framing import Receiver
from tablewire.roulette import WHEEL_SINGLE

SECRET = bytes(range(32))
OPENED = (WHEEL_SINGLE, 7, 60_000)


class Line:
    """A host and a table; what one sends reaches the other at once."""

    def __init__(self, store=None, is_watcher=False, table=None):
        self.table = KeyedTable(7, 1, SECRET) if table is None else table
        self.stored = []
        keep = OnceStore(self.stored.append) if store is None else store
        self.session = Session(
            None if is_watcher else keep, keys=lambda _: {1: SECRET}, program="pit"
        )
        self.now, self.sent, self.events = 100.0, [], []
        self.take(self.session.connected(self.now))
        self.turn()

    def take(self, events):
        self.events += events

    def turn(self, wire=b""):
        while True:
            self.take(self.session.receive(wire, self.now))
            out = self.session.outgoing()
            self.sent += Receiver().feed(out)
            wire = self.table.receive(out)
            if not wire:
                return

    def pass_s(self, seconds, *, beats=True):
        """Time passes in steps of 50 ms; a heartbeat at each fifth."""
        for step in range(round(seconds * 20)):
            self.now += 0.05
            self.table.sender.advance(50)
            self.take(self.session.tick(self.now))
            self.turn(self.table.beat() if beats and step % 5 == 0 else b"")

    def notices(self):
        return [event.kind for event in self.events if isinstance(event, Notice)]

    def count(self, kind):
        return [frame.type for frame in self.sent].count(kind)


def test_a_host_sends_beacons_and_says_what_it_received():
    """Every 250 ms at most, each with a new token; its frames carry the uptime of the
    newest frame of the table and how long ago that came."""
    line = Line()
    line.pass_s(2)
    beacons = [frame for frame in line.sent if frame.type == m.BEACON]
    assert 8 <= len(beacons) <= 9
    assert len({frame.values[0] for frame in beacons}) == len(beacons)
    assert all(frame.tag is not None for frame in beacons)
    assert {frame.minor for frame in beacons} == {m.MINOR}
    last = beacons[-1]
    assert 0 < last.echo <= 2000
    assert 0 <= last.echo_ms <= 250
    assert not line.session.freshness.is_stale(int(line.now * 1e9))
    assert "link_stale" not in line.notices()


def test_a_watcher_sends_none():
    """It promises nothing to the table."""
    line = Line(is_watcher=True)
    line.pass_s(3)
    assert (line.session.state, line.count(m.BEACON)) == (ONLINE, 0)
    assert "link_stale" not in line.notices()


def test_a_repeat_is_no_life():
    """A record that comes again and again, and nothing else: offline after 2 s."""
    line = Line()
    line.pass_s(1)
    line.table.say(m.ROUND_OPENED, OPENED, 5)
    before = line.session.received_at
    for _ in range(8):
        line.now += 0.3
        line.table.sender.advance(300)
        line.take(line.session.receive(line.table.repeat(), line.now))
        line.take(line.session.tick(line.now))
    assert line.session.received_at == before
    wanted = ("link_stale", "offline")
    assert [kind for kind in line.notices() if kind in wanted] == [*wanted]
    assert len(line.stored) == 1


def test_frames_held_back_make_the_link_stale_once_and_fresh_again():
    """Heartbeats 1.8 s late: genuine, in order, and too old; the age is reported."""
    line = Line()
    line.pass_s(1)
    line.turn(line.table.say(m.ROUND_OPENED, OPENED, 5))
    held = []
    for _ in range(12):
        line.now += 0.25
        line.table.sender.advance(250)
        held.append((line.now, line.table.beat()))
        if line.now - held[0][0] >= 1.8:
            line.take(line.session.receive(held.pop(0)[1], line.now))
        line.take(line.session.tick(line.now))
        line.table.receive(line.session.outgoing())
    assert line.notices().count("link_stale") == 1
    [stale] = [e for e in line.events if isinstance(e, Notice) and e.kind == "link_stale"]
    assert (stale.error, " ms old: frames are delayed" in stale.text) == (True, True)
    for _, wire in held:
        line.take(line.session.receive(wire, line.now))
    line.pass_s(1)
    assert line.notices()[-1] == "fresh"


def test_a_clock_that_steps_is_said_with_its_amount():
    """3 s ahead at once."""
    line = Line()
    line.pass_s(2)
    line.table.sender.advance(3000)
    line.pass_s(1)
    [step] = [e for e in line.events if isinstance(e, Notice) and e.kind == "clock_step"]
    assert step.error
    assert abs(step.step_ns / 1e9 - 3) < 0.1


def ended(table, name):
    """The table reports that another host began a session."""
    return table.say(m.SESSION_ENDED, (name.ljust(16, b"\0"),))


def test_another_host_is_named_and_not_called_a_forger():
    """Frames under the session of the other are not judged; this host waits, then asks again."""
    line = Line()
    line.pass_s(1)
    line.turn(ended(line.table, b"monitor of Ann"))
    [notice] = [e for e in line.events if isinstance(e, Notice) and e.kind == "taken"]
    assert notice.text == (
        f"host monitor of Ann took the table; this host tries again in {TAKEN_PAUSE_S:g} s"
    )
    assert (line.session.state, notice.error) == (TAKEN, True)
    before = len(line.sent)
    for _ in range(9):
        line.now += 1
        line.take(line.session.receive(line.table.beat(), line.now))
        line.take(line.session.tick(line.now))
        line.take(line.session.receive(foreign(line.table), line.now))
        assert line.session.outgoing() == b""
    with pytest.raises(NotOnline, match="the table is taken"):
        line.session.command(m.CLOSE_BETS, (), 5)
    assert not [event for event in line.events if isinstance(event, Tampered)]
    assert line.session.tampered == 0
    line.pass_s(2)
    assert line.session.state == ONLINE
    assert [frame.type for frame in line.sent[before:]][:2] == [m.IDENTIFY, m.START_SESSION]
    assert line.notices()[-1] != "taken"


def foreign(table):
    """A frame of the table under the session of another host."""
    other = seal.Session(SECRET, 7, table.sender.boot, b"another!", b"a third!").table
    mac, table.sender.mac = table.sender.mac, other
    wire = table.beat()
    table.sender.mac = mac
    return wire


def test_two_hosts_do_not_fight_for_a_table():
    """Each time it is taken the pause doubles, up to the longest."""
    line = Line()
    pauses = []
    for _ in range(7):
        line.pass_s(0.5)
        line.turn(ended(line.table, b"x"))
        now_ns = line.now
        while line.session.state == TAKEN:
            line.now += 0.5
            line.take(line.session.tick(line.now))
            line.turn()
            line.turn(line.table.beat())
        pauses.append(line.now - now_ns)
    expected = [min(TAKEN_PAUSE_S * 2**turn, TAKEN_LONGEST_S) for turn in range(7)]
    assert pauses == pytest.approx(expected, abs=1.01)


def test_a_watcher_that_lost_the_table_leaves_it_alone():
    """It waits until it is connected again."""
    line = Line(is_watcher=True)
    line.turn(ended(line.table, b"the pit"))
    before = len(line.sent)
    line.now += 1000
    line.take(line.session.tick(line.now))
    line.turn()
    assert (line.session.state, len(line.sent)) == (TAKEN, before)
    line.take(line.session.connected(line.now))
    line.turn()
    line.turn(line.table.beat())
    assert line.session.state == ONLINE


def newer(line, ident=m.ROUND_OPENED, values=OPENED):
    """A record of a type that this release does not know, sealed by the table."""
    table = line.table
    mac, table.sender.mac = table.sender.mac, None
    plain = as_type(table.say(ident, values, 5), NEWER)
    table.sender.mac = mac
    body = bytearray(unstuff(plain[:-1]))[:-4]
    body[2] |= m.FLAG_AUTHENTICATED
    body += mac.digest(bytes(body))[:TAG_BYTES]
    sealed = bytes(body) + crc32(bytes(body), m.SEED).to_bytes(4, "little")
    buf = bytearray(1) + bytearray(sealed) + bytearray(1)
    return bytes(buf[: stuff(buf, len(sealed))])


def test_a_record_that_cannot_be_read_is_kept_and_acknowledged():
    """By a store that keeps it as it is; it is no tampering."""
    records = []
    line = Line(store=lambda *record: records.append(record) or True)
    line.pass_s(1)
    line.turn(newer(line))
    [(frame, wire, seal, proof)] = records
    assert (frame.type, frame.problem, seal, proof.key) == (NEWER, "type: 0x3f", "verified", 1)
    [event] = [e for e in line.events if isinstance(e, Unread)]
    assert (event.stored, event.data) == (True, wire)
    assert line.table.acknowledged == [(1, frame.counter)]
    assert line.session.tampered == 0


def test_a_program_that_keeps_nothing_leaves_it_to_the_table():
    """Not acknowledged: the next host gets it."""
    line = Line()
    line.pass_s(1)
    line.turn(newer(line))
    assert "store_failed" in line.notices()
    assert line.table.acknowledged == []


def test_a_host_says_which_program_on_which_machine_it_is(monkeypatch):
    """At most 16 bytes of ASCII, whatever the machine is called; two runs differ."""
    monkeypatch.setattr("socket.gethostname", lambda: "würfel-saal-3.casino.example")
    names = {host_name("collect") for _ in range(20)}
    assert {name[:12] for name in names} == {b"collect@w?r-"}
    assert {len(name) for name in names} == {16}
    assert len(names) > 1
    monkeypatch.setattr("socket.gethostname", lambda: "vm")
    assert host_name("pit").startswith(b"pit@vm-")
