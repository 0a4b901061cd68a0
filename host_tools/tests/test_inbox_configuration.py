"""Which configuration was in force: out of records of changes, values read, and their places."""

import sqlite3

import pytest

from tabletools.inbox import Collector, Inbox, Listing, opened, schema
from tablewire.framing import Receiver
from tablewire.messages import (
    CONFIGURATION,
    CONFIGURATION_CHANGED,
    GET_CONFIGURATION,
    HEARTBEAT,
    ROUND_OPENED,
)
from tablewire.sender import Sender
from tablewire.settings import COUNT

COMMAND, FACTORY, PROVISION = 1, 2, 3
MIN_CIRCUITS, WHEEL = 8, 2
BEAT = (1, 0, 255, 1, 142, 0, 0, 0, 180_000)


class Table:
    """Device 7 in boot 3, on a link to an inbox that asks; time stands still."""

    def __init__(self, file):
        self.now = 0.0
        self.db = opened(file)
        self.inbox = Inbox(self.db)
        self.collector = Collector(self.inbox, lambda _: {}, clock=lambda: self.now)
        self.session = self.collector.session
        self.sender = Sender(7, 3)
        self.take(self.session.connected(0.0))
        self.asked()

    def take(self, events):
        for event in events:
            self.collector.take(event)

    def tell(self, ident, values, number=0, *, flags=0):
        self.sender.round = number
        wire = self.sender.build(ident, values, flags)
        self.take(self.session.receive(wire, self.now))

    def change(self, key, value, previous, cause=COMMAND, revision=2):
        self.tell(CONFIGURATION_CHANGED, (key, value, previous, cause, revision), flags=2)

    def read(self, key, value):
        self.tell(CONFIGURATION, (key, value, value, 0, 0))

    def opened(self, number):
        self.tell(ROUND_OPENED, (1, 7, 60_000), number, flags=2)

    def asked(self):
        """The keys the host asked for since the last look."""
        frames = Receiver().feed(self.session.outgoing())
        return [frame.values[0] for frame in frames if frame.type == GET_CONFIGURATION]

    def in_force(self, number):
        """The values known to be in force when a round opened, by name."""
        [row] = Listing(self.db).configurations(number)
        return {name: value for name, value in row["values"].items() if value is not None}


@pytest.fixture
def table(tmp_path):
    return Table(tmp_path / "t.inbox")


def test_changes_before_and_after_a_round(table):
    """The last change before it counts; else what the first change after it says was before."""
    table.opened(1)
    table.change(MIN_CIRCUITS, 4, 7)
    table.opened(2)
    table.change(MIN_CIRCUITS, 5, 4)
    table.change(WHEEL, 2, 1)
    table.opened(3)
    assert table.in_force(1) == {"min_circuits": 7, "wheel": 1}
    assert table.in_force(2) == {"min_circuits": 4, "wheel": 1}
    assert table.in_force(3) == {"min_circuits": 5, "wheel": 2}


def test_values_read_tell_of_what_never_changed(table):
    """Before and after the moment they were read, up to a change."""
    table.opened(1)
    table.read(MIN_CIRCUITS, 7)
    table.read(WHEEL, 2)
    table.change(MIN_CIRCUITS, 4, 7)
    table.opened(2)
    assert table.in_force(1) == {"min_circuits": 7, "wheel": 2}
    assert table.in_force(2) == {"min_circuits": 4, "wheel": 2}
    assert table.inbox.take_alarms() == []


def test_provisioning_begins_anew(table):
    """Every value is the factory's then; what was before is not known from it."""
    table.opened(1)
    table.change(WHEEL, 2, 1, PROVISION, 1)
    table.opened(2)
    assert table.in_force(1) == {}
    found = table.in_force(2)
    assert (len(found), found["wheel"], found["min_circuits"]) == (COUNT, 2, 7)


def test_a_change_nobody_recorded_is_an_alarm(table):
    """Once; a reading that agrees is kept once and raises none."""
    table.change(MIN_CIRCUITS, 4, 7)
    table.read(MIN_CIRCUITS, 4)
    assert table.inbox.take_alarms() == []
    table.read(MIN_CIRCUITS, 1)
    [alarm] = table.inbox.take_alarms()
    assert alarm.text == "min_circuits is 1 and was 4: no record here tells of the change"
    table.read(MIN_CIRCUITS, 1)
    assert table.inbox.take_alarms() == []
    table.opened(1)
    assert table.in_force(1)["min_circuits"] == 1


def test_the_configuration_is_asked_for_one_value_at_a_time(table):
    """Once nothing waits, all keys in order, the next when one is answered; again if it is not."""
    table.tell(HEARTBEAT, (*BEAT[:5], 1, *BEAT[6:]))
    assert table.asked() == []
    table.tell(HEARTBEAT, BEAT)
    assert table.asked() == [1]
    table.tell(HEARTBEAT, BEAT)
    assert table.asked() == []
    for key in range(1, 5):
        table.read(key, 1)
        assert table.asked() == [key + 1]
    table.now = 0.6
    table.tell(HEARTBEAT, BEAT)
    assert table.asked() == [5]
    for _ in range(10):
        table.now += 0.6
        table.tell(HEARTBEAT, BEAT)
    assert len(table.asked()) == 4, "six times in all, then it is given up"


def test_an_old_inbox_is_carried_over(tmp_path):
    """A file of the first schema gets the new tables and keeps what it holds."""

    file = tmp_path / "old.inbox"
    db = sqlite3.connect(file)
    db.executescript(schema.MIGRATIONS[0])
    db.execute("INSERT INTO clock_events (at_ns, kind, step_ns) VALUES (1, 'host_step', 5000000)")
    db.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
    db.execute("PRAGMA user_version=1")
    db.commit()
    db.close()
    table = Table(file)
    table.read(MIN_CIRCUITS, 7)
    assert [row["step_ms"] for row in Listing(table.db).steps()] == [5.0]
