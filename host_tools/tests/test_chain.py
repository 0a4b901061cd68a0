"""The chain over all rows: a change made outside the program is found, wherever it is.

The chain has a digest of every row as it was last written. An owner of the database may compute
a new chain; then only what was signed before reveals it.
"""

import json
import os
import signal
import sqlite3
from contextlib import closing, contextmanager
from itertools import cycle, product
from pathlib import Path

import pytest
from sqlalchemy import and_, create_engine, delete, event, insert, select, text, update

from hil_tests.thinned import IS_SOAK, thinned
from host_tools.tests import postgresql
from host_tools.tests.collecting import Collecting
from host_tools.tests.conftest import DATABASES
from host_tools.tests.pit import Pit
from host_tools.tests.test_ledger_kill import in_child
from tabletools.cli.main import run
from tabletools.errors import UNSOUND, USER
from tabletools.store import Store, chain, database
from tabletools.store.chain_verify import check_entries, check_rows
from tabletools.store.engine import url_of
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import BLOB, TEXT
from tabletools.store.schema.chain import LEFT_OUT, chained
from tabletools.table.verify import check, check_in_processes

CHAIN = METADATA.tables["chain"]
_CONSTRAINTS = """
SELECT conrelid::regclass, conname FROM pg_constraint
WHERE contype IN ('c', 'f') AND connamespace = 'public'::regnamespace
"""


def value_of(column, number):
    """Any value a column takes; what checks and links say of it is not looked at here."""
    if column.type is TEXT:
        return f"word {number}"
    return f"bytes {number}".encode() if column.type is BLOB else 1000 + number


