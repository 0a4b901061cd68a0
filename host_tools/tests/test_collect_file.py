"""The database of `collect` and its errors: reported clearly, nothing acknowledged."""

import os
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import inspect

from host_tools.tests.collecting import Collecting
from host_tools.tests.conftest import DATABASES
from tableemulator.machines.repeater import CLOSED, OPENED, Repeater, Served, played, result
from tabletools.cli.main import run
from tabletools.errors import USER
from tabletools.store import Store, StoreError
from tabletools.store.engine import engine_of
from tablewire.messages import BETS_CLOSED, ROUND_OPENED
from tablewire.roulette import WHEEL_RESULT

ROUND = ((ROUND_OPENED, OPENED), (BETS_CLOSED, CLOSED), (WHEEL_RESULT, result(1)))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "night.db"


def newer(file):
    """A database of a later release."""
    Store.open(file).close()
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("UPDATE ledger_version SET version_num = '0999'")


def of_another_program(file):
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("CREATE TABLE customers (name)")


def no_database(file):
    file.write_bytes(b"one line of a text\n" * 100)


def damage(file):
    """Half of a database."""
    Store.open(file).close()
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def of_another_program_with_versions(file):
    """One that calls a table as tabletool does."""
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("CREATE TABLE ledger_version (customer, at)")
        db.execute("INSERT INTO ledger_version VALUES ('us', 3)")


def of_several_versions(file):
    Store.open(file).close()
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("INSERT INTO ledger_version VALUES ('0002')")


def a_pipe(file):
    os.mkfifo(file)


def a_folder(file):
    file.mkdir()


def empty(file):
    file.write_bytes(b"")


def missing(file):
    assert not file.exists()


BROKEN = {
    newer: "the database has schema 0999",
    of_another_program: "this is not a database of tabletool",
    of_another_program_with_versions: "this is not a database of tabletool",
    of_several_versions: "this is not a database of tabletool",
    a_pipe: "this is not a regular file",
    no_database: "this is not a database of tabletool",
    damage: "the database is damaged",
    a_folder: "the database cannot be opened",
}
"""What no command takes for a database."""
NONE_THERE = {**BROKEN, **dict.fromkeys((a_folder, empty, missing), "there is no database")}
"""Nor does a command that reads one, or changes one that is there."""
READERS = (
    ["evidence", "{}"],
    ["evidence", "{}", "--round", "1"],
    ["evidence", "{}", "--release", "7", "--by", "Tess", "--why", "seen"],
    ["replay", "--db", "{}", "--round", "1"],
    ["ledger", "verify", "{}"],
    ["users", "list", "--db", "{}"],
)


