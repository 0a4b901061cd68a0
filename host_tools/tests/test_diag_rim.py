"""`tabletool diag --calibrate rim`: 30 spins at an emulated wheel on the VM, from end to end."""

import re
from dataclasses import replace

import pytest

from hil_tests.thinned import soak_only
from host_tools.tests.diagnosed import Floor, spin
from tableemulator.machines.money_wheel.physical_money_wheel import MoneyWheelSetup
from tableemulator.machines.roulette.physical_wheel import Geometry
from tabletools.cli import roulette_recorder
from tabletools.cli.main import run
from tabletools.diag.report import FAILED
from tabletools.errors import USER
from tabletools.evidence.listing import last_traces
from tabletools.keys import Key, Keyring
from tabletools.roulette_rim import proposal
from tabletools.store import Store
from tablewire import roulette

DEVICE, KEY = 1382865454, (1, bytes(range(100, 132)))
ROUND_US = 55_000_000  # a spin and what follows it until bets are open again
STEP_US = 200_000  # half an hour of spins is read five times a second


@pytest.fixture
def keyring(tmp_path):
    """The keyring of the table."""
    file = tmp_path / "keys.json"
    Keyring(file).add(DEVICE, Key(*KEY))
    return file


def command(floor, where, keyring, monkeypatch):
    """Calibrate the rim of the wheel behind the floor."""
    monkeypatch.setattr(roulette_recorder, "Link", floor._link)
    words = ["diag", floor.url, "--calibrate", "rim", "--traces", str(where), "--yes"]
    return run([*words, "--keys", str(keyring)])


def save(file, folder):
    """The traces of a database, in a folder."""
    folder.mkdir()
    ledger = Store.open(str(file))
    with ledger.read() as db:
        for number, data in last_traces(db, DEVICE, 60):
            (folder / f"{number}.trace").write_bytes(data)
    ledger.close()


def verify_voids_are_not_stored(floor, folder, keyring, monkeypatch, capsys):
    """A ball that may drop after laps of 2.4 s only: every spin would be ball_removed."""
    true = proposal.propose
    capsys.readouterr()

    def wrong(*words):
        return replace(true(*words), keys={roulette.DROP_LAP_MS: 2400})

    with monkeypatch.context() as patch:
        patch.setattr(proposal, "propose", wrong)
        assert command(floor, folder, keyring, patch) == FAILED
    output = capsys.readouterr().out
    assert "FAIL  rim: spins void with these keys alone" in output
    assert "drop_lap_ms = 2400, now 1" in output
    assert "stored" not in output


@soak_only
def test_a_rim_is_measured_while_it_is_played(tmp_path, keyring, monkeypatch, capsys):
    """The emulator's balls brake by 0.118 +- 0.008 turns/s2 whatever their speed, passes by it
    are exact; then the stored rounds give the same keys again, and so does a folder of them.
    """
    file, folder = tmp_path / "spins.db", tmp_path / "traces"
    with Floor(
        Geometry("single"), moved=spin, every_us=ROUND_US, step_us=STEP_US, key=KEY
    ) as floor:
        assert command(floor, file, keyring, monkeypatch) == 0
        output = capsys.readouterr().out
        assert "30 usable spins" in output
        steady = int(re.search(r"lap_steady = (\d+), was 0", output)[1])
        assert 1080 < steady < 1260
        assert 0 <= int(re.search(r"lap_square = (\d+), now 0", output)[1]) < 40
        assert re.search(r"PASS  calibration: drop_lap_ms stored +1[12]\d\d ", output)
        spins = int(re.search(r"drag from spin to spin +(\d+) 1/1000", output)[1])
        assert 40 < spins < 100  # 0.008 of 0.118
        ended_us = floor._table.now_us
        assert command(floor, file, keyring, monkeypatch) == 0
        assert f"proposed: lap_steady = {steady}, now {steady}" in capsys.readouterr().out
        assert floor._table.now_us < ended_us + ROUND_US  # not one spin more
        save(file, folder)
        assert command(floor, folder, keyring, monkeypatch) == 0
        verify_voids_are_not_stored(floor, folder, keyring, monkeypatch, capsys)
        last = max(folder.glob("*.trace"), key=lambda file: int(file.stem))
        last.rename(last.with_suffix(".spoilt"))
        assert command(floor, folder, keyring, monkeypatch) == USER
        assert "29 usable spins of 29 (at least 30" in capsys.readouterr().err


def test_what_has_no_rim_or_no_key_is_refused(tmp_path, keyring, monkeypatch, capsys):
    """Before 30 spins are played for nothing; and a command that names no place for them."""
    with Floor(MoneyWheelSetup(), moved=lambda _: None, key=KEY) as floor:
        assert command(floor, tmp_path / "a.db", keyring, monkeypatch) == USER
        assert "is for a roulette wheel" in capsys.readouterr().err
    with Floor(Geometry("single"), moved=lambda _: None) as floor:
        no_key = tmp_path / "other.json"
        Keyring(no_key).add(7, Key(*KEY))
        assert command(floor, tmp_path / "b.db", no_key, monkeypatch) == USER
        assert "a table without a key" in capsys.readouterr().err
        assert run(["diag", floor.url, "--calibrate", "rim", "--yes"]) == USER
        assert "name the database" in capsys.readouterr().err