def unconstrain(engine):
    """Drop checks and foreign keys; of SQLite for the connections that are open now."""
    with engine.connect().execution_options(reads=True) as db:
        if engine.dialect.name == "postgresql":
            for table, name in db.exec_driver_sql(_CONSTRAINTS).all():
                db.exec_driver_sql(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
            db.commit()
            return
        db.exec_driver_sql("COMMIT")
        db.exec_driver_sql("PRAGMA foreign_keys=OFF")
        db.exec_driver_sql("PRAGMA ignore_check_constraints=ON")
        db.exec_driver_sql("BEGIN")


def fill(place):
    """A database with two rows at least in every table, each written by the program."""
    pit = Pit(place)
    pit.play(1, 17, (pit.ada, "red", 1000))
    pit.play(2, None, (pit.ben, "black", 1000))
    unconstrain(pit.ledger.engine)
    with pit.ledger.write() as db:
        for table in chained():
            for number in (1, 2):
                values = {c.name: value_of(c, number) for c in table.columns}
                if "seq" in values:
                    values["seq"] += 100
                db.execute(table.insert().values(**values))
    pit.ledger.close()


@pytest.fixture(scope="module", params=DATABASES)
def whole(request, tmp_path_factory):
    """A filled database as its owner opens it, with other means than the program."""
    place = str(tmp_path_factory.mktemp("chain") / "ledger")
    if request.param == "postgresql":
        cluster = request.getfixturevalue("cluster")
        place = cluster.url(cluster.new_database())
    fill(place)
    assert chain_problems(place) == []
    engine = create_engine(url_of(place))
    yield engine
    engine.dispose()


@contextmanager
def owner(engine):
    """A transaction of the owner, in which no trigger acts; it is undone at the end."""
    with engine.connect() as db:
        if engine.dialect.name == "postgresql":
            db.execute(text("SET session_replication_role = replica"))
        else:
            db.execute(text("PRAGMA ignore_check_constraints = ON"))
            db.execute(text("BEGIN"))
            names = "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
            for name in db.execute(text(names)).scalars().all():
                db.execute(text(f"DROP TRIGGER {name}"))
        yield db
        db.rollback()


def chain_problems(place):
    """The result of verifying a database's chain."""
    store = Store.open_any(place)
    with store.read() as db:
        problems = chain_problems_in(db)
    store.close()
    return problems


def chain_problems_in(db):
    """The result of verifying the chain inside a transaction."""
    return check_rows(db, check_entries(db, 1, chain.head(db).seq))[0]


@contextmanager
def owned(place):
    """A connection of the owner of the file: no trigger and no condition stops it; the triggers
    are there again afterwards.
    """
    with closing(sqlite3.connect(place)) as db, db:
        db.execute("PRAGMA ignore_check_constraints=ON")
        guards = dict(db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"))
        for name in guards:
            db.execute(f"DROP TRIGGER {name}")
        yield db
        for statement in guards.values():
            db.execute(statement)


def behind(place, *statements):
    """Change a database past the program."""
    with owned(place) as db:
        for statement in statements:
            assert db.execute(statement).rowcount == 1, statement


def row_of(db, table, number):
    """The condition for the row with this place in the order of keys, and the row."""
    keys = table.primary_key.columns
    row = db.execute(select(table).order_by(*keys)).mappings().all()[number]
    return and_(*(key == row[key.name] for key in keys)), row


def change(db, table, name, number):
    """Write another value into a column of a row."""
    where, row = row_of(db, table, number)
    column, old = table.columns[name], row[name]
    if column.type in (TEXT, BLOB):
        more = "x" if column.type is TEXT else b"x"
        value = more if old is None else old + more
    else:
        value = (old or 0) + 7777
    assert db.execute(update(table).where(where).values({name: value})).rowcount == 1


@pytest.mark.parametrize("table", chained(), ids=lambda table: table.name)
def test_a_changed_cell_is_found(whole, table):
    """Every column, in the first row or the last of every table, and the table is named.

    One column in three, the rows by turns; `make soak` changes all in both rows.
    """
    names = [column.name for column in table.columns]
    by_turns = zip(cycle([0, -1]), names, strict=False)
    cells = list(product([0, -1], names) if IS_SOAK else by_turns)
    with owner(whole) as db:
        for number, column in thinned(cells, 3):
            savepoint = db.begin_nested()
            change(db, table, column, number)
            problems = chain_problems_in(db)
            assert any(problem.startswith(table.name) for problem in problems), (column, number)
            savepoint.rollback()
        assert chain_problems_in(db) == []


@pytest.mark.parametrize("name", [table.name for table in chained()])
@pytest.mark.one_in(2)
def test_a_removed_row_is_found(whole, name):
    """The newest of a table."""
    table = METADATA.tables[name]
    with owner(whole) as db:
        where, _ = row_of(db, table, -1)
        assert db.execute(delete(table).where(where)).rowcount == 1
        assert any(problem.startswith(name) for problem in chain_problems_in(db))


@pytest.mark.parametrize("name", [table.name for table in chained()])
@pytest.mark.one_in(2)
def test_an_added_row_is_found(whole, name):
    """One more, like another but for its key."""
    table = METADATA.tables[name]
    with owner(whole) as db:
        db.execute(insert(table).values({c.name: value_of(c, 3) for c in table.columns}))
        assert any(problem.startswith(name) for problem in chain_problems_in(db))


def test_what_is_left_out_is_said():
    """The page names every table that the chain does not cover, with the reason."""
    assert {"chain", "leases"} == LEFT_OUT


PLACES = [0, 5, -1]
"""The first entry, one between, the last."""


@pytest.mark.parametrize("number", PLACES)
@pytest.mark.parametrize("column", [c.name for c in CHAIN.columns])
def test_a_changed_entry_is_found(whole, column, number):
    with owner(whole) as db:
        change(db, CHAIN, column, number)
        assert chain_problems_in(db)


def test_an_entry_of_more_rows_than_there_can_be_is_found(whole):
    """Keys of a million million rows in a few bytes: a problem, and not all of the memory."""
    keys = json.dumps({"frames": {"keys": [1, 10**12], "digest": ""}})
    with owner(whole) as db:
        where, row = row_of(db, CHAIN, 5)
        db.execute(update(CHAIN).where(where).values(rows=keys))
        problems = chain_problems_in(db)
    assert f"chain: entry {row['seq']} cannot be read" in problems


@pytest.mark.parametrize("number", PLACES)
def test_a_removed_entry_is_found(whole, number):
    with owner(whole) as db:
        where, _ = row_of(db, CHAIN, number)
        assert db.execute(delete(CHAIN).where(where)).rowcount == 1
        assert chain_problems_in(db)


def test_rows_are_searched_by_their_keys(tmp_path):
    """No table is read as a whole for some of its rows: a year would take days."""
    fill(tmp_path / "ledger")
    statements = []
    with closing(sqlite3.connect(tmp_path / "ledger")) as plain:
        store = Store.open_any(tmp_path / "ledger")
        with store.read() as db:
            db.connection.driver_connection.set_trace_callback(statements.append)
            chain_problems_in(db)
        store.close()
        read = [query for query in statements if "FROM k " in query]
        assert {"settlements", "ledger_lines"} <= {
            query.split("CROSS JOIN ")[1].split()[0] for query in read
        }
        for query in read:
            plan = [row[3] for row in plain.execute(f"EXPLAIN QUERY PLAN {query}")]
            assert any(step.startswith("SEARCH t ") for step in plan), (query, plan)


def test_a_row_changed_and_changed_back_by_the_program_is_sound(ledger_place):
    """What the program writes is in the chain, as often as it writes it."""
    pit = Pit(ledger_place)
    for number in range(1, 4):
        pit.play(number, number, (pit.ada, "red", 500))
    pit.rule(2, {"pocket": "5"})
    with pit.ledger.read() as db:
        report = check(db)
        names = {name for row in entries(db) for name in row}
    assert report.problems == []
    assert {"accounts", "bets", "frames", "rounds", "settlements", "table_states"} <= names
    assert not names & LEFT_OUT
    pit.ledger.close()


def entries(db):
    return [json.loads(rows) for rows in db.execute(text("SELECT rows FROM chain")).scalars()]


def test_a_transaction_that_is_undone_leaves_no_entry(ledger_place):
    """Nor its notes: the next entry covers its own rows alone."""
    pit = Pit(ledger_place)
    with pit.ledger.read() as db:
        before = chain.head(db)

    def fail(db):
        db.execute(text("UPDATE accounts SET balance_cents = balance_cents + 1"))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        pit.ledger.run(fail)
    with pit.ledger.read() as db:
        assert chain.head(db) == before
    with pit.ledger.write():
        pass  # one that writes nothing has no entry either
    pit.open(1)
    with pit.ledger.read() as db:
        assert chain.head(db).seq == before.seq + 1
        assert "accounts" not in entries(db)[-1]
    pit.ledger.close()


def test_what_another_program_writes_is_no_part_of_the_next_entry(ledger_place):
    """A balance changed by hand stays a finding, however much is played afterwards."""
    pit = Pit(ledger_place)
    pit.play(1, 17, (pit.ada, "red", 1000))
    by_hand(pit, ledger_place, f"UPDATE accounts SET name = 'x' WHERE id = {pit.ben}")
    pit.play(2, 17, (pit.ada, "red", 1000))
    with pit.ledger.read() as db:
        assert any(problem.startswith(f"accounts {pit.ben}:") for problem in check(db).problems)
    pit.ledger.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE accounts SET name = 'x' WHERE id = {0}",
        "UPDATE accounts SET balance_cents = balance_cents + 5 WHERE id = {0}",
    ],
)
def test_a_row_that_the_program_wrote_again_shows_what_another_changed(ledger_place, statement):
    """A bet of a player whose row was changed by hand does not hide that change."""
    pit = Pit(ledger_place)
    pit.play(1, 17, (pit.ada, "red", 1000))
    by_hand(pit, ledger_place, statement.format(pit.ada))
    pit.play(2, 17, (pit.ada, "black", 1000))
    pit.ledger.close()
    problems = chain_problems(ledger_place)
    assert len(problems) == 1
    assert problems[0].startswith(f"accounts {pit.ada}: had been changed before entry")


