"""`tabletool ledger`: verify, backup and restore on both databases."""

import copy
import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from host_tools.tests import postgresql
from host_tools.tests.pit import Pit
from tabletools.cli.main import run
from tabletools.cms.consumer import Landed, Landing
from tabletools.cms.outgoing_event import outgoing_event
from tabletools.errors import UNSOUND, USER
from tabletools.evidence.alarms import note_restore
from tabletools.money import outbox_queries
from tabletools.pit import checkpoints
from tabletools.pit.settings import Settings
from tabletools.store import Store
from tabletools.table.verify import check


@pytest.fixture
def played(ledger_place):
    """A ledger with one round."""
    pit = Pit(ledger_place)
    pit.play(1, 1, (pit.ada, "red", 1000))
    yield ledger_place
    pit.ledger.close()


def other_place(place, request, tmp_path):
    if "://" not in place:
        return str(tmp_path / "restored")
    cluster = request.getfixturevalue("cluster")
    return cluster.url(cluster.new_database())


def test_a_sound_ledger(played, capsys):
    assert run(["ledger", "verify", played]) == 0
    out = capsys.readouterr().out
    assert "3 frames, 1 rounds, 1 bets, 1 settlements" in out
    assert "sound: chain, balances, settlements and evidence are consistent" in out
    assert "not proved without --checkpoint: that no one computed the whole chain again" in out


def test_a_ledger_that_is_not_sound(played, capsys):
    """A separate exit code, and each mismatch in a line."""
    ledger = Store.open(played)
    with ledger.write() as db:
        db.execute(text("UPDATE accounts SET balance_cents = 7 WHERE name = 'ben'"))
    ledger.close()
    assert run(["ledger", "verify", played]) == UNSOUND
    err = capsys.readouterr().err
    assert "1 consistency check failed" in err
    assert "(player ben): balance 7, its lines add up to 100000" in err


def test_a_backup_is_restored(played, request, tmp_path, capsys):
    """It verifies and is the same but for the note of it; an existing file is not overwritten."""
    file, place = tmp_path / "one.backup", other_place(played, request, tmp_path)
    assert run(["ledger", "backup", played, str(file)]) == 0
    assert run(["ledger", "backup", played, str(file)]) == 1
    assert f"error: the file already exists ({file})" in capsys.readouterr().err
    assert run(["ledger", "restore", str(file), place]) == 0
    assert "sound: chain" in capsys.readouterr().out
    assert run(["ledger", "restore", str(file), place]) == 1
    counts = []
    for where in (played, place):
        ledger = Store.open_existing(where)
        with ledger.read() as db:
            counts.append(check(db).counts)
        ledger.close()
    noted = {"audit_log": 1, "outbox": 1}  # that it was restored
    assert counts[1] == {name: n + noted.get(name, 0) for name, n in counts[0].items()}


