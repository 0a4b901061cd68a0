"""A ledger that is only read: not a byte of it changes, also on a read-only medium."""

import os
import shutil
from types import SimpleNamespace

import pytest

from host_tools.tests.pit import Pit
from tabletools.cli.main import run
from tabletools.store import backup

READERS = (
    ["ledger", "verify", "PLACE", "--workers", "1"],
    ["ledger", "verify", "PLACE", "--workers", "2"],
    ["ledger", "shadow", "PLACE"],
    ["evidence", "PLACE"],
    ["evidence", "PLACE", "--round", "1"],
    ["audit", "--db", "PLACE", "--table", "R1"],
)


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A ledger of one round whose host was stopped: one file."""
    folder = tmp_path_factory.mktemp("stopped")
    pit = Pit(str(folder / "pit.ledger"))
    pit.play(1, 1, (pit.ada, "red", 1000))
    pit.ledger.close()
    assert list(contents(folder)) == ["pit.ledger"]
    return folder / "pit.ledger"


@pytest.fixture(scope="module")
def killed_host(tmp_path_factory):
    """The files a host left that was killed: a second round is only in the write-ahead log."""
    folder = tmp_path_factory.mktemp("killed")
    pit = Pit(str(folder / "running"))
    pit.play(1, 1, (pit.ada, "red", 1000))
    pit.play(2, 2, (pit.ada, "red", 1000))
    shutil.copy(folder / "running", folder / "pit.ledger")
    shutil.copy(folder / "running-wal", folder / "pit.ledger-wal")
    pit.ledger.close()
    (folder / "running").unlink()
    return folder / "pit.ledger"


@pytest.fixture
def medium(monkeypatch):
    """Every file is on a medium mounted read-only, as far as the system reports."""
    monkeypatch.setattr("os.statvfs", lambda path: SimpleNamespace(f_flag=os.ST_RDONLY))


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_what_only_reads_changes_no_byte(words, stopped, killed_host, tmp_path, capsys):
    """A backup, a stopped ledger, and one with a log: files of before are as before."""
    for file in (stopped, killed_host):
        folder = tmp_path / file.parent.name
        shutil.copytree(file.parent, folder)
        before = contents(folder)
        place = str(folder / "pit.ledger")
        assert run([place if word == "PLACE" else word for word in words]) == 0
        after = contents(folder)
        assert {name: after.get(name) for name in before} == before
        assert set(after) - set(before) <= {"pit.ledger-shm"}


def test_a_backup_is_verified_unchanged(stopped, tmp_path):
    """It has no log; opened to write, it would get one for good."""
    file = tmp_path / "one.backup"
    assert run(["ledger", "backup", str(stopped), str(file)]) == 0
    before = contents(tmp_path)
    assert run(["ledger", "verify", str(file)]) == 0
    assert contents(tmp_path) == before


def test_a_log_that_was_left_is_read(killed_host, tmp_path, capsys):
    """The second round is in the log alone."""
    folder = tmp_path / "folder"
    shutil.copytree(killed_host.parent, folder)
    assert run(["ledger", "verify", str(folder / "pit.ledger")]) == 0
    assert "2 rounds" in capsys.readouterr().out


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a_medium_that_cannot_be_written(words, stopped, tmp_path, medium):
    """Read in place; nothing is made beside it."""
    folder = tmp_path / "with %20 ?and=# folder"
    shutil.copytree(stopped.parent, folder)
    before = contents(folder)
    place = str(folder / "pit.ledger")
    assert run([place if word == "PLACE" else word for word in words]) == 0
    assert contents(folder) == before


def test_a_log_on_a_medium_that_cannot_be_written(killed_host, tmp_path, medium, capsys):
    """Without its log the ledger would be read as it was a round before: refused."""
    folder = tmp_path / "folder"
    shutil.copytree(killed_host.parent, folder)
    before = contents(folder)
    assert run(["ledger", "verify", str(folder / "pit.ledger")]) == 1
    error = capsys.readouterr().err
    assert "pit.ledger-wal" in error
    assert "next step: copy the ledger together with it to a folder you own" in error
    assert contents(folder) == before


def test_a_ledger_made_while_another_is_restored_is_not_replaced(
    stopped, tmp_path, monkeypatch, capsys
):
    """A host was started there while the backup was copied: its ledger stays."""
    file, place = tmp_path / "one.backup", tmp_path / "pit.ledger"
    assert run(["ledger", "backup", str(stopped), str(file)]) == 0
    copied = backup._copy

    def host_starts(source, target):
        copied(source, target)
        place.write_bytes(b"of a host that just started")

    monkeypatch.setattr(backup, "_copy", host_starts)
    assert run(["ledger", "restore", str(file), str(place)]) == 1
    assert "already exists" in capsys.readouterr().err
    assert place.read_bytes() == b"of a host that just started"
    assert sorted(contents(tmp_path)) == ["one.backup", "pit.ledger"]


@pytest.mark.parametrize("left", ["-wal", "-shm", "-journal"])
def test_no_ledger_is_restored_beside_the_log_of_another(left, stopped, tmp_path, capsys):
    """SQLite would add the transactions of the other one to it, or the running host would."""
    file, place = tmp_path / "one.backup", tmp_path / "pit.ledger"
    assert run(["ledger", "backup", str(stopped), str(file)]) == 0
    (tmp_path / f"pit.ledger{left}").write_bytes(b"something")
    assert run(["ledger", "restore", str(file), str(place)]) == 1
    assert f"pit.ledger{left}" in capsys.readouterr().err
    assert not place.exists()


@pytest.mark.parametrize("words", [["users", "list", "--db"], ["serve", "--db"]])
def test_what_writes_names_a_read_only_ledger(words, stopped, medium, monkeypatch, capsys):
    """Not "the folder does not exist": what is wrong is where the file is."""
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    before = contents(stopped.parent)
    assert run([*words, str(stopped)]) == 1
    said = capsys.readouterr().err
    assert "the database is read-only" in said
    assert "likely cause: its disk is mounted read-only" in said
    assert "next step: copy it to a folder you own, and name the copy" in said
    assert contents(stopped.parent) == before


def test_what_writes_names_a_ledger_without_the_right_to_it(stopped, monkeypatch, capsys):
    """The file of another user, who lets others read it."""
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    assert run(["serve", "--db", str(stopped)]) == 1
    said = capsys.readouterr().err
    assert "likely cause: this user has no right to write the file or its folder" in said
