"""A collector that dies at any moment: nothing lost, nothing doubled, nothing forgotten early."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from hil_tests.thinned import share, thinned
from host_tools.tests.collecting import KEYS, SECRET, Collecting
from host_tools.tests.test_ledger_unread import NEWER, as_type
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import NEVER_S, OPENED, Repeater, Served, played
from tabletools.store import Store
from tabletools.table.verify import check
from tablewire.messages import ROUND_OPENED

ROOT = Path(__file__).parents[2]
SCRIPT = "host_tools.tests.killed_collector"
SENDING = ("before_acknowledge", "torn_acknowledge", "after_acknowledge")
STEPS = ("received", "begun", "evidence", "before_commit", "committed", *SENDING)
# A record that a key verified is judged too. Without terms nothing is settled: test_pit_kill.
KEYED_STEPS = (*STEPS[:3], "judged", *STEPS[3:])
CONFLICT_STEPS = tuple(step for step in STEPS if step != "evidence")
UNREAD_STEPS = tuple(step for step in CONFLICT_STEPS if step != "begun")
TRANSACTIONS = 7  # the first: the table is known, claimed, online, sends values and records
ROUNDS = 2
RECORDS = 3 * ROUNDS
KILLED = -signal.SIGKILL
SESSION_STEPS = ("before_start_session", "torn_start_session", "after_start_session")


class Collectors:
    """Runs collectors in processes of their own, one after the other."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", SCRIPT],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, url, db, *, after_s=None, key=b"", **order):
        """One collector; after_s: kill it then, wherever it is. Returns its exit code."""
        order |= {"url": url, "db": str(db), "key": key.hex()}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        pid = int(self.process.stdout.readline())
        if after_s is None:
            return int(self.process.stdout.readline())
        killer = threading.Timer(after_s, kill, [pid])
        killer.start()
        code = int(self.process.stdout.readline())
        killer.cancel()
        killer.join()
        return code


def kill(pid):
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def collectors():
    processes = Collectors()
    with processes.process:
        yield processes
        processes.process.stdin.close()


def stored(db):
    """Counters that are kept, in the order they were stored, none while there is no table yet."""
    with closing(sqlite3.connect(db)) as connection:
        try:
            rows = connection.execute("SELECT counter FROM frames ORDER BY id").fetchall()
        except sqlite3.OperationalError:
            return []
    return [counter for (counter,) in rows]


def troubles(db):
    """Alarms, results not valid and gaps left open."""
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(
            "SELECT 'alarm', text FROM alarms WHERE kind NOT IN ('link_lost', 'link_stale')"
            " UNION ALL SELECT verdict, number FROM rounds WHERE verdict != 'believed'"
            " UNION ALL SELECT 'gap', first FROM gaps WHERE closed_ns IS NULL"
        ).fetchall()


def verify_sound(db):
    """The chain over all rows verifies, and every stored record equals its bytes."""
    store = Store.open_existing(db)
    with store.read() as connection:
        assert check(connection).problems == []
    store.close()


@pytest.mark.parametrize(("keys", "expected"), [(KEYS, KEYED_STEPS), ({}, STEPS)])
def test_no_step_of_a_write_is_left_out(keys, expected, tmp_path):
    """The records of a round pass these and no others."""
    passed = []
    table = KeyedTable(7, 1, SECRET) if keys else KeyedTable(7)
    host = Collecting(tmp_path / "night.db", table, keys=keys, at=passed.append)
    host.round(1)
    host.close()
    assert {*passed} == {*expected} - {*SENDING}


def at_records(steps):
    """Each step with some of six records, so that each record comes too; by `make soak` with all.

    Five and six have no common divisor: the record moves on from step to step.
    """
    return thinned([(step, nth) for step in steps for nth in range(1, RECORDS + 1)], 5)


@pytest.mark.parametrize("steps", [STEPS, KEYED_STEPS])
def test_every_step_and_every_record_is_among_them(steps):
    """Whatever is left out."""
    cases = at_records(steps)
    assert {step for step, _ in cases} == {*steps}
    assert {nth for _, nth in cases} == {*range(1, RECORDS + 1)}