@pytest.fixture
def signed(tmp_path, monkeypatch):
    """A ledger in a file with a backup after a round, and checkpoints before and after another."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    pit, file = Pit(str(tmp_path / "pit.ledger")), tmp_path / "one.backup"
    for number in (1, 2):
        pit.play(number, 1, (pit.ada, "red", 1000))
        if number == 1:
            assert run(["ledger", "backup", pit.ledger.place, str(file)]) == 0
        sign(pit.ledger)
    pit.ledger.close()
    return tmp_path / "pit.ledger", file


def sign(ledger):
    """What a host does each minute: a checkpoint beside the ledger."""
    with checkpoints.checkpointing(ledger, Settings(), lambda *_: None):
        pass


def test_a_restore_in_place_moves_the_checkpoints_aside(signed, capsys):
    """The second checkpoint is of an entry that the backup lacks; the first one agrees."""
    place, file = signed
    beside = place.with_name("pit.ledger.checkpoints")
    lines = beside.read_text()
    place.rename(place.with_name("failed.ledger"))
    beside.with_name("pit.ledger.checkpoints.1").write_text("older")
    assert run(["ledger", "restore", str(file), str(place)]) == 0
    aside = place.with_name("pit.ledger.checkpoints.2")
    assert f"checkpoints of the former ledger are now {aside}" in capsys.readouterr().out
    assert (aside.read_text(), beside.exists()) == (lines, False)
    assert place.with_name("pit.ledger.checkpoints.1").read_text() == "older"
    assert run(["ledger", "verify", str(place)]) == 0
    public = str(place.with_name("pit.ledger.checkpoint.pub"))
    words = ["--checkpoint", str(aside), "--public", public]
    assert run(["ledger", "verify", str(place), *words]) == UNSOUND
    error = capsys.readouterr().err
    assert "2 of 2 checkpoints not of this ledger" not in error
    assert "1 of 2 checkpoints not of this ledger" in error


def test_a_backup_copied_in_place_is_told_the_next_step(signed, capsys):
    """cp, and not `restore`: the refusal names the file to move, and after that it is sound."""
    place, file = signed
    place.write_bytes(file.read_bytes())
    assert run(["ledger", "verify", str(place)]) == UNSOUND
    beside = f"{place}.checkpoints"
    assert f"if you copied a backup here: mv {beside} {beside}.1" in capsys.readouterr().err
    Path(beside).rename(f"{beside}.1")
    assert run(["ledger", "verify", str(place)]) == 0


def test_checkpoints_of_a_key_that_was_replaced(signed, capsys):
    """`verify` says which file to move; the next start moves it by itself, and loses no line."""
    place, _ = signed
    beside, key = f"{place}.checkpoints", place.with_name("pit.ledger.checkpoint")
    lines = Path(beside).read_text()
    for ending in (".key", ".pub"):
        key.with_name(key.name + ending).rename(key.with_name("former" + ending))
    ledger = Store.open(str(place))
    checkpoints.signing_key(Settings(), ledger)
    assert run(["ledger", "verify", str(place)]) == USER
    assert f"if the key was replaced: mv {beside} {beside}.1" in capsys.readouterr().err
    sign(ledger)
    ledger.close()
    assert Path(f"{beside}.1").read_text() == lines
    assert run(["ledger", "verify", str(place)]) == 0
    words = ["--checkpoint", f"{beside}.1", "--public", str(key.with_name("former.pub"))]
    assert run(["ledger", "verify", str(place), *words]) == 0
    assert "2 checkpoints agree" in capsys.readouterr().out


def test_a_torn_checkpoint_is_not_written_on(signed, capsys):
    """A power cut left half a line: the next start begins another file."""
    place, _ = signed
    beside = Path(f"{place}.checkpoints")
    beside.write_text(beside.read_text()[:-40])
    ledger = Store.open(str(place))
    sign(ledger)
    ledger.close()
    assert run(["ledger", "verify", str(place)]) == 0
    assert "1 checkpoints agree" in capsys.readouterr().out


def events_of(pit):
    """Every event of a ledger as sent, in order."""
    events = outbox_queries.due(pit.ledger, "cms", most=1000)
    return [outgoing_event(event) for event in events.events]


def reopened(pit, place):
    """The same table and players at another ledger."""
    copied = copy.copy(pit)
    copied.ledger = Store.open(place, clock=pit.clock)
    copied.attach()
    return copied


def test_a_management_system_takes_no_event_of_a_restored_ledger_for_one_it_knows(
    ledger_place, request, tmp_path
):
    """Round 2 was sent before the disk failed; restored ledgers give its key to other rounds.

    Rounds 3 and 4 are new to the consumer, and later than all it has; a repeat is a repeat.
    """
    pit, file = Pit(ledger_place), tmp_path / "one.backup"
    pit.play(1, 1, (pit.ada, "red", 1000))
    assert run(["ledger", "backup", ledger_place, str(file)]) == 0
    pit.play(2, 2, (pit.ada, "red", 1000))
    landing = Landing(tmp_path / "landed")
    known = events_of(pit)
    assert landing.land([(one.type, one.body) for one in known]).new == len(known)
    pit.ledger.close()
    for number in (3, 4):
        (tmp_path / str(number)).mkdir()
        place = other_place(ledger_place, request, tmp_path / str(number))
        assert run(["ledger", "restore", str(file), place]) == 0
        again = reopened(pit, place)
        again.play(number, 1, (again.ada, "red", 1000))
        assert again.key(number) == 2
        sent = events_of(again)
        new = [one for one in sent if one.number > known[-1].number]
        assert [one.type for one in new] == [
            "tablewire.alarm.raised",
            "tablewire.round.opened",
            "tablewire.bets.closed",
            "tablewire.round.settled",
        ]
        assert b"restored" in new[0].body
        landed = landing.land([(one.type, one.body) for one in sent])
        assert landed == Landed(len(new), len(sent) - len(new), 0)
        with again.ledger.read() as db:
            assert check(db).problems == []
        again.ledger.close()
        known = new
    landing.close()


def test_a_ledger_restored_under_a_clock_that_is_behind_numbers_on(ledger_place):
    """Restored twice, the second time with the clock of 1970: the table plays, in order."""
    pit = Pit(ledger_place)
    numbers = []
    for at_ns in (pit.clock.ahead, 0):
        pit.clock.ahead = at_ns
        note_restore(pit.ledger, "one.backup")
        pit.attach()
        pit.play(len(numbers) + 1, 1)
        numbers += [one.number for one in events_of(pit)][len(numbers) :]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 8
    pit.ledger.close()


def test_a_restored_ledger_that_does_not_hold_is_said(played, request, tmp_path, capsys):
    """Errors present at the time of backup are reported at restore, exit code 1."""
    ledger = Store.open(played)
    with ledger.write() as db:
        db.execute(text("UPDATE accounts SET balance_cents = 7 WHERE name = 'ben'"))
    ledger.close()
    file, place = tmp_path / "one.backup", other_place(played, request, tmp_path)
    assert run(["ledger", "backup", played, str(file)]) == 0
    assert run(["ledger", "restore", str(file), place]) == UNSOUND
    assert "(player ben): balance 7" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda file: file.touch(), "is empty"),
        (lambda file: file.write_bytes(b"noise" * 100), "not a database"),
        (lambda file: _other_program(file), "there is no ledger in"),
    ],
)
def test_what_is_no_backup_makes_no_ledger(spoil, expected, tmp_path, capsys):
    """An empty file, noise, another program's database: refused, not restored as a ledger."""
    spoil(tmp_path / "one.backup")
    assert run(["ledger", "restore", str(tmp_path / "one.backup"), str(tmp_path / "new")]) == 1
    captured = capsys.readouterr()
    assert (expected in captured.err, "sound" in captured.out) == (True, False)
    assert [path.name for path in tmp_path.iterdir()] == ["one.backup"]


