"""What a user names must be there: a command that reads makes no database and no keyring."""

import pytest

from tableemulator.machines.keyed import KeyedTable
from tabletools.capture import FROM_TABLE, Writer
from tabletools.cli.main import run
from tabletools.errors import USER

CLOSED = "socket://127.0.0.1:9"
CAPTURE, STORE, LEDGER, KEYS = "night.capture", "typo.db", "typo.ledger", "typo.keys"
AT_TABLE = ["--db", LEDGER, "--table", "3"]
LEDGERS = {
    "users list": ["users", "list", "--db", LEDGER],
    "users role": ["users", "role", "ada", "dealer", "--db", LEDGER],
    "users disable": ["users", "disable", "ada", "--db", LEDGER],
    "users enable": ["users", "enable", "ada", "--db", LEDGER],
    "users password": ["users", "password", "ada", "--db", LEDGER],
    "ledger verify": ["ledger", "verify", LEDGER],
    "ledger backup": ["ledger", "backup", LEDGER, "a.backup"],
    "feed": ["feed", "--db", LEDGER, "--file", "events", "--once"],
    "audit": ["audit", "--db", LEDGER],
    "diag daily": ["diag", "daily", LEDGER, "--device", "7", "--list"],
    "diag history": ["diag", "history", LEDGER, "--device", "7"],
    "wheelline in": ["wheelline", "in", CLOSED, "--dialect", "ss2", *AT_TABLE],
    "wheelline out": ["wheelline", "out", *AT_TABLE, "--listen", "127.0.0.1:0"],
}
STORES = {
    "evidence": ["evidence", STORE],
    "evidence --release": ["evidence", STORE, "--release", "7", "--by", "x", "--why", "y"],
    "replay": ["replay", "--db", STORE, "--round", "1"],
    "settle": ["settle", CAPTURE, "--records", STORE],
}
KEYRINGS = {
    "decode": ["decode", CAPTURE],
    "settle": ["settle", CAPTURE, "--records", CAPTURE],
    "monitor": ["monitor", CLOSED, "--record", "new.capture"],
    "collect": ["collect", CLOSED, "--db", "new.db"],
    "trace": ["trace", CLOSED, "--out", "traces"],
    "port": ["port", CLOSED],
    "config": ["config", "get", CLOSED],
    "diag": ["diag", CLOSED],
    "serve": ["serve", "--db", "new.ledger"],
    "keys list": ["keys", "list"],
    "keys rotate": ["keys", "rotate", CLOSED],
    "keys forget": ["keys", "forget", "7", "--yes"],
    "keys export": ["keys", "export", "7", "--to", "new.keys"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with one capture of a table with a key."""
    monkeypatch.chdir(tmp_path)
    with (tmp_path / CAPTURE).open("w") as stream:
        Writer(stream, {}).chunk(0, FROM_TABLE, KeyedTable(7, 1, bytes(32))._identity(bytes(8)))
    return tmp_path


def verify_nothing_made(folder):
    assert [file.name for file in folder.iterdir()] == [CAPTURE]


@pytest.mark.parametrize("name", LEDGERS)
def test_no_reader_makes_a_ledger(name, folder, capsys):
    """What is wrong, the place, and the command that makes one."""
    assert run(LEDGERS[name]) == USER
    error = capsys.readouterr().err
    assert "there is no database" in error
    assert error.count(LEDGER) == 1
    assert "next step: check the name; `tabletool serve` and `collect` make one" in error
    verify_nothing_made(folder)


def test_a_ledger_named_by_its_url_is_not_made(folder, capsys):
    """A URL of SQLite is a file as well."""
    url = f"sqlite:///{folder / LEDGER}"
    for words in (["ledger", "verify", url], ["users", "list", "--db", url]):
        assert run(words) == USER
        assert "there is no database" in capsys.readouterr().err
    verify_nothing_made(folder)


def test_the_default_ledger_is_not_made(folder, monkeypatch, capsys):
    """Nor its folder, where a user has none yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    monkeypatch.setenv("HOME", str(folder))
    assert run(["users", "list"]) == USER
    assert "there is no database" in capsys.readouterr().err
    verify_nothing_made(folder)


@pytest.mark.parametrize("name", STORES)
def test_no_reader_makes_a_database(name, folder, capsys):
    assert run(STORES[name]) == USER
    assert capsys.readouterr().err.startswith("tabletool: error: ")
    verify_nothing_made(folder)


@pytest.mark.parametrize("name", KEYRINGS)
def test_a_keyring_that_is_named_must_be_there(name, folder, capsys):
    """A missing file is not read as an empty one: the message would name a wrong cause."""
    assert run([*KEYRINGS[name], "--keys", KEYS]) == USER
    error = capsys.readouterr().err
    assert f"there is no such keyring ({KEYS})" in error
    assert f"next step: check the name; `tabletool keys new DEVICE --keys {KEYS}`" in error
    verify_nothing_made(folder)


def test_an_emulated_table_needs_its_keyring(folder, capsys):
    assert run(["emulate", "roulette", "--out", "new.capture", "--key", KEYS]) == USER
    assert f"tabletool keys new 1382865454 --keys {KEYS}" in capsys.readouterr().err
    verify_nothing_made(folder)


def test_a_keyring_that_cannot_be_read(folder, capsys):
    """The same for what is no keyring, though the capture has no tag to verify."""
    assert run(["decode", CAPTURE, "--keys", "."]) == USER
    assert "the keyring cannot be read: is a directory" in capsys.readouterr().err
