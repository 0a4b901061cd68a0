"""`--json`: every command that reports has it, its output parses, and so does its refusal."""

import json
import shlex
from pathlib import Path

import pytest

from hil_tests.test_attest import make_house
from host_tools.tests.command_tree import LEAVES as ALL_LEAVES
from host_tools.tests.test_cli_config import BENCH, at_bench
from tableemulator.shipped_controller import program
from tabletools.cli.main import run

LEAVES = {path.removeprefix("tabletool "): command for path, command in ALL_LEAVES.items()}
# These print JSON whatever is asked, or are a display for people.
OTHERWISE = {"settle", "dice read", "demo"}

# In one folder, one after the other. A line begins with its exit code where that is not 0.
ALONE = """
keys new 7 --keys keys.json
keys list --keys keys.json
keys export 7 --to other.json --keys keys.json
keys import other.json --keys third.json
keys forget 7 --yes --keys third.json
release keygen house
release make {root}/mip.json --board {root}/boards/emulated/board.py --image img --out em.json
release sign em.json --key house.key
release verify em.json --key house.pub --image img
config check --list
emulate roulette --spins 2 --seed 7 --out night.capture --traces traces
emulate roulette --fault list
decode night.capture --type wheel_result
replay {trace}
explain short_spin
users add Sue --role supervisor --db pit.ledger
users list --db pit.ledger
users role Sue dealer --db pit.ledger
users disable Sue --db pit.ledger
users enable Sue --db pit.ledger
users password Sue --db pit.ledger
ledger verify pit.ledger
ledger checkpoint pit.ledger --key house.key
ledger checkpoint pit.ledger --key house.key --out marks
ledger shadow pit.ledger
ledger reports pit.ledger
ledger retain pit.ledger
ledger backup pit.ledger copy
ledger restore copy new.ledger
feed --db pit.ledger --file events.jsonl --once
serve --check --db pit.ledger --keys keys.json
"""
# At one table on the VM, in virtual time.
AT_A_TABLE = """
config get bench min_circuits
config dump bench
config dump bench --out table.toml
1 config diff bench changed.toml
config set bench min_circuits=4
config factory bench
attest bench --manifest em.json --key house.pub
diag bundle bench support.json
maintenance bench open --yes
maintenance bench close
lock bench --yes
attest bench --manifest em.json --key house.pub --clear
"""
# Whose test lies elsewhere, as what they need does: other ports, pictures, a person, minutes.
ELSEWHERE = {
    "clear-fault": "test_cli_config.py",
    "ledger archive": "test_ledger_archive.py",
    "ledger check-archive": "test_ledger_archive.py",
    "ledger statement": "test_ledger_statements.py",
    "collect": "test_cli_collect.py",
    "evidence list": "test_cli_evidence.py",
    "evidence export": "test_evidence_file.py",
    "evidence check": "test_evidence_file.py",
    "estate check-archives": "test_estate_evidence.py",
    "estate make-offer": "test_offers.py",
    "estate offers": "test_offers.py",
    "estate replay": "test_estate_evidence.py",
    "estate show": "test_estate.py",
    "estate where": "test_estate.py",
    **{
        f"wallet {name}": "test_wallet_http.py"
        for name in ("close", "link", "open", "reconcile", "retry")
    },
    "monitor": "test_cli_monitor.py",
    "port": "test_cli_port.py",
    "trial": "test_trial.py",
    "audit": "test_audit.py",
    "dice calibrate": "test_cli_dice_calibrate_overhead.py",
    "diag table": "test_diag_to_table.py",
    "diag daily": "test_diag_daily.py",
    "diag history": "test_diag_history.py",
}

# They report with `say` as the others do, after minutes, a person or another machine.
UNREAD = {
    *("flash", "trace", "load-shoe", "take-picture", "commission-tray", "play", "consume"),
    "estate serve",
    *("keys provision", "keys rotate", "wheelline read", "wheelline in", "wheelline out"),
    *(f"emulate {role}" for role in ("money_wheel", "dice", "shuffler", "draw_machine")),
    *("emulate card_shoe", "emulate stock"),
}