def test_a_backup_that_cannot_be_written_names_its_file(played, tmp_path, capsys):
    """Not the ledger, which can be read."""
    file = tmp_path / "no folder" / "one.backup"
    assert run(["ledger", "backup", played, str(file)]) == 1
    error = capsys.readouterr().err
    assert f"cannot write the file: no such file or directory ({file})" in error
    assert "name a file in a folder you own" in error


def test_a_backup_in_a_folder_without_rights_is_refused(played, tmp_path, monkeypatch, capsys):
    """A medium that is read-only: neither the copy nor its removal is an internal error."""

    def refuse(file, **_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(file))

    monkeypatch.setattr(Path, "unlink", refuse)
    assert run(["ledger", "backup", played, str(tmp_path / "one.backup")]) == 1
    error = capsys.readouterr().err
    assert "read-only file system" in error
    assert "internal" not in error


def _other_program(file):
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE other (n)")


@pytest.mark.skipif(postgresql.binaries() is None, reason="no PostgreSQL")
def test_a_missing_program_is_named_with_its_package(shared_ledger, tmp_path, monkeypatch, capsys):
    """Without pg_dump on this machine: a message what to install, and no file is left."""
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("pathlib.Path.glob", lambda self, pattern: iter(()))
    assert run(["ledger", "backup", shared_ledger, str(tmp_path / "one.backup")]) == 1
    err = capsys.readouterr().err
    assert "pg_dump is not installed" in err
    assert "apt install postgresql-client" in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["verify", "no such file"], "there is no database"),
        (["verify", "mysql://host/db"], "no such kind of database"),
        (["restore", "no such file", "new"], "there is no backup (no such file)"),
        (["verify", "README.md"], "this is not a database of tabletool"),
    ],
)
def test_what_cannot_be_done_is_explained(words, expected, capsys):
    """One line of what is wrong, then what to do; exit code 1, and nothing is made."""
    assert run(["ledger", *words]) == 1
    err = capsys.readouterr().err
    assert expected in err
    assert "next step:" in err
