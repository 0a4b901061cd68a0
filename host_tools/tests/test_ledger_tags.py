"""Every tag can be verified again: with the keys, a frame that no table made is found."""

import sqlite3
from contextlib import closing

import pytest

from host_tools.tests.collecting import BOOT, DEVICE, SECRET, Collecting
from tableemulator.machines.keyed import KeyedTable
from tabletools.cli.main import run
from tabletools.errors import UNSOUND, USER
from tabletools.keys import Key, Keyring
from tabletools.roles.frame_record import body_of, payload_of
from tablewire.cobs import stuff, unstuff
from tablewire.crc import crc32
from tablewire.framing import Receiver
from tablewire.messages import SEED
from tablewire.roulette import WHEEL_RESULT

TAG = slice(-20, -4)  # before the CRC
POCKET = 31  # after the header of 31 bytes


@pytest.fixture
def night(tmp_path):
    """Two sessions of one table, each with a round."""
    host = Collecting(tmp_path / "night.db")
    host.beat()
    host.round(12, pocket=16)
    host.close()
    host.table.restart()
    again = Collecting(tmp_path / "night.db", host.table, clock=host.clock)
    again.round(13, pocket=16)
    again.close()
    return tmp_path / "night.db"


@pytest.fixture
def ring(tmp_path):
    file = tmp_path / "keys.json"
    Keyring(file).add(DEVICE, Key(1, SECRET))
    return str(file)


def verify(place, *words):
    return run(["ledger", "verify", str(place), *words])


def test_the_tags_of_two_sessions_hold(night, ring, capsys):
    """Under the nonces of each; without the keys they cannot be verified."""
    assert verify(night, "--keys", ring) == 0
    assert "sound: every tag, chain, " in capsys.readouterr().out
    assert verify(night) == 0
    assert "every tag" not in capsys.readouterr().out
    with closing(sqlite3.connect(night)) as db:
        rows = db.execute("SELECT boot, key_number FROM line_sessions ORDER BY id").fetchall()
    assert rows == [(BOOT, 1), (BOOT + 1, 1)]


def seal_again(body):
    """A frame of a body with a correct CRC."""
    sealed = bytes(body[:-4]) + crc32(bytes(body[:-4]), SEED).to_bytes(4, "little")
    buf = bytearray(1) + bytearray(sealed) + bytearray(1)
    return bytes(buf[: stuff(buf, len(sealed))])


def forge(place, change):
    """Change the result of round 12 in all that is kept of its frame."""
    with closing(sqlite3.connect(place)) as db, db:
        for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
            db.execute(f"DROP TRIGGER {name}")
        query = "SELECT id, raw FROM frames WHERE round = 12 AND type = ?"
        row, raw = db.execute(query, (WHEEL_RESULT,)).fetchone()
        body = bytearray(unstuff(raw[:-1]))
        change(body)
        wire = seal_again(body)
        [frame] = Receiver().feed(wire)
        values = payload_of(frame), body_of(frame, wire), wire, row
        db.execute("UPDATE frames SET payload = ?, body = ?, raw = ? WHERE id = ?", values)


def number_21(body):
    """Another pocket, and a tag of sixteen zero bytes: what passed verification once."""
    body[POCKET] = 21
    body[TAG] = bytes(16)


def another_tag(body):
    body[-5] ^= 1


@pytest.mark.parametrize("change", [number_21, another_tag])
def test_a_frame_that_no_table_made_is_found(night, ring, capsys, change):
    """Whatever else agrees with it."""
    forge(night, change)
    assert verify(night, "--keys", ring) == UNSOUND
    error = capsys.readouterr().err
    assert "its tag is not of the key and session that verified it" in error


def test_nonces_that_were_changed_are_found(night, ring, capsys):
    with closing(sqlite3.connect(night)) as db, db:
        db.execute("DROP TRIGGER line_sessions_no_update")
        db.execute("UPDATE line_sessions SET host_nonce = zeroblob(8) WHERE id = 1")
    assert verify(night, "--keys", ring) == UNSOUND
    assert capsys.readouterr().err.count("its tag is not of the key") == 3


def test_a_key_that_is_not_here_is_named(night, tmp_path, capsys):
    """Of another device: its tags cannot be verified, and that is no success."""
    other = tmp_path / "other.json"
    Keyring(other).add(8, Key(1, SECRET))
    assert verify(night, "--keys", str(other)) == USER
    error = capsys.readouterr().err
    assert "6 tags cannot be verified" in error
    assert f"the keyring lacks key 1 of device {DEVICE}" in error


def test_a_key_that_was_changed_is_in_another_keyring(tmp_path, night, ring, capsys):
    """The keyring of today has the newest key alone; what is older is in the one kept before."""
    newer = tmp_path / "newer.json"
    Keyring(newer).add(DEVICE, Key(2, bytes(32)))
    assert verify(night, "--keys", str(newer)) == USER
    assert verify(night, "--keys", str(newer), "--keys", ring) == 0
    assert "sound: every tag, " in capsys.readouterr().out


def test_a_keyring_that_is_missing_is_refused(night, tmp_path, capsys):
    assert verify(night, "--keys", str(tmp_path / "typo.json")) == USER
    assert "typo.json" in capsys.readouterr().err
    assert not (tmp_path / "typo.json").exists()


def test_records_of_a_table_without_a_key_have_no_tag(tmp_path, ring):
    """They count for nothing, and there is nothing to verify."""
    host = Collecting(tmp_path / "bench.db", KeyedTable(9), keys={})
    host.round(1)
    host.close()
    assert verify(tmp_path / "bench.db", "--keys", ring) == 0