def commands_of(lines):
    """The commands that some lines run."""
    words = [shlex.split(line.lstrip("1 ")) for line in lines.splitlines() if line]
    return {next(p for p in (" ".join(w[:2]), w[0]) if p in LEAVES) for w in words}


def reported(capsys, line):
    """Run a line with --json; returns the objects that it printed."""
    code, words = 0, shlex.split(line)
    if words[0] == "1":
        code, words = 1, words[1:]
    capsys.readouterr()
    done = run([*words, "--json"])
    output = capsys.readouterr()
    assert done == code, output.err
    rows = [json.loads(row) for row in output.out.splitlines()]
    assert rows, line
    assert all(isinstance(row, dict) for row in rows), line
    return rows


@pytest.mark.parametrize("path", sorted(LEAVES.keys() - OTHERWISE))
def test_every_command_that_reports_has_it(path):
    """With the same words in every help."""
    options = {word for parameter in LEAVES[path].params for word in parameter.opts}
    assert "--json" in options


def test_every_command_is_run_or_named():
    """A new command is run here, or its name says where its output is read, or that it is not."""
    run_here = commands_of(ALONE) | commands_of(AT_A_TABLE)
    named = OTHERWISE | ELSEWHERE.keys() | UNREAD
    assert run_here | named == LEAVES.keys()
    assert not run_here & named


def test_commands_that_need_no_table(tmp_path, monkeypatch, capsys):
    """Keys, releases, captures, users, a ledger and its copies."""
    monkeypatch.chdir(tmp_path)
    root, rows = Path(__file__).resolve().parents[2], {}
    for line in filter(None, ALONE.splitlines()):
        trace = next(iter(sorted(Path("traces").glob("*-1.trace"))), "")
        rows[line] = reported(capsys, line.format(root=root, trace=trace))
    [key, ring] = rows["keys list --keys keys.json"]
    assert (key["device"], key["key"], ring["devices"]) == (7, 1, 1)
    [sums] = rows["emulate roulette --spins 2 --seed 7 --out night.capture --traces traces"]
    assert sums["rounds"] == 2
    assert rows["users list --db pit.ledger"][0]["role"] == "supervisor"
    assert {"sound": True} in rows["ledger verify pit.ledger"]


def test_commands_at_a_table(tmp_path, monkeypatch, capsys):
    """Configuration, attestation, maintenance, lock, what support gets."""
    monkeypatch.chdir(tmp_path)
    assert make_house() == 0
    with at_bench(monkeypatch, program(), auto_open=0):
        for line in filter(None, AT_A_TABLE.splitlines()):
            if "changed.toml" in line:
                text = (tmp_path / "table.toml").read_text()
                (tmp_path / "changed.toml").write_text(
                    text.replace("rotor_min_drpm = 60", "rotor_min_drpm = 70")
                )
            rows = reported(capsys, line.replace("bench", f"'{BENCH}'"))
    assert rows[-1] == {"cleared": 508}


def test_a_refusal_has_one_shape(capsys, tmp_path, monkeypatch):
    """One object on standard error, with the same fields for the parser's and our own."""
    monkeypatch.chdir(tmp_path)
    for words in (
        ["decode", "missing.capture"],
        ["decode"],
        ["ledger", "verify", "missing.ledger"],
        ["keys", "forget", "7"],
    ):
        capsys.readouterr()
        assert run([*words, "--json"]) == 1
        output = capsys.readouterr()
        assert output.out == ""
        [line] = output.err.splitlines()
        [(name, facts)] = json.loads(line).items()
        assert (name, [*facts]) == (
            "error",
            ["what", "where", "limit", "cause", "step", "exit_code", "details"],
        )
        assert facts["what"]
        assert facts["exit_code"] == 1
