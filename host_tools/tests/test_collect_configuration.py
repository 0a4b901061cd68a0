"""Which configuration was in force: out of records of changes, values read, and their places."""

import pytest

from host_tools.tests.collecting import SECRET, Collecting
from tableemulator.machines.keyed import KeyedTable
from tabletools.evidence import configuration
from tablewire.framing import Receiver
from tablewire.messages import (
    CONFIGURATION,
    CONFIGURATION_CHANGED,
    GET_CONFIGURATION,
    ROUND_OPENED,
    ROUND_VOID,
)
from tablewire.settings import COUNT

COMMAND, FACTORY, PROVISION = 1, 2, 3
MIN_CIRCUITS, WHEEL = 8, 2
VOID = (404, 1, 255, 65535, 0, 0, 65535, 65535)


class Deaf(KeyedTable):
    """A table that answers no question for its configuration by itself."""

    def __init__(self):
        super().__init__(7, 1, SECRET, 3)
        self.asked = []

    def _obey(self, frame):
        if frame.type != GET_CONFIGURATION:
            return super()._obey(frame)
        self.asked.append(frame.values[0])
        return b""


class Table(Collecting):
    """Device 7 in boot 3, with the configuration of the test."""

    def change(self, key, value, previous, cause=COMMAND, revision=2):
        self.say(CONFIGURATION_CHANGED, (key, value, previous, cause, revision))

    def read(self, key, value):
        """The host stores a value that the table returned."""
        self.pass_ms(10)
        wire = self.table.say(CONFIGURATION, (key, value, value, 0, 0))
        self.collector.attendance.intake.store_configuration(Receiver().feed(wire))

    def opened(self, number):
        self.say(ROUND_OPENED, (1, 7, 60_000), number)
        self.say(ROUND_VOID, VOID, number)

    def alarms(self):
        return [row["text"] for row in self.collector.take_alarms()]

    def in_force(self, number):
        """The values known to be in force when a round opened, by name."""
        [row] = self.listed("configuration", number)
        return {name: value for name, value in row["values"].items() if value is not None}


@pytest.fixture
def table(tmp_path):
    new_table = Table(tmp_path / "night.db", Deaf())
    new_table.beat()
    yield new_table
    new_table.close()


def test_changes_before_and_after_a_round(table):
    """The last change before it counts; else the old value in the first change after it."""
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
    assert table.alarms() == []


def test_provisioning_begins_anew(table):
    """Every value is the factory's then; what was before is not known from it."""
    table.opened(1)
    table.change(WHEEL, 2, 1, PROVISION, 1)
    table.opened(2)
    assert table.in_force(1) == {}
    in_force = table.in_force(2)
    assert (len(in_force), in_force["wheel"], in_force["min_circuits"]) == (COUNT, 2, 7)


def test_a_change_nobody_recorded_is_an_alarm(table):
    """Once; a reading that agrees is kept once and raises none."""
    table.change(MIN_CIRCUITS, 4, 7)
    table.read(MIN_CIRCUITS, 4)
    assert table.alarms() == []
    table.read(MIN_CIRCUITS, 1)
    [alarm] = table.alarms()
    assert alarm == "min_circuits is 1 and was 4: there is no record of the change"
    table.read(MIN_CIRCUITS, 1)
    assert table.alarms() == []
    table.opened(1)
    assert table.in_force(1)["min_circuits"] == 1


def read_facts(table, facts):
    """The facts, and how many steps of its virtual machine SQLite took for them."""
    steps = []
    with table.store.read() as db:
        driver = db.connection.driver_connection
        driver.set_progress_handler(lambda: steps.append(1), 1)
        read = facts.read(db)
        driver.set_progress_handler(None, 1)
    return read, len(steps)


def test_frames_once_read_are_not_read_again(table):
    """Facts that were read before are those of all frames, at a tenth of the work or less."""
    facts = configuration.Facts(7)
    table.change(MIN_CIRCUITS, 4, 7)
    for number in range(1, 101):
        table.opened(number)
    whole = read_facts(table, facts)
    table.change(WHEEL, 2, 1)
    table.read(MIN_CIRCUITS, 5)
    facts_read, steps = read_facts(table, facts)
    assert len(facts_read) == len(whole[0]) + 2 == 3
    assert facts_read == read_facts(table, configuration.Facts(7))[0]
    assert steps < whole[1] / 10


def test_the_configuration_is_asked_for_one_value_at_a_time(table):
    """All keys in order, the next when one is answered; again if it is not; then given up."""
    assert table.table.asked == [1]
    for key in range(1, 5):
        table.say(CONFIGURATION, (key, 1, 1, 0, 0))
        table.beat()
        assert table.table.asked[-1] == key + 1
    assert table.table.asked == [1, 2, 3, 4, 5]
    for _ in range(10):
        table.pass_ms(600)
        table.beat()
    assert table.table.asked[5:] == [5] * 5, "six times in all, then it is given up"
    assert table.alarms() == []
    table.opened(1)
    assert [*table.in_force(1).values()] == [1] * 4, "what was answered is stored"


def test_a_table_that_answers_is_read_once(tmp_path):
    """Every key, at the connection; later changes arrive as records."""
    host = Table(tmp_path / "night.db")
    for _ in range(200):
        host.beat()
    assert host.table.read_keys == set(range(1, COUNT + 1))
    count = host.table.obeyed.count(GET_CONFIGURATION)
    assert count == COUNT
    for _ in range(4):
        host.pass_ms(990)
        host.beat()
    assert host.table.obeyed.count(GET_CONFIGURATION) == count
    host.close()


def transactions(place, table):
    """How many the host makes in 200 heartbeats, the connection included."""
    steps = []
    host = Table(place, table, at=steps.append)
    for _ in range(200):
        host.beat()
    host.close()
    return steps.count("committed")


def test_a_whole_configuration_is_stored_in_one_transaction(tmp_path):
    """84 values, beside what the host does at a table that answers none."""
    without = transactions(tmp_path / "silent.db", Deaf())
    answering = KeyedTable(7, 1, SECRET, 3)
    assert transactions(tmp_path / "night.db", answering) == without + 1
    assert answering.read_keys == set(range(1, COUNT + 1))