def test_a_row_that_was_removed_and_made_again_is_found(ledger_place):
    """Deleted by another program, then written by this one: reported as missing before."""
    pit = Pit(ledger_place)
    pit.play(1, 17, (pit.ada, "red", 1000))
    by_hand(pit, ledger_place, "DELETE FROM boots")
    pit.play(2, 17, (pit.ada, "red", 1000))
    pit.ledger.close()
    assert any(problem.startswith("boots ") for problem in chain_problems(ledger_place))


def by_hand(pit, place, statement):
    """Change something as another program does."""
    if pit.ledger.is_sqlite:
        with closing(sqlite3.connect(place)) as other_program, other_program:
            other_program.execute(statement)
        return
    with pit.ledger.engine.connect() as db:
        db.exec_driver_sql("SET tabletool.chain = 'off'")
        db.exec_driver_sql(statement)
        db.exec_driver_sql("SET tabletool.chain = 'on'")
        db.commit()


def test_processes_find_the_same(ledger_place, tmp_path):
    """Two of them, on one state; what they looked at is counted alike."""
    pit = Pit(ledger_place)
    for number in range(1, 6):
        pit.play(number, number, (pit.ada, "red", 500))
    with pit.ledger.read() as db:
        alone = check(db)
    progress = []
    together = check_in_processes(
        ledger_place, 2, lambda done, all_: progress.append((done, all_))
    )
    assert (together.counts, together.problems) == (alone.counts, alone.problems)
    assert progress[-1][0] == progress[-1][1]
    with pit.ledger.engine.begin() as db:
        db.exec_driver_sql("UPDATE accounts SET balance_cents = balance_cents + 1 WHERE id = 1")
    together = check_in_processes(ledger_place, 2)
    with pit.ledger.read() as db:
        assert sorted(together.problems) == sorted(check(db).problems)
    pit.ledger.close()


