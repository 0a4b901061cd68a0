"""Ledgers of earlier schemas: brought to the newest, whole or not at all, and played on.

`data/ledger_0001.json` is what the first schema's release wrote: three rounds, one of them void,
one running; a late bet that waits for a ruling. It is never made anew.
"""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from host_tools.tests.pit import Hand
from host_tools.tests.pit import Pit as NewPit
from host_tools.tests.test_ledger_kill import in_child
from host_tools.tests.test_ledger_schema import shape, triggers
from tabletools.money import rule_bet
from tabletools.money.reports import late_bets
from tabletools.money.verify import check
from tabletools.store import Store, StoreError
from tabletools.store.engine import engine_of
from tabletools.store.migrate import migrate, newest, revision_of, revisions
from tablewire.sender import Sender

FIRST = json.loads((Path(__file__).parent / "data" / "ledger_0001.json").read_text("utf-8"))

NEW = {"attestations": 0, "referrals": 0, "unread_records": 0}
"""Tables later schemas added, with their rows."""


def write_first(place):
    """Make a ledger of the first schema with its rows."""
    engine = engine_of(place)
    with engine.begin() as db:
        migrate(db, "0001")
        for name, found in FIRST.items():
            names = ", ".join(found["columns"])
            marks = ", ".join(f":{column}" for column in found["columns"])
            rows = [dict(zip(found["columns"], map(given, row), strict=True)) for row in
                    found["rows"]]  # fmt: skip
            db.execute(text(f"INSERT INTO {name} ({names}) VALUES ({marks})"), rows)
            if db.dialect.name == "postgresql" and "id" in found["columns"]:
                db.execute(text(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'),"
                                f" (SELECT max(id) FROM {name}))"))  # fmt: skip
    engine.dispose()


def given(value):
    """A value of the file as a driver takes it."""
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value


@pytest.fixture
def first(ledger_place, request):
    """Where a ledger of the first schema is."""
    place = ledger_place
    if "://" in place:
        cluster = request.getfixturevalue("cluster")
        place = cluster.url(cluster.new_database())
    write_first(place)
    return place


def revision(place):
    """The schema of a database, and how many rows each of its tables has."""
    engine = engine_of(place)
    with engine.connect() as db:
        names = [name for name in inspect(db).get_table_names() if name != "ledger_version"]
        counts = {
            name: db.execute(text(f"SELECT count(*) FROM {name}")).scalar() for name in names
        }
        found = revision_of(db), counts
    engine.dispose()
    return found


class Pit(NewPit):
    """The pit of a ledger that is there already; its table begins a new boot."""

    def __init__(self, place):
        self.clock = Hand()
        self.clock.mono = 3600 * 10**9
        self.ledger = Store.open(place, clock=self.clock)
        self.table, self.game = 1, "roulette"
        with self.ledger.read() as db:
            rows = db.execute(text("SELECT name, id FROM accounts WHERE kind = 'player'"))
            players = dict(rows.all())
        self.ada, self.ben = players["ada"], players["ben"]
        self.users = [1, 2]
        self.keys = (f"later {number}" for number in range(100))
        self.device = Sender(7, 4)
        self.attach("host b")


def test_the_first_ledger_is_upgraded_and_played_on(first):
    """Every row is kept, what it says is verified again, and rounds go on in it."""
    before, rows = revision(first)
    assert before == "0001"
    Store.open(first).close()
    assert revision(first) == (newest(), rows | NEW)
    pit = Pit(first)
    with pit.ledger.read() as db:
        assert check(db).problems == []
        [late] = late_bets(db)
        assert (late.clock, late.uncertainty_ms, late.after_closed_ms) == ("host", None, 290)
    rule_bet(pit.ledger, pit.lease, late.bet, pit.users, "seen", is_valid=False)
    pit.end(3, None)
    pit.play(4, 1, (pit.ada, "red", 1000))
    with pit.ledger.read() as db:
        found = check(db)
    assert (found.problems, found.counts["rounds"]) == ([], 4)
    pit.ledger.close()


def test_an_upgraded_ledger_is_as_a_new_one(first, request, tmp_path):
    """The same columns, keys, conditions, indexes and triggers as one that was made at once."""
    place = str(tmp_path / "new")
    if "://" in first:
        cluster = request.getfixturevalue("cluster")
        place = cluster.url(cluster.new_database())
    told = []
    for where in (first, place):
        ledger = Store.open(where)
        with ledger.read() as db:
            told.append((shape(db), triggers(db)))
        ledger.close()
    assert told[0] == told[1]


def upgrade_and_die(place):
    """Carry out every migration, then be killed before the commit."""
    engine = engine_of(place)
    with engine.begin() as db:
        migrate(db)
        assert revision_of(db) == newest()
        os.kill(os.getpid(), signal.SIGKILL)


def test_an_upgrade_killed_in_the_middle_did_not_happen(first):
    """The ledger is as before, to the row; the next start upgrades it."""
    before = revision(first)
    assert in_child(upgrade_and_die, first) == -signal.SIGKILL
    assert revision(first) == before
    Store.open(first).close()
    assert revision(first) == (newest(), before[1] | NEW)


def test_a_ledger_of_a_later_release_is_left_alone(first):
    """It says which schema it has, which is known here, and what to use."""
    ledger = Store.open(first)
    with ledger.write() as db:
        db.execute(text("UPDATE ledger_version SET version_num = '0999'"))
    ledger.close()
    with pytest.raises(StoreError) as caught:
        Store.open(first)
    assert caught.value.what == f"the ledger has schema 0999, this program knows {newest()}"
    assert caught.value.step == "use that release or a newer one"
    assert revision(first)[0] == "0999"


def test_hosts_that_start_together_make_one_ledger(ledger_place, request, tmp_path):
    """Four at once on an empty database: one makes the tables, the others wait for it."""
    place = str(tmp_path / "together")
    if "://" in ledger_place:
        cluster = request.getfixturevalue("cluster")
        place = cluster.url(cluster.new_database())
    with ThreadPoolExecutor(4) as pool:
        for ledger in pool.map(Store.open, [place] * 4):
            ledger.close()
    assert revision(place)[0] == newest()


def test_migrations_follow_one_another():
    """One line from the first to the newest, each with its own number."""
    assert list(revisions()) == sorted(revisions(), reverse=True)
    assert revisions()[-1] == "0001"