@pytest.mark.parametrize(("step", "nth"), at_records(STEPS))
def test_killed_at_every_step_of_every_record(step, nth, collectors, tmp_path):
    """Each step of storing and acknowledging, at each of six records: the next run has all."""
    db = tmp_path / "night.db"
    table = Repeater(7, 3, played(1, ROUNDS), one_by_one=True, repeat_s=NEVER_S)
    with Served(table) as served:
        assert collectors.run(served.url, db, step=step, nth=nth) == KILLED
        rows_before = stored(db)
        assert set(served.table.acknowledged) <= set(rows_before)
        # What is committed before the step is there, what was not is not.
        is_committed = STEPS.index(step) >= STEPS.index("committed")
        assert rows_before == list(range(1, nth + is_committed))
        assert collectors.run(served.url, db) == 0
        assert served.table.acknowledged == list(range(1, RECORDS + 1))
    assert stored(db) == list(range(1, RECORDS + 1))
    assert troubles(db) == []
    verify_sound(db)


class OneByOne(KeyedTable):
    """A table with a key that sends its next record when the one before is acknowledged."""

    def repeat(self):
        waiting, self.journal = self.journal, self.journal[:1]
        wire = super().repeat()
        self.journal = waiting
        return wire

    def _obey(self, frame):
        before = len(self.journal)
        out = super()._obey(frame)
        return out + (self.repeat() if len(self.journal) < before else b"")


@pytest.mark.parametrize("nth", range(1, TRANSACTIONS + 1))
@pytest.mark.parametrize("step", ["before_commit", "committed"])
def test_killed_at_every_transaction(step, nth, collectors, tmp_path):
    """Steps without a record too: the table is known, claimed, online in a new boot."""
    db = tmp_path / "night.db"
    table = OneByOne(7, 1, SECRET)
    for ident, values, number in played(1, 1):
        table.say(ident, values, number)
    with Served(table) as served:
        order = {"step": step, "nth": nth, "key": SECRET, "all_transactions": True}
        assert collectors.run(served.url, db, **order) == KILLED
        assert {counter for _, counter in table.acknowledged} <= set(stored(db))
        assert collectors.run(served.url, db, key=SECRET) == 0
    assert [counter for _, counter in table.acknowledged] == stored(db) == [1, 2, 3]
    assert troubles(db) == []
    verify_sound(db)


def test_killed_at_random(collectors, tmp_path):
    """Kills at any moment while sixty records come in bursts; then one run to the end.

    Ten, thirty by `make soak`.
    """
    db, rng = tmp_path / "night.db", random.Random(20)
    with Served(Repeater(7, 3, played(1, 20))) as served:
        codes = []
        for _ in range(share(30, 3)):
            codes.append(collectors.run(served.url, db, after_s=rng.uniform(0.02, 0.3)))
            assert set(served.table.acknowledged) <= set(stored(db))
        assert KILLED in codes
        assert collectors.run(served.url, db) == 0
        assert sorted(served.table.acknowledged) == list(range(1, 61))
    assert sorted(stored(db)) == list(range(1, 61))
    assert troubles(db) == []
    verify_sound(db)