def test_evidence_without_money_is_chained_too(tmp_path):
    host = Collecting(tmp_path / "night.db")
    host.beat()
    host.round(12)
    host.close()
    assert chain_problems(tmp_path / "night.db") == []
    behind(tmp_path / "night.db", "UPDATE frames SET uptime_ms = 5 WHERE id = 1")
    assert chain_problems(tmp_path / "night.db") != []


# --- checkpoints ---------------------------------------------------------------------------------


@pytest.fixture
def signed_ledger(tmp_path, capsys):
    """A ledger with a checkpoint after two rounds, and a round since: place, file, public key."""
    place, file = str(tmp_path / "ledger"), str(tmp_path / "checkpoints")
    assert run(["release", "keygen", str(tmp_path / "house")]) == 0
    pit = Pit(place)
    pit.play(1, 16, (pit.ada, "red", 1000))
    key = ["--key", str(tmp_path / "house.key")]
    assert run(["ledger", "checkpoint", place, *key, "--out", file]) == 0
    pit.play(2, 16, (pit.ada, "red", 1000))
    pit.ledger.close()
    capsys.readouterr()
    return place, ["--checkpoint", file, "--public", str(tmp_path / "house.pub")]


def test_a_checkpoint_holds_while_the_pit_plays_on(signed_ledger, capsys):
    place, words = signed_ledger
    assert run(["ledger", "verify", place, *words]) == 0
    assert "1 checkpoints agree, the last of entry " in capsys.readouterr().out


