"""Giving a key, killed at every step: the keyring is whole and opens the table, always."""

import json
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import Served
from tabletools.cli.keys import change
from tabletools.cli.main import run
from tabletools.keys import Key, Keyring

PROGRAM = [sys.executable, str(Path(__file__).with_name("killed_change.py"))]
FIRST = bytes(range(32))


@pytest.fixture
def program():
    with subprocess.Popen(
        PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.stdin.close()


def order(program, **facts):
    print(json.dumps(facts), file=program.stdin, flush=True)
    return int(program.stdout.readline())


@pytest.mark.parametrize(
    ("command", "serial"), [("provision", 0), ("provision", 4711), ("rotate", 0)]
)
@pytest.mark.one_in(3)
def test_a_change_killed_at_every_step_is_ended_by_the_next(program, tmp_path, command, serial):
    """Wherever it dies, the key of the table is in the keyring; the same command ends the change:
    one key here, the one of the table. A second change comes only after a whole first one."""
    for nth in count(1):
        file = tmp_path / f"{command}{nth}.json"
        ring = Keyring(file)
        table = KeyedTable(7)
        if command == "rotate":
            table = KeyedTable(7, 1, FIRST)
            ring.add(7, Key(1, FIRST))
        facts = {"keyring": str(file), "command": command, "serial": serial}
        with Served(table) as served:
            died = order(program, url=served.url, nth=nth, **facts)
            device = table.sender.device
            if table.number:
                assert ring.keys_of(device)[table.number] == table.secret, nth
            was_done = len(ring.keys_of(device)) == 1 and table.number == 2
            if died:
                assert died == -signal.SIGKILL
                assert order(program, url=served.url, nth=0, **facts) == 0, nth
        device = serial or 7
        assert ring.keys_of(device) == {table.number: table.secret}, nth
        once = 2 if command == "rotate" else 1
        assert table.number == once + (was_done and died != 0), nth
        assert not [path for path in file.parent.glob(f"{file.name}*.new") if died == 0]
        if not died:
            break
    assert nth > 9


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(change, "_AGAIN_S", 0.1)


def test_a_key_is_given_and_rotated_from_the_command_line(quick, tmp_path, capsys):
    """The table proves it; the number rises; no key is on the screen or in an argument."""
    table, file = KeyedTable(7), tmp_path / "keys.json"
    with Served(table) as served:
        for words in (["provision", served.url, "--serial", "4711"], ["rotate", served.url]):
            assert run(["keys", *words, "--keys", str(file)]) == 0
            assert table.secret.hex() not in "".join(capsys.readouterr())
        assert run(["keys", "provision", served.url, "--keys", str(file)]) == 0
    assert (table.sender.device, table.number) == (4711, 2)
    assert Keyring(file).all() == {4711: (Key(2, table.secret),)}


def test_a_table_of_another_house_is_left_alone(quick, tmp_path, capsys):
    """It has a key that is not here: the message has the next step, nothing made, exit code 1."""
    table, file = KeyedTable(7, 3, FIRST), tmp_path / "keys.json"
    assert run(["keys", "new", "8", "--keys", str(file)]) == 0
    before = Keyring(file).all()
    with Served(table) as served:
        assert run(["keys", "rotate", served.url, "--keys", str(file)]) == 1
        assert run(["keys", "provision", served.url, "--keys", str(file)]) == 1
    assert capsys.readouterr().err.count("tabletool keys import") == 2
    assert (table.number, Keyring(file).all()) == (3, before)


def test_a_bench_table_cannot_be_rotated(quick, tmp_path, capsys):
    """It has nothing to rotate; the error names the command that gives it a key."""
    assert run(["keys", "new", "8", "--keys", str(tmp_path / "keys.json")]) == 0
    with Served(KeyedTable(7)) as served:
        assert run(["keys", "rotate", served.url, "--keys", str(tmp_path / "keys.json")]) == 1
    assert "tabletool keys provision" in capsys.readouterr().err
