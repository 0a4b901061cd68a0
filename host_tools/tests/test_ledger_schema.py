"""The schema is as declared on both databases; what only grows cannot change."""

import sqlite3

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, inspect, text, update
from sqlalchemy.exc import DBAPIError

from host_tools.tests.pit import Hand, Pit
from tabletools.store import Store, StoreError, engine
from tabletools.store.engine import VERSION_TABLE, engine_of
from tabletools.store.migrate import newest, revision_of
from tabletools.store.schema import APPEND_ONLY, METADATA
from tabletools.store.shape import missing, triggers


@pytest.fixture
def ledger(ledger_place):
    store = Store.open(ledger_place, clock=Hand())
    yield store
    store.close()


def test_the_schema_is_what_is_declared(ledger):
    """Every column, key, index and trigger of a new ledger, and its revision is the newest."""
    with ledger.read() as db:
        options = {"compare_type": True, "version_table": VERSION_TABLE}
        assert compare_metadata(MigrationContext.configure(db, opts=options), METADATA) == []
        assert [*missing(db), *triggers(db)] == []
        assert revision_of(db) == newest()


def test_sqlite_tables_are_strict(tmp_path, monkeypatch, durable):
    """Every table is STRICT, every commit is on the disk, keys are watched."""
    monkeypatch.setattr(engine, "DURABLE", durable)
    place = tmp_path / "ledger"
    ledger = Store.open(place)
    with ledger.read() as db:
        settings = [
            db.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
        assert settings == ["wal", 2, 1]
    ledger.close()
    with sqlite3.connect(place) as db:
        rows = db.execute("SELECT name, strict FROM pragma_table_list WHERE type = 'table'")
        loose = {name for name, strict in rows if not strict and not name.startswith("sqlite_")}
    assert loose == {"ledger_version"}


def test_what_only_grows_refuses_every_change(ledger_place):
    """The database itself refuses UPDATE and DELETE of what only grows."""
    pit = Pit(ledger_place)
    pit.play(1, 17, (pit.ada, "red", 1000))
    refused = []
    for name in sorted(APPEND_ONLY):
        table = METADATA.tables[name]
        column = next(iter(table.columns))
        for statement in (update(table).values({column.name: column}), table.delete()):
            with pit.ledger.engine.connect() as db:
                if pit.ledger.is_sqlite and db.execute(table.select()).first() is None:
                    continue  # a trigger of SQLite is for each row; the list of triggers has it
                with pytest.raises(DBAPIError, match="only grows"):
                    db.execute(statement)
            refused.append(name)
    assert {"frames", "results", "settlements", "ledger_lines", "audit_log"} <= set(refused)
    pit.ledger.close()


def test_a_foreign_database_is_left_alone(ledger_place, request, tmp_path):
    """A database of another program is refused, and nothing is made in it."""
    place = str(tmp_path / "other")
    if "://" in ledger_place:
        cluster = request.getfixturevalue("cluster")
        place = cluster.url(cluster.new_database())
    engine = engine_of(place)
    with engine.begin() as db:
        db.execute(text("CREATE TABLE theirs (id INTEGER)"))
    with pytest.raises(StoreError, match="not a database of tabletool"):
        Store.open(place)
    with engine.connect() as db:
        assert inspect(db).get_table_names() == ["theirs"]
    engine.dispose()


def test_a_newer_ledger_is_refused(ledger_place):
    """A schema this release does not know is left as it is."""
    ledger = Store.open(ledger_place)
    change = text("UPDATE ledger_version SET version_num = :to")
    with ledger.write() as db:
        db.execute(change, {"to": "9999"})
    with pytest.raises(StoreError, match="schema 9999"):
        Store.open(ledger_place)
    with ledger.write() as db:
        db.execute(change, {"to": newest()})
    ledger.close()


def test_rows_of_the_wrong_kind_are_refused(ledger):
    """Text where a number belongs, an unknown word, a currency of two letters."""
    tables = METADATA.tables["tables"]
    good = {"name": "a", "currency": "EUR", "enabled": 1, "created_ns": 0}
    for bad in ({"enabled": 2}, {"currency": "EU"}, {"created_ns": "soon"}):
        with pytest.raises(DBAPIError), ledger.write() as db:
            db.execute(insert(tables).values(**good | bad))