def contents(folder):
    """Every file below a folder, and what is in it."""
    return {
        path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("spoil", BROKEN)
def test_a_database_that_is_none_is_left_as_it_is(spoil, file, capsys):
    """Exit code 1 with cause and next step; nothing is sent to the table."""
    spoil(file)
    before = contents(file.parent)
    with Served(Repeater(7, 3, played(1, 1))) as served:
        assert run(["collect", served.url, "--db", str(file), "--for", "0.3"]) == USER
    verify_printed(BROKEN[spoil], capsys)
    assert served.table.acknowledged == []
    assert before == contents(file.parent)


def test_a_folder_that_is_not_there_is_not_made(file, capsys):
    """The name of the database is wrong."""
    place = str(file / "night.db")
    assert run(["collect", "socket://127.0.0.1:9", "--db", place]) == USER
    verify_printed("the database cannot be opened", capsys)
    assert not file.exists()


@pytest.mark.parametrize("spoil", NONE_THERE)
@pytest.mark.parametrize("words", READERS, ids=lambda words: " ".join(words[::2]))
@pytest.mark.one_in(3)
def test_no_reader_takes_it_for_one(spoil, words, file, capsys):
    """Nor changes it, nor leaves a file beside it."""
    spoil(file)
    before = contents(file.parent)
    assert run([word.format(file) for word in words]) == USER
    verify_printed(NONE_THERE[spoil], capsys)
    assert before == contents(file.parent)


@pytest.mark.parametrize("spoil", NONE_THERE)
def test_nothing_is_settled_by_it(spoil, file, tmp_path, capsys):
    """A file that is no database may be a capture; this one is neither."""
    rounds = tmp_path / "rounds.jsonl"
    rounds.write_text('{"recorded": {"round": 1}}\n')
    spoil(file)
    before = contents(tmp_path)
    assert run(["settle", str(rounds), "--records", str(file)]) == USER
    other = {
        no_database: "not a capture file: expected `tablewire-capture",
        empty: "not a capture file: expected `tablewire-capture",
        a_folder: "cannot read the table's records: is a directory",
        a_pipe: "cannot read the table's records: it is not a regular file",
        missing: "cannot read the table's records: no such file",
    }
    verify_printed(other.get(spoil, BROKEN.get(spoil)), capsys)
    assert before == contents(tmp_path)


def verify_printed(what, capsys):
    """The message has the error, the place and the next step."""
    error = capsys.readouterr().err
    assert error.startswith(f"tabletool: error: {what}")
    assert "(" in error.splitlines()[0]
    assert "next step: " in error


@pytest.mark.parametrize("kind", DATABASES[1:])
@pytest.mark.parametrize("words", READERS, ids=lambda words: " ".join(words[::2]))
def test_an_empty_database_of_a_server_is_left_empty(kind, words, cluster, capsys):
    """As with a file: only `collect` and `serve` make one."""
    url = cluster.url(cluster.new_database())
    assert run([word.format(url) for word in words]) == USER
    verify_printed("there is no database", capsys)
    engine = engine_of(url)
    assert inspect(engine).get_table_names() == []
    engine.dispose()


def test_an_empty_file_becomes_one(file):
    """As one made ahead with the right owner, or left by a program that was killed."""
    empty(file)
    with Served(Repeater(7, 3, played(1, 1))) as served:
        assert run(["collect", served.url, "--db", str(file), "--for", "0.5"]) == 0
    assert served.table.acknowledged == [1, 2, 3]


def test_a_new_file_is_made_once(file):
    """Opened again it is the same database, its records still there."""
    for _ in range(2):
        host = Collecting(file)
        host.beat()
        host.close()
    host = Collecting(file)
    for ident, values in ROUND:
        host.say(ident, values, 1)
    host.close()
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT count(*) FROM frames").fetchone() == (3,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def full(db):
    pages = db.exec_driver_sql("PRAGMA page_count").scalar()
    db.exec_driver_sql(f"PRAGMA max_page_count={pages}")


def read_only(db):
    db.exec_driver_sql("PRAGMA query_only=ON")


@pytest.mark.parametrize(
    ("hinder", "what"), [(full, "the database is full"), (read_only, "the database is read-only")]
)
def test_what_cannot_be_stored_is_not_acknowledged(hinder, what, file):
    """Not one of it; once there is room the repeats are stored, each once."""
    host = Collecting(file)
    host.beat()
    with host.store.engine.connect() as db:
        hinder(db)
        db.rollback()
    for number in range(1, 41):
        for ident, values in ROUND:
            host.say(ident, values, number)
    stored = host.rows("SELECT boot, counter FROM frames ORDER BY id")
    assert isinstance(host.collector.failure, StoreError)
    assert host.collector.failure.what.startswith(what)
    assert sorted(set(host.acknowledged)) == sorted(stored)
    assert len(stored) < 120
    with host.store.engine.connect().execution_options(reads=True) as db:
        db.exec_driver_sql("PRAGMA max_page_count=1000000")
        db.exec_driver_sql("PRAGMA query_only=OFF")
        db.rollback()
    host.turn(host.table.repeat())
    assert host.rows("SELECT count(*) FROM frames") == [(120,)]
    assert len(set(host.acknowledged)) == 120
    host.close()
