"""The file of an inbox and what can be wrong with it: said clearly, and nothing acknowledged."""

import sqlite3
from contextlib import closing

import pytest

from hil_tests.emulators.repeater import Repeater, played
from tabletools.inbox import Inbox, InboxError, opened, opened_to_read, release
from tabletools.inbox import schema as inbox_schema
from tabletools.inbox.database import connect
from tabletools.inbox.schema import APPLICATION_ID, VERSION
from tabletools.link import Notice, Session


@pytest.fixture
def file(tmp_path):
    return tmp_path / "inbox"


def refused(file, **more):
    """The error opening it gives, which names cause and next step."""
    with pytest.raises(InboxError) as found:
        opened(file, **more)
    assert found.value.cause
    assert found.value.step
    return found.value.what


def test_a_new_file_is_made_once(file):
    """Opened again it is the same inbox, its records still there."""
    for count in (3, 0):
        with closing(opened(file)) as db:
            inbox = Inbox(db)
            session = Session(inbox.store, hear=inbox.hear)
            session.connected(0.0)
            session.receive(Repeater(7, 3, played(1, 1)).due(), 0.0)
            assert inbox.stored == count
            assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_not_a_database(file):
    """Some other file is left as it is."""
    file.write_bytes(b"tablewire-capture 1 {}\n" * 100)
    before = file.read_bytes()
    assert refused(file).startswith("this is not an inbox: file is not a database")
    assert file.read_bytes() == before


def test_a_database_of_another_program(file):
    """Neither its tables nor its pragmas are touched."""
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE customers (name)")
    before = file.read_bytes()
    assert refused(file) == "this is not an inbox"
    assert file.read_bytes() == before


def test_a_newer_schema(file):
    """A file of a later release is not written to; both versions are named."""
    opened(file).close()
    with closing(sqlite3.connect(file)) as db:
        db.execute(f"PRAGMA user_version={VERSION + 1}")
    what = f"the inbox has schema {VERSION + 1}, this program knows {VERSION}"
    assert refused(file) == what
    with pytest.raises(InboxError, match="the inbox has schema"):
        opened_to_read(file)


def test_a_migration_is_done_whole_or_not_at_all(file, monkeypatch):
    """An older file gets the steps it lacks; one that fails leaves the version it had."""
    opened(file).close()
    monkeypatch.setattr("tabletools.inbox.database.VERSION", VERSION + 1)
    steps = inbox_schema.MIGRATIONS
    broken = "CREATE TABLE extra (a INTEGER) STRICT;\nCREATE TABLE extra (a INTEGER) STRICT;\n"
    monkeypatch.setattr("tabletools.inbox.database.MIGRATIONS", (*steps, broken))
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        opened(file)
    good = "CREATE TABLE extra (a INTEGER) STRICT;\n"
    monkeypatch.setattr("tabletools.inbox.database.MIGRATIONS", (*steps, good))
    with closing(opened(file)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION + 1,)
        assert db.execute("SELECT count(*) FROM extra").fetchone() == (0,)


def test_a_folder_or_a_folder_that_is_not_there(tmp_path):
    """The name is wrong."""
    for file in (tmp_path, tmp_path / "none" / "inbox"):
        assert refused(file).startswith("the inbox cannot be opened")


def test_a_locked_file(file):
    """Somebody else writes for longer than a table can wait."""
    opened(file).close()
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert refused(
            file, connector=lambda place: connect(place, busy_ms=1)
        ).startswith("the inbox is locked")  # fmt: skip


def test_a_read_only_file(file):
    """No right to write: told when it is opened or when the first record comes."""
    opened(file).close()
    with pytest.raises(InboxError, match="the inbox is read-only"):
        Inbox(opened(file, connector=lambda place: connect(f"{place}?mode=ro")))


def test_reading_needs_an_inbox(file):
    """Nothing is made by looking."""
    with pytest.raises(InboxError, match="there is no such inbox"):
        opened_to_read(file)
    file.write_bytes(b"")
    with pytest.raises(InboxError, match="this is not an inbox"):
        opened_to_read(file)
    assert file.read_bytes() == b""


def full(db):
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count={pages}")


def read_only(db):
    db.execute("PRAGMA query_only=ON")


def allow(db):
    db.execute("PRAGMA max_page_count=1000000")
    db.execute("PRAGMA query_only=OFF")


@pytest.mark.parametrize(
    ("hinder", "what"), [(full, "the inbox is full"), (read_only, "the inbox is read-only")]
)
def test_what_cannot_be_stored_is_not_acknowledged(hinder, what, file):
    """Not one of it; once there is room the repeats are stored, each once."""
    table = Repeater(7, 3, played(1, 40))
    with closing(opened(file)) as db:
        inbox = Inbox(db)
        session = Session(inbox.store)
        session.connected(0.0)
        hinder(db)
        events = session.receive(table.due(), 0.0)
        failures = [e for e in events if isinstance(e, Notice) and e.kind == "store_failed"]
        assert failures
        assert failures[0].text.startswith(f"InboxError: {what}")
        table.receive(session.outgoing())
        stored = [row[0] for row in db.execute("SELECT counter FROM records")]
        assert table.acknowledged == stored
        assert len(stored) + len(failures) == 120
        allow(db)
        session.receive(table.due(), 0.0)
        table.receive(session.outgoing())
        assert sorted(table.acknowledged) == list(range(1, 121))
        assert db.execute("SELECT count(*) FROM records").fetchone() == (120,)


def test_a_stop_is_released_once_and_stays_on_record(file):
    """With a time and a reason; a table that is not stopped is not released."""
    with closing(opened(file)) as db:
        inbox = Inbox(db)
        session = Session(inbox.store)
        session.connected(0.0)
        for first in (played(1, 1), played(2, 1)):
            session.receive(Repeater(7, 3, first).due(), 0.0)
        assert inbox.stopped(7)
        assert release(db, 7, "controller replaced", 5)
        assert inbox.stopped(7) is None
        assert not release(db, 7, "again", 6)
        rows = db.execute("SELECT device, released_ns, released_why FROM stops").fetchall()
        assert rows == [(7, 5, "controller replaced")]
