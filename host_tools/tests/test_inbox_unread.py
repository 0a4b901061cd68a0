"""What `collect` does with records it cannot read, stale links and stepping clocks."""

from contextlib import closing

import pytest

from host_tools.tests.test_ledger_unread import NEWER, NewerReceiver, as_type
from tabletools.inbox import Collector, Inbox, opened, release, store
from tabletools.link import Contradiction, Notice
from tabletools.seals import VERIFIED
from tablewire import messages as m
from tablewire.framing import Receiver
from tablewire.roulette import WHEEL_SINGLE
from tablewire.sender import Sender

STUCK = (301, 255, 0, 0)
OPENED = (WHEEL_SINGLE, 7, 60_000)
BEAT = (m.PHASE_BETS_OPEN, 0, 255, 1, 142, 0, 0, 0, 180_000)


class Table:
    """Device 7, whose frames reach an inbox."""

    def __init__(self, file):
        self.db = opened(file)
        self.inbox = Inbox(self.db, mono_ns=lambda: 0, wall_ns=lambda: 1)
        self.sender = Sender(7, 3)

    def hear(self, wire):
        [item] = Receiver().feed(wire)
        frame = getattr(item, "frame", item)
        self.inbox.hear(frame)
        if frame.flags & m.FLAG_DURABLE:
            return self.inbox.store(frame, wire, VERIFIED, 1)
        return None

    def say(self, ident, values, number=1, flags=m.FLAG_DURABLE):
        self.sender.round = number
        return self.hear(self.sender.build(ident, values, flags))

    def newer(self):
        """A fault, of a type that nobody here knows."""
        return as_type(self.sender.build(m.FAULT_RAISED, STUCK, m.FLAG_DURABLE), NEWER)

    def bets(self):
        return self.db.execute("SELECT bets_open, cause FROM tables").fetchone()

    def alarms(self):
        return [row[0] for row in self.db.execute("SELECT kind FROM alarms ORDER BY id")]


@pytest.fixture
def table(tmp_path):
    found = Table(tmp_path / "inbox")
    with closing(found.db):
        found.say(m.HEARTBEAT, BEAT, flags=0)
        found.say(m.ROUND_OPENED, OPENED)
        assert found.bets() == (1, "round_opened")
        yield found


def test_it_is_kept_once_with_an_alarm_and_bets_close(table):
    """A repeat is known; another content under its name is a conflict."""
    wire = table.newer()
    assert table.hear(wire)
    assert not table.hear(wire)
    assert table.bets() == (0, "record_not_understood")
    assert table.alarms() == ["not_understood"]
    [(raw, closed)] = table.db.execute("SELECT raw, closed_by FROM unread")
    assert (bytes(raw), closed) == (wire, None)
    table.sender.counter -= 1
    table.sender.advance(5)
    with pytest.raises(Contradiction):
        table.hear(table.newer())


def test_no_bets_open_until_a_person_releases_the_table(table):
    """Then the next round opens as ever."""
    table.hear(table.newer())
    table.say(m.ROUND_OPENED, OPENED, 2)
    assert table.bets()[0] == 0
    assert release(table.db, 7, "seen", 1)
    table.say(m.ROUND_OPENED, OPENED, 3)
    assert table.bets() == (1, "round_opened")


def test_a_newer_release_reads_it_when_it_starts(table, monkeypatch):
    """As the record it is, in its place."""
    table.hear(table.newer())
    monkeypatch.setattr(store, "Receiver", NewerReceiver)
    Inbox(table.db, mono_ns=lambda: 0, wall_ns=lambda: 1)
    kinds = [row[0] for row in table.db.execute("SELECT type FROM records ORDER BY counter")]
    assert kinds == [m.ROUND_OPENED, m.FAULT_RAISED]
    assert table.db.execute("SELECT closed_by FROM unread").fetchall() == [("read",)]


@pytest.mark.parametrize("kind", ["link_stale", "clock_step"])
def test_notices_of_the_link_close_the_bets_with_an_alarm(table, kind):
    """As a lost link does, each under its own name."""
    collector = Collector(table.inbox, lambda device: {}, clock=lambda: 0.0)
    collector.device = 7
    collector.take(Notice(kind, "too old", error=True))
    assert (table.bets(), table.alarms()) == ((0, kind), [kind])


def test_a_stale_link_opens_nothing(table):
    """A collector asks its session; nothing was echoed yet."""
    Collector(table.inbox, lambda device: {}, clock=lambda: 0.0)
    table.say(m.BETS_CLOSED, (1, 8_000))
    table.say(m.ROUND_VOID, (404, 1, 255, 65535, 0, 0, 65535, 65535))
    table.say(m.ROUND_OPENED, OPENED, 2)
    assert table.bets()[0] == 0
