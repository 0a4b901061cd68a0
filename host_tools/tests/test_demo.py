"""`make demo`: it starts, prints address and login, and Ctrl-C leaves nothing running."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hil_tests.thinned import soaked
from host_tools.tests.served import until
from tableemulator.chips import device_of
from tabletools.cli.demo import menu
from tabletools.cli.demo.demo_people import Caller
from tabletools.pit.assignments import terms_of
from tabletools.pit.settings import TableSettings
from tabletools.pit.settings_file import read
from tabletools.table import game_rounds, slips
from tabletools.table.terms import verify_terms

BIN = Path(sys.executable).parent


def children(pid):
    """The processes a process started, theirs included."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
    )
    pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    pids, newest = set(), {pid}
    while newest:
        newest = {child for child, parent in pairs if parent in newest}
        pids |= newest
    return pids


def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    "number", [signal.SIGINT, *soaked([signal.SIGTERM])], ids=lambda n: n.name
)
@pytest.mark.waits
def test_the_demo_starts_and_ends_cleanly(tmp_path, number):
    """One table is enough: its console answers, its player is seated, no process is left."""
    demo = subprocess.Popen(
        [BIN / "tabletool", "demo", "--only", "roulette"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    output = ""
    for line in demo.stdout:
        output += line
        if "Ctrl-C" in line:
            break
    [url] = re.findall(r"console: (\S+)", output)
    [password] = re.findall(r"password: (\S+)", output)
    sue = Caller(url)
    sue.login("Sue", password)
    [table] = sue.ask("GET", "/tables")[1]["tables"]
    assert table["device"] == device_of(1)
    assert len(sue.ask("GET", f"/tables/{table['id']}/sessions")[1]["sessions"]) == 2
    parts = children(demo.pid)
    assert len(parts) >= 3  # the host, the table, its board
    demo.send_signal(number)
    out, errors = demo.communicate(timeout=60)
    assert (demo.returncode, errors) == (0, "")
    assert out.endswith("ended\n")
    until(lambda: not [pid for pid in parts if is_there(pid)], 5)  # the read model's ends last
    assert not list(tmp_path.iterdir())


def test_control_c_ends_a_demo_that_still_starts(tmp_path):
    """It does not wait until all of it runs: exit code 130, no process and no file is left."""
    demo = subprocess.Popen(
        [BIN / "tabletool", "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert demo.stdout.readline().startswith("starting ")
    until(lambda: len(children(demo.pid)) > 1, 60)
    parts = children(demo.pid)
    demo.send_signal(signal.SIGINT)
    out, errors = demo.communicate(timeout=60)
    assert (demo.returncode, out, errors) == (130, "", "")
    until(lambda: not [pid for pid in parts if is_there(pid)], 5)
    assert not list(tmp_path.iterdir())


def test_every_table_of_the_demo_is_one_a_host_takes(tmp_path):
    """Its section is read, its terms are known, and each slip is taken by the rules."""
    file = tmp_path / "tables.toml"
    sections = [menu.settings_of(each, 7000 + n, n + 1) for n, each in enumerate(menu.TABLES)]
    file.write_text("\n".join(sections), encoding="utf-8")
    for table, settings in zip(menu.TABLES, read(file, tables_only=True).tables, strict=True):
        terms = terms_of(settings)
        verify_terms(terms)
        for slip in table.slips:
            fields = {name: value for name, value in slip.items() if name != "stake_cents"}
            text = slips.slip_text(fields)
            game_rounds.verify_bets(
                terms, [slips.StoredBet(1, 1, text, slip["stake_cents"], None)]
            )


def test_a_game_without_variants_is_a_table():
    """Keno knows no field `variant`: a table of it is one all the same."""
    pays = {"pays": {"1": {"1": 3}}}
    verify_terms(terms_of(TableSettings("K", "x", 1, "keno", "hc2023", options=pays)))
