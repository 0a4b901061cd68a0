"""A database is made whole or not at all, by one of the programs that start together."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text

from host_tools.tests.test_ledger_kill import in_child
from tabletools.store import Store, StoreError
from tabletools.store.engine import VERSION_TABLE, engine_of
from tabletools.store.migrate import MIGRATIONS, migrate, newest, revision_of, revisions


@pytest.fixture
def empty(ledger_place, request, tmp_path):
    """Where nothing is yet."""
    if "://" not in ledger_place:
        return str(tmp_path / "empty")
    cluster = request.getfixturevalue("cluster")
    return cluster.url(cluster.new_database())


def tables(place):
    """The schema of a database, and the names of its tables."""
    engine = engine_of(place)
    with engine.connect() as db:
        revision_and_tables = revision_of(db), inspect(db).get_table_names()
    engine.dispose()
    return revision_and_tables


def make_and_die(place):
    """Make every table, then be killed before the commit."""
    engine = engine_of(place)
    with engine.begin() as db:
        migrate(db)
        assert revision_of(db) == newest()
        os.kill(os.getpid(), signal.SIGKILL)


def test_one_killed_in_the_making_is_not_there(empty):
    """The next start makes it whole."""
    assert in_child(make_and_die, empty) == -signal.SIGKILL
    assert tables(empty) == (None, [])
    Store.open(empty).close()
    assert tables(empty)[0] == newest()


def test_one_of_a_later_release_is_left_alone(empty):
    """The error has the file's schema, the schema known here, and what to use."""
    ledger = Store.open(empty)
    with ledger.write() as db:
        db.execute(text("UPDATE ledger_version SET version_num = '0999'"))
    ledger.close()
    with pytest.raises(StoreError) as caught:
        Store.open(empty)
    assert caught.value.what == f"the database has schema 0999, this program knows {newest()}"
    assert caught.value.step == "use that release or a newer one"
    assert tables(empty)[0] == "0999"


def test_one_of_a_development_version_is_left_alone(empty):
    """Its tables may not be ours: no table is read, nothing is changed."""
    ledger = Store.open(empty)
    with ledger.write() as db:
        db.execute(text("UPDATE ledger_version SET version_num = '0001_0123456789ab'"))
    ledger.close()
    for opened in (Store.open, Store.open_existing):
        with pytest.raises(StoreError) as caught:
            opened(empty)
        assert "has schema 0001_0123456789ab" in caught.value.what
        assert caught.value.cause == (
            "a development version of tabletool, from before 1.0.0, wrote it"
        )
    assert tables(empty)[0] == "0001_0123456789ab"


def test_hosts_that_start_together_make_one_ledger(empty):
    """Four at once on an empty database: one makes the tables, the others wait for it."""
    with ThreadPoolExecutor(4) as pool:
        for ledger in pool.map(Store.open, [empty] * 4):
            ledger.close()
    assert tables(empty)[0] == newest()


def test_migrations_follow_one_another():
    """One line from the first to the newest, each with the number of its file."""
    scripts = ScriptDirectory(str(MIGRATIONS)).walk_revisions()
    assert tuple(script.revision for script in scripts) == revisions()
    assert list(revisions()) == sorted(revisions(), reverse=True)
    assert revisions()[-1] == "0001"


def test_the_revision_is_where_alembic_looks_for_it(empty):
    """In a table as Alembic makes one, with the same row."""
    Store.open(empty).close()
    options = {"version_table": VERSION_TABLE}
    engine = engine_of(empty)
    with engine.connect() as db, create_engine("sqlite://").connect() as other:
        assert MigrationContext.configure(db, opts=options).get_current_heads() == (newest(),)
        MigrationContext.configure(other, opts=options).stamp(
            ScriptDirectory(str(MIGRATIONS)), "head"
        )
        [ours], [theirs] = (inspect(one).get_columns(VERSION_TABLE) for one in (db, other))
        assert str(ours["type"]) == str(theirs["type"])
        assert ours["nullable"] is theirs["nullable"] is False
        keys = [inspect(one).get_pk_constraint(VERSION_TABLE) for one in (db, other)]
        assert [key["constrained_columns"] for key in keys] == [["version_num"]] * 2
        assert keys[0]["name"] == keys[1]["name"]
    engine.dispose()


def test_a_ledger_is_made_and_opened_without_alembic(tmp_path):
    """What starts with it starts 65 ms later and more."""
    program = (
        "import sys; from tabletools.store import Store; Store.open(sys.argv[1]).close();"
        " Store.open(sys.argv[1]).close(); print('alembic' in sys.modules)"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "ledger")]
    assert subprocess.check_output(words, text=True) == "False\n"
