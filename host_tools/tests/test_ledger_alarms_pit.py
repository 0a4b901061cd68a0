"""The alarms of a pit of eight tables in virtual time: after its start, and of one cause."""

import shutil
from collections import Counter

import pytest

from host_tools.tests.pit import BOOT, FRENCH, HOUSE, Pit
from tabletools import evidence
from tabletools.money import people_queries
from tabletools.money.people_queries import AlarmSearch
from tabletools.table.terms import create_table
from tablewire import shuffler
from tablewire.card_shoe import SHOE_UNKNOWN
from tablewire.messages import FAULT_CLEARED, FAULT_RAISED
from tablewire.sender import Sender

TABLES = 8
MINUTE_MS = 60_000
SPIN_MS = 60_000
STEP_MS = 7_500
TIMES = 12
EVERYTHING = AlarmSearch(standing=False, most=500)


class NextTable(Pit):
    """Another table of a pit, on the same clock and ledger, with its own device."""

    def __init__(self, pit, number):
        self.clock, self.ledger, self.game = pit.clock, pit.ledger, pit.game
        self.synced_ms = self.clock.mono // 1_000_000
        self.table = create_table(self.ledger, f"R{number}", FRENCH, HOUSE, device=100 + number)
        self.device = Sender(100 + number, BOOT)
        self.attach()


@pytest.fixture
def tables(ledger_file, tmp_path):
    """Eight tables of one host."""
    pit = Pit(shutil.copy(ledger_file, str(tmp_path / "ledger")))
    yield [pit, *(NextTable(pit, number) for number in range(2, TABLES + 1))]
    pit.ledger.close()


def after(tables, ms):
    """Time passes, and the host keeps its tables."""
    tables[0].clock.pass_ms(ms)
    for table in tables:
        table.lease = table.intake.lease = evidence.renew(table.ledger, table.lease)


def listed(pit, search=EVERYTHING):
    with pit.ledger.read() as db:
        return people_queries.alarm_rows(db, pit.clock.wall_ns(), search)


def open_alarms(pit):
    """Kind, repeats and state of what an operator still sees."""
    return [
        (row["kind"], row["repeats"], row["state"])
        for row in listed(pit)
        if row["state"] != "normal"
    ]


def start(table):
    """As a host starts: no frame yet, another configuration, frames from before it listened, and a
    machine whose shoe is not declared yet.
    """
    device = table.device.device
    table.say(FAULT_RAISED, (SHOE_UNKNOWN, 255, 1, 0))
    table.intake.link_lost(device, "no frame for 2.0 s")
    table.intake.measured(device, BOOT, ["tilt 3, wanted 4"], {})
    table.intake._is_fresh = lambda: False
    table.open(1)
    table.end(1)


def settle_down(table):
    """The link is there, the configuration is corrected, the clock is known, a shoe declared."""
    table.say(FAULT_CLEARED, (SHOE_UNKNOWN, 255, 1_000))
    table.intake.linked()
    table.intake.measured(table.device.device, BOOT, [], {})
    table.intake._is_fresh = lambda: True


def play(tables, first, minutes):
    """Rounds one after another at every table, for so long; returns the number of the next."""
    number = first
    for _ in range(minutes * MINUTE_MS // SPIN_MS):
        for table in tables:
            table.play(number, number % 37)
        for _ in range(SPIN_MS // STEP_MS):
            after(tables, STEP_MS)
        number += 1
    return number


def test_nothing_of_a_start_is_left_three_minutes_later(tables):
    """Each of the eight tables raised four alarms, and all ended by themselves."""
    [pit, *_] = tables
    for table in tables:
        start(table)
    raised = Counter(kind for kind, _, _ in open_alarms(pit))
    assert raised == dict.fromkeys(("fault", "link_lost", "configuration", "link_stale"), TABLES)
    for table in tables:
        settle_down(table)
    play(tables, 2, 3)
    assert open_alarms(pit) == []
    assert len(listed(pit)) == 4 * TABLES  # all on record


def test_what_is_wrong_after_a_start_stays(tables):
    """One table of the eight is still configured otherwise: that one alarm is not stale."""
    [pit, *rest] = tables
    for table in rest:
        start(table)
        settle_down(table)
    pit.intake.measured(pit.device.device, BOOT, ["tilt 3, wanted 4"], {})
    play(rest, 2, 3)
    assert open_alarms(pit) == [("configuration", 0, "unacknowledged")]


def test_one_cause_is_one_alarm_with_a_count(tables):
    """A jam that comes and goes for a minute is one alarm; a loose cable: one a table."""
    [pit, *_] = tables
    for _ in range(TIMES):
        pit.say(FAULT_RAISED, (shuffler.JAM_IN, 255, 1, 0))
        pit.say(FAULT_CLEARED, (shuffler.JAM_IN, 255, 1_000))
        after(tables, MINUTE_MS // TIMES)
    assert open_alarms(pit) == [("fault", TIMES - 1, "returned")]
    for _ in range(TIMES):
        for table in tables:
            table.intake.link_lost(table.device.device, "no frame for 2.0 s")
    flood = [row for row in listed(pit) if row["kind"] == "link_lost"]
    assert [row["repeats"] for row in flood] == [TIMES - 1] * TABLES
    [first] = [row for row in flood if row["first_up"] is None]
    assert {row["first_up"] for row in flood} == {None, first["id"]}