def forge(place):
    """Change the result of round 1 and recompute the whole chain: it verifies by itself."""
    behind(place, 'UPDATE results SET outcome = \'{"pocket":"21"}\' WHERE round_id = 1')
    store = Store.open_any(place)
    with store.read() as db:
        rows = db.execute(text("SELECT seq, at_ns, rows FROM chain ORDER BY seq")).all()
        [row] = db.execute(text("SELECT * FROM results WHERE round_id = 1"))
        forged = chain.digest_of([tuple(row)])
    store.close()
    before = chain.BEGINNING
    with owned(place) as db:
        for seq, at_ns, chain_problems in rows:
            entry = json.loads(chain_problems)
            if entry.get("results", {}).get("keys") == [1, 1]:
                entry["results"]["digest"] = forged
            written = json.dumps(entry, separators=(",", ":"))
            digest = chain.entry_digest(before, seq, at_ns, written)
            db.execute(
                "UPDATE chain SET rows = ?, previous = ?, digest = ? WHERE seq = ?",
                (written, b"new" + seq.to_bytes(8), digest, seq),
            )
            before = digest
        before = chain.BEGINNING
        for seq, digest in db.execute("SELECT seq, digest FROM chain ORDER BY seq").fetchall():
            db.execute("UPDATE chain SET previous = ? WHERE seq = ?", (before, seq))
            before = digest


def test_a_chain_made_anew_is_found_by_what_was_signed(signed_ledger, capsys):
    """Its owner forges a result: the chain alone verifies, against the file it does not."""
    place, words = signed_ledger
    forge(place)
    assert chain_problems(place) == []
    assert run(["ledger", "verify", place, *words]) == UNSOUND
    error = capsys.readouterr().err
    assert "2 consistency checks failed, 1 of 1 checkpoints not of this ledger" in error
    assert "settled by another result than it has" in error
    seq = json.loads(Path(words[1]).read_text())["checkpoint"]["seq"]
    assert f"checkpoint: entry {seq} is not the one that was signed" in error


def test_checkpoints_are_read_before_the_ledger_is_verified(signed_ledger, capsys):
    """A wrong name ends the command at once, not after hours."""
    place, words = signed_ledger
    forge(place)
    assert run(["ledger", "verify", place, "--checkpoint", "typo", *words[2:]]) == USER
    assert "cannot read the checkpoints" in capsys.readouterr().err


def test_a_whole_forged_ledger_is_found_by_what_was_signed_alone(signed_ledger, tmp_path, capsys):
    """Round 1 came to 16. The program itself makes another ledger where it came to 21: frame,
    result, settlement, balances and chain agree, and only the checkpoint reveals it.
    """
    _, words = signed_ledger
    forged = str(tmp_path / "forged")
    pit = Pit(forged)
    for number in (1, 2):
        pit.play(number, 21, (pit.ada, "red", 1000))
    pit.ledger.close()
    assert run(["ledger", "verify", forged]) == 0
    assert run(["ledger", "verify", forged, *words]) == UNSOUND
    assert "1 of 1 checkpoints not of this ledger" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda line: line[:-9], "this is not a checkpoint"),
        (lambda line: line.replace('"seq": ', '"seq": 1'), "the signature of a checkpoint"),
        (lambda line: "", "there is no checkpoint in it"),
    ],
)
def test_a_checkpoint_that_is_none_is_refused(signed_ledger, capsys, change, what):
    place, words = signed_ledger
    file = Path(words[1])
    file.write_text(change(file.read_text().strip()))
    assert run(["ledger", "verify", place, *words]) == USER
    assert what in capsys.readouterr().err


def test_an_older_backup_is_found(signed_ledger, tmp_path, capsys):
    """A ledger that goes back to what it was before a checkpoint lacks what was signed."""
    place, words = signed_ledger
    with closing(sqlite3.connect(place)) as db:
        [newest] = db.execute("SELECT max(seq) FROM chain").fetchone()
    assert (
        run(
            [
                "ledger",
                "checkpoint",
                place,
                "--key",
                str(tmp_path / "house.key"),
                "--out",
                words[1],
            ]
        )
        == 0
    )
    older = Pit(tmp_path / "older")
    older.ledger.close()
    assert run(["ledger", "verify", str(tmp_path / "older"), *words]) == UNSOUND
    error = capsys.readouterr().err
    assert f"entry {newest} was signed, the chain ends with" in error


