"""A database of a development version with other tables: each command refuses it cleanly."""

import sqlite3

import pytest

from host_tools.tests.test_cli_missing_files import LEDGER, LEDGERS, STORE
from tabletools.cli.main import run
from tabletools.errors import USER
from tabletools.store import Store
from tabletools.store.migrate import newest

COMMANDS = LEDGERS | {
    "serve": ["serve", "--db", LEDGER],
    "collect": ["collect", "socket://127.0.0.1:9", "--db", LEDGER],
    "ledger shadow": ["ledger", "shadow", LEDGER],
    "ledger checkpoint": ["ledger", "checkpoint", LEDGER, "--key", "new.key"],
    "evidence": ["evidence", STORE],
    "replay": ["replay", "--db", STORE, "--round", "1"],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.one_in(2)
def test_it_is_refused_as_it_is(name, tmp_path, monkeypatch, capsys):
    """A database without today's tables: reading one would end in an internal error."""
    monkeypatch.chdir(tmp_path)
    assert run(["release", "keygen", "new"]) == 0
    keys = {"new.key", "new.pub"}
    place = STORE if STORE in COMMANDS[name] else LEDGER
    Store.open(place).close()
    with sqlite3.connect(place) as db:
        db.execute("UPDATE ledger_version SET version_num = '0001_0123456789ab'")
        db.execute("DROP TABLE deliveries")
    db.close()
    before = (tmp_path / place).read_bytes()
    assert run(COMMANDS[name]) == USER
    error = capsys.readouterr().err
    assert f"the database has schema 0001_0123456789ab, this program knows {newest()}" in error
    assert "a development version of tabletool, from before 1.0.0, wrote it" in error
    assert "next step: use that version, or name another database" in error
    assert error.count(place) == 1
    assert (tmp_path / place).read_bytes() == before
    left = {file.name for file in tmp_path.iterdir()}
    assert left - keys <= {place, f"{place}-wal", f"{place}-shm"}