@pytest.mark.parametrize(
    ("step", "nth"),
    [*((step, 1) for step in SESSION_STEPS), *at_records(KEYED_STEPS)],
)
def test_killed_at_every_step_of_every_record_of_a_keyed_table(step, nth, collectors, tmp_path):
    """The next run starts a new session: nothing lost, nothing doubled, all verified."""
    db = tmp_path / "night.db"
    table = OneByOne(7, 1, SECRET)
    for ident, values, number in played(1, ROUNDS):
        table.say(ident, values, number)
    with Served(table) as served:
        assert collectors.run(served.url, db, step=step, nth=nth, key=SECRET) == KILLED
        rows_before = stored(db)
        assert {counter for _, counter in table.acknowledged} <= set(rows_before)
        is_committed = step in STEPS[STEPS.index("committed") :]
        assert rows_before == list(range(1, nth + is_committed))
        assert collectors.run(served.url, db, key=SECRET) == 0
    assert [counter for _, counter in table.acknowledged] == list(range(1, RECORDS + 1))
    assert stored(db) == list(range(1, RECORDS + 1))
    assert troubles(db) == []
    verify_sound(db)
    with closing(sqlite3.connect(db)) as connection:
        text = "SELECT seal, key_number, counts, count(*) FROM frames JOIN line_sessions"
        text += " ON line_sessions.id = line_session_id GROUP BY 1, 2, 3"
        assert connection.execute(text).fetchall() == [("verified", 1, 1, RECORDS)]
        believed = "SELECT count(*) FROM rounds WHERE verdict = 'believed'"
        assert connection.execute(believed).fetchone() == (ROUNDS,)
        assert connection.execute("SELECT count(*) FROM stops").fetchone() == (0,)


def alarms(db, kind):
    with closing(sqlite3.connect(db)) as connection:
        query = "SELECT repeats FROM alarms WHERE kind = ?"
        return [repeats for (repeats,) in connection.execute(query, (kind,))]


@pytest.mark.parametrize("step", CONFLICT_STEPS)
def test_killed_at_every_step_of_a_contradiction(step, collectors, tmp_path):
    """Acknowledged once the alarm keeps it: one alarm, one stop, and the records as they were."""
    db = tmp_path / "night.db"
    for boards, values in enumerate((OPENED, (1, 7, 60_000))):  # the second has another layout
        table = OneByOne(7, 1, SECRET)
        table.say(ROUND_OPENED, values, 1)
        for ident, more, number in played(1, 1)[1:]:
            table.say(ident, more, number)
        with Served(table) as served:
            if boards:
                before = contents(db)
                assert collectors.run(served.url, db, step=step, nth=1, key=SECRET) == KILLED
                is_kept = step in STEPS[STEPS.index("committed") :]
                assert alarms(db, "conflict") == [0] * is_kept
                assert served.table.acknowledged == [(1, 1)] * (step == "after_acknowledge")
            assert collectors.run(served.url, db, key=SECRET) == 0
            assert [counter for _, counter in served.table.acknowledged] == [1, 2, 3]
    # What was kept and not acknowledged came once more.
    assert alarms(db, "conflict") == [int(is_kept and step != "after_acknowledge")]
    assert contents(db) == before
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("SELECT count(*) FROM stops").fetchone() == (1,)
    verify_sound(db)


def contents(db):
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute("SELECT counter, body, raw FROM frames ORDER BY id").fetchall()


class Newer(Repeater):
    """A table of a later release: its second record is of a type that is unknown."""

    def _build(self, counter, entry):
        wire = super()._build(counter, entry)
        return as_type(wire, NEWER) if counter == 2 else wire


@pytest.mark.parametrize("step", UNREAD_STEPS)
def test_killed_at_every_step_of_a_record_that_cannot_be_read(step, collectors, tmp_path):
    """Kept as it came, once, before it is acknowledged."""
    db = tmp_path / "night.db"
    table = Newer(7, 3, played(1, 1), one_by_one=True, repeat_s=NEVER_S)
    with Served(table) as served:
        assert collectors.run(served.url, db, step=step, nth=2) == KILLED
        is_kept = step in STEPS[STEPS.index("committed") :]
        assert unread(db) == [2] * is_kept
        assert served.table.acknowledged == [1, 2][: 1 + (step == "after_acknowledge")]
        assert collectors.run(served.url, db) == 0
        assert served.table.acknowledged == [1, 2, 3]
    assert (stored(db), unread(db)) == ([1, 3], [2])
    verify_sound(db)


def unread(db):
    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute("SELECT counter FROM unread_records").fetchall()
    return [counter for (counter,) in rows]
