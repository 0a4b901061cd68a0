"""The database of `collect` and what can be wrong with it: said clearly, nothing acknowledged."""

import sqlite3
from contextlib import closing

import pytest

from hil_tests.emulators.repeater import CLOSED, OPENED, Repeater, Served, played, result
from host_tools.tests.collecting import Collecting
from tabletools.cli.main import run
from tabletools.errors import USER
from tabletools.store import Store, StoreError
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
    file.write_bytes(b"tablewire-capture 1 {}\n" * 100)


def a_folder(file):
    file.mkdir()


BROKEN = {
    newer: "the database has schema 0999",
    of_another_program: "this is no database of tabletool",
    no_database: "this is no database of tabletool",
    a_folder: "the database cannot be opened",
}
READERS = (
    ["evidence", "{}"],
    ["evidence", "{}", "--round", "1"],
    ["evidence", "{}", "--release", "7", "--by", "Tess", "--why", "seen"],
    ["replay", "--db", "{}", "--round", "1"],
    ["ledger", "verify", "{}"],
)


@pytest.mark.parametrize("spoil", BROKEN)
def test_a_database_that_is_none_is_left_as_it_is(spoil, file, capsys):
    """Exit code 1 with cause and step; the table is not even asked."""
    spoil(file)
    before = file.read_bytes() if file.is_file() else sorted(file.iterdir())
    with Served(Repeater(7, 3, played(1, 1))) as served:
        assert run(["collect", served.url, "--db", str(file), "--for", "0.3"]) == USER
    error = capsys.readouterr().err
    assert BROKEN[spoil] in error
    assert "likely cause: " in error
    assert "next step: " in error
    assert served.table.acknowledged == []
    assert before == (file.read_bytes() if file.is_file() else sorted(file.iterdir()))


@pytest.mark.parametrize("spoil", BROKEN)
@pytest.mark.parametrize("words", READERS, ids=lambda words: " ".join(words[::2]))
def test_no_reader_takes_it_for_one(spoil, words, file, capsys):
    """Nor changes it, nor leaves a file beside it."""
    spoil(file)
    before = file.read_bytes() if file.is_file() else sorted(file.iterdir())
    assert run([word.format(file) for word in words]) == USER
    error = capsys.readouterr().err
    assert error.startswith("tabletool: error: ")
    assert "internal" not in error
    assert before == (file.read_bytes() if file.is_file() else sorted(file.iterdir()))


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
