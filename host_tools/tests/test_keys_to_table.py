"""Keys against the shipped firmware: by capture in virtual time, by the wall clock over TCP."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tabletools.cli.emulate.emulate_command import SERIAL
from tabletools.cli.main import run
from tabletools.keys import Keyring

PROGRAM = [sys.executable, "-c", "from tabletools.cli.main import main; main()"]


@pytest.fixture
def ring(tmp_path):
    file = tmp_path / "keys.json"
    assert run(["keys", "new", str(SERIAL), "--keys", str(file)]) == 0
    return file


def test_a_capture_is_verified_with_its_key_and_only_with_it(ring, tmp_path, capsys):
    """Every frame but who is there and who asks; another key or none verifies nothing."""
    capture, other = tmp_path / "sealed.capture", tmp_path / "other.json"
    words = ["--spins", "1", "--key", str(ring), "--out", str(capture)]
    assert run(["emulate", "roulette", *words]) == 0
    assert run(["keys", "new", str(SERIAL), "--keys", str(other)]) == 0
    totals, records = [], []
    for keys in (["--keys", str(ring)], ["--keys", str(other)], []):
        capsys.readouterr()
        assert run(["decode", str(capture), "--commands", "--strict", *keys]) == 0
        *frames, total = capsys.readouterr().out.splitlines()
        totals.append(total)
        records.append([line.split()[5] for line in frames if "authenticated" not in line])
    assert {"identity", "identify"} == set(records[0])
    assert f"{len(records[0])} UNAUTHENTICATED - BENCH ONLY" in totals[0]
    assert "not verified" not in totals[0]
    assert "WRONG" not in totals[0]
    for total in totals[1:]:
        assert " authenticated" not in total
        assert "with an unverified tag" in total


def test_a_table_over_tcp_is_collected_and_rotated(ring, tmp_path, capsys):
    """Verified records are kept; the next key in the table; the old one opens nothing."""
    old, place = tmp_path / "old.json", tmp_path / "night.db"
    old.touch(0o600)
    old.write_bytes(ring.read_bytes())
    serve = ["emulate", "roulette", "--serve", "127.0.0.1:0"]
    command = [*PROGRAM, *serve, "--key", str(ring)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = f"socket://{process.stdout.readline().split()[-1]}"
            assert run(["keys", "rotate", url, "--keys", str(ring)]) == 0
            assert list(Keyring(ring).keys_of(SERIAL)) == [2]
            assert run(["trace", url, "--out", str(tmp_path), "--keys", str(ring)]) == 1
            assert "the table has no trace yet" in capsys.readouterr().err
            words = [url, "--db", str(place), "--for", "3"]
            assert run(["collect", *words, "--keys", str(ring)]) == 0
            assert run(["collect", *words, "--keys", str(old)]) == 1
            output = capsys.readouterr()
            assert f"device {SERIAL} has key 2, but the keyring has key 1" in output.err
            assert run(["monitor", url, "--once", "--json"]) == 0
            assert json.loads(capsys.readouterr().out)["authenticated"] is False
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 0
    with closing(sqlite3.connect(place)) as db:
        rows = db.execute("SELECT DISTINCT seal FROM frames").fetchall()
    assert rows == [("verified",)]