def test_checkpoint_and_key_go_together(signed_ledger):
    place, words = signed_ledger
    assert run(["ledger", "verify", place, *words[:2]]) == USER
    assert run(["ledger", "verify", place, *words[2:]]) == USER


def die_before_the_commit(place):
    """Play a round and be killed when its last transaction has its entry."""
    hits = 0

    def die_at(step):
        nonlocal hits
        hits += step == "before_commit"
        if hits == 13:
            os.kill(os.getpid(), signal.SIGKILL)

    pit = Pit(place, at=die_at)
    pit.play(1, 17, (pit.ada, "red", 1000))
    raise AssertionError


def test_killed_in_a_transaction_chain_and_rows_agree(tmp_path):
    place = str(tmp_path / "ledger")
    assert in_child(die_before_the_commit, place) < 0
    assert chain_problems(place) == []


def test_notes_end_with_their_transaction(ledger_place, monkeypatch):
    """Deleted, or on PostgreSQL every third time cut off: none is in the next entry."""
    monkeypatch.setattr(chain, "_TRUNCATED_EVERY", 3)
    pit, left, statements = Pit(ledger_place), [], []
    empty = chain._emptying

    def empty_and_note(db):
        statements.append(empty(db))
        return statements[-1]

    monkeypatch.setattr(chain, "_emptying", empty_and_note)
    for number in (1, 2):
        pit.play(number, 17, (pit.ada, "red", 1000))
        with pit.ledger.read() as db:
            left.append(db.exec_driver_sql("SELECT COUNT(*) FROM chain_dirty").scalar())
    is_sqlite = pit.ledger.is_sqlite
    pit.ledger.close()
    assert left == [0, 0]
    assert len(statements) > 6
    kinds = {each.partition(" ")[0] for each in statements}
    assert kinds == ({"DELETE"} if is_sqlite else {"DELETE", "TRUNCATE"})
    assert chain_problems(ledger_place) == []


@pytest.mark.skipif("postgresql" not in DATABASES, reason="no PostgreSQL")
def test_what_an_upgrade_writes_is_no_part_of_the_next_entry(shared_ledger, monkeypatch):
    """Its connection notes rows, too, and goes back to the program."""
    postgresql.empty(shared_ledger)
    ledger = Pit(shared_ledger).ledger
    noted = []

    def upgrade(db):
        db.exec_driver_sql("UPDATE accounts SET name = name")
        noted.append(db.exec_driver_sql("SELECT COUNT(*) FROM chain_dirty").scalar())

    monkeypatch.setattr(database, "migrate", upgrade)
    ledger._migrate()
    with ledger.read() as db:
        left = db.exec_driver_sql("SELECT COUNT(*) FROM chain_dirty").scalar()
    ledger.close()
    assert left == 0 < noted[0]


@pytest.mark.skipif("postgresql" not in DATABASES, reason="no PostgreSQL")
def test_the_lock_of_the_chain_is_taken_once(shared_ledger, monkeypatch):
    """By the events of a transaction, else by its entry: each time is a statement."""
    postgresql.empty(shared_ledger)
    pit = Pit(shared_ledger)
    statements = []
    query_all = chain._query_all

    def query_and_note(db, queries, **more):
        statements.extend(queries)
        return query_all(db, queries, **more)

    @event.listens_for(pit.ledger.engine, "before_cursor_execute")
    def _note(_connection, _cursor, statement, *_):
        statements.append(statement)

    monkeypatch.setattr(chain, "_query_all", query_and_note)
    pit.open(1)
    locks = sum("pg_advisory_xact_lock" in statement for statement in statements)
    entries = sum(statement.startswith("INSERT INTO chain") for statement in statements)
    assert locks == entries > 0
    pit.ledger.close()
