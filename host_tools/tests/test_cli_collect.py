"""`tabletool collect` and `tabletool evidence` as programs: what is stored, listed, refused."""

import json
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from types import SimpleNamespace
from unittest import mock

import pytest

from tableemulator.machines.repeater import Repeater, Served, played, result
from tablespec.config_keys import KEYS
from tabletools.cli import collect
from tabletools.cli.main import run
from tabletools.errors import INTERNAL, UNREACHABLE, USER
from tabletools.link import ONLINE, Link
from tabletools.store import engine
from tabletools.table.intake import Intake
from tablewire.messages import ROUND_OPENED, ROUND_VOID
from tablewire.roulette import WHEEL_RESULT

PROGRAM = [sys.executable, "-c", "from tabletools.cli.main import main; main()"]
LONG_S = 30.0
VOID = (101, 3, 255, 300, -1, 1, 142, 1400)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "night.db"


@contextmanager
def until(is_done):
    """--for LONG_S is over once something is done and the table is online.

    On a busy machine the link is lost for a moment.
    """
    links = []

    def linked(port, session):
        links.append(Link(port, session))
        return links[-1]

    def monotonic():
        is_over = is_done() and links[-1].session.state == ONLINE
        return time.monotonic() + (LONG_S if is_over else 0)

    with (
        mock.patch.object(collect, "Link", linked),
        mock.patch.object(collect, "time", SimpleNamespace(monotonic=monotonic)),
    ):
        yield


def until_acknowledged(table, count):
    """--for is over once so many records are acknowledged; never when there is none."""
    return until(lambda: 0 < count <= len(table.acknowledged))


def collected(entries, file, *words, boot=3):
    """Collect from a table with these records; returns exit code and what was acknowledged."""
    table = Repeater(7, boot, entries)
    limit_s = LONG_S if entries else 0.5
    with Served(table) as served, until_acknowledged(table, len(entries)):
        code = run(["collect", served.url, "--db", str(file), "--for", str(limit_s), *words])
    return code, table.acknowledged


def listed(file, capsys, *words):
    """The JSON rows of `tabletool evidence`."""
    capsys.readouterr()
    assert run(["evidence", str(file), "--json", *words]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def records(file):
    with closing(sqlite3.connect(file)) as db:
        return [counter for (counter,) in db.execute("SELECT counter FROM frames ORDER BY id")]


def test_rounds_are_stored_acknowledged_and_listed(ledger_place, capsys):
    """One line a record, a sum at the end; then one line a round."""
    file = ledger_place
    entries = [*played(1, 2), (ROUND_OPENED, (2, 7, 60_000), 3), (ROUND_VOID, VOID, 3)]
    assert collected(entries, file) == (0, list(range(1, 9)))
    out = capsys.readouterr().out
    assert out.count("wheel_result") == 2
    assert out.splitlines()[-1].startswith("8 records stored, ")
    first, second, third = listed(file, capsys)
    assert (first["round"], first["pocket"], first["verdict"]) == (1, "1", "unproved")
    assert (second["pocket"], second["authentication"], second["settleable"]) == (
        "2",
        "none",
        False,
    )
    assert (third["end"], third["code"], third["reason"]) == ("round_void", 101, "short_spin")
    assert run(["evidence", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "table 7  round 1       1, " in lines[0]
    assert lines[0].endswith("not to be settled (unproved, not authenticated)")
    assert "void 101 short_spin" in lines[2]


def test_a_round_is_shown_with_its_raw_bytes(file, capsys):
    """For the auditor: each record as received, with its times."""
    collected(played(1, 2), file)
    *rows, played_by = listed(file, capsys, "--round", "2")
    assert played_by["list"] == "configuration"
    assert [row["type"] for row in rows] == ["round_opened", "bets_closed", "wheel_result"]
    with closing(sqlite3.connect(file)) as db:
        stored = [row[0].hex() for row in db.execute("SELECT raw FROM frames WHERE round = 2")]
    assert [row["raw"] for row in rows] == stored
    assert run(["evidence", str(file), "--round", "2"]) == 0
    assert stored[2] in capsys.readouterr().out


def test_records_as_json(file, capsys):
    """One object a line, the sum last."""
    collected(played(1, 1), file, "--json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    silent = ("link", "sum", "program")
    assert [r["type"] for r in rows if r["type"] not in silent] == [
        "round_opened",
        "bets_closed",
        "wheel_result",
    ]
    assert rows[-1]["type"] == "sum"
    assert (rows[-1]["stored"], rows[-1]["missed"]) == (3, 0)


def test_a_contradiction_stops_the_table(file, capsys):
    """Exit code 1 now and at the next start; kept in the alarm; a release ends it."""
    collected(played(1, 1), file)
    other = [(WHEEL_RESULT, result(30), 1)]
    assert collected(other, file)[0] == USER
    captured = capsys.readouterr()
    assert "ALARM conflict: device 7 boot 3 counter 1 came again" in captured.out
    assert captured.err.startswith("tabletool: error: table 7 is stopped: device 7 boot 3")
    assert "--release 7 --by NAME --why TEXT" in captured.err
    assert collected([], file)[0] == USER
    [alarm] = listed(file, capsys, "--alarms")[:1]
    assert alarm["kind"] == "conflict"
    assert alarm["raw"]
    [table] = [row for row in listed(file, capsys, "--tables") if row["list"] == "table"]
    assert "came again with different content" in table["stopped"]
    why = ["--why", "board replaced"]
    assert run(["evidence", str(file), "--release", "7"]) == USER
    assert run(["evidence", str(file), "--release", "7", *why]) == USER
    assert run(["evidence", str(file), "--release", "7", "--by", "A. Engel", *why]) == 0
    assert run(["evidence", str(file), "--release", "7", "--by", "A. Engel", *why]) == USER
    assert collected(played(2, 1), file, boot=5) == (0, [1, 2, 3])


def test_keep_going_goes_on_when_stopped(file, capsys):
    """Evidence is still collected; the alarm is shown once for all repeats."""
    collected(played(1, 1), file)
    entries = [(WHEEL_RESULT, result(30), 1), *played(1, 1)[1:], *played(2, 1)]
    assert collected(entries, file, "--keep-going") == (0, [1, 2, 3, 4, 5, 6])
    assert capsys.readouterr().out.count("ALARM conflict") == 1
    [alarm] = listed(file, capsys, "--alarms")[:1]
    assert alarm["kind"] == "conflict"


def test_gaps_are_listed(file, capsys):
    """What was missing, and why it is not waited for any more."""
    table = Repeater(7, 3, [])
    for _ in range(5):
        table.heartbeat()
    with Served(table) as served:
        assert run(["collect", served.url, "--db", str(file), "--for", "0.3"]) == 0
    [gap] = listed(file, capsys, "--gaps")
    assert gap["first"] == 1
    assert gap["last"] >= 5
    assert gap["closed_by"] == "nothing_waiting"
    for option in ("--gaps", "--tables", "--alarms"):
        assert run(["evidence", str(file), option]) == 0


def test_what_is_no_database_is_refused(file, capsys):
    """Exit code 1 with cause and next step; the table gets nothing; the file is unchanged."""
    file.write_bytes(b"no database at all " * 99)
    with Served(Repeater(7, 3, played(1, 1))) as served:
        assert run(["collect", served.url, "--db", str(file)]) == USER
        assert run(["evidence", str(file)]) == USER
    assert served.table.acknowledged == []
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("tabletool: error: this is not a database of tabletool")
    assert lines[1] == "likely cause: the file is not an SQLite database"
    assert file.read_bytes() == b"no database at all " * 99


def test_there_is_nothing_to_list(file, capsys):
    """Looking makes no file."""
    for words in ([], ["--release", "7", "--why", "x"]):
        assert run(["evidence", str(file), *words]) == USER
    assert "there is no database" in capsys.readouterr().err
    assert not file.exists()


def test_nobody_listens(file, capsys):
    """Exit code 3; the database is made all the same."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
    assert run(["collect", url, "--db", str(file)]) == UNREACHABLE
    assert "cannot open the port: connection refused" in capsys.readouterr().err
    assert records(file) == []


def test_a_defect_is_exit_code_2(file, monkeypatch, capsys):
    """An error that is not the file's is reported as such, and nothing is acknowledged."""

    def fail(*_, **_named):
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(Intake, "_insert", fail)
    assert collected(played(1, 1), file) == (INTERNAL, [])
    assert "internal: ZeroDivisionError: of all things" in capsys.readouterr().err
    assert records(file) == []


def test_a_locked_database_ends_it(file, monkeypatch, capsys):
    """Exit code 1, nothing acknowledged."""
    collected([], file)
    monkeypatch.setattr(engine, "BUSY_MS", 1)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        with Served(Repeater(7, 3, played(1, 1))) as served:
            monkeypatch.setattr(collect, "reach", locking(collect.reach, other))
            assert run(["collect", served.url, "--db", str(file), "--for", "0.5"]) == USER
        assert served.table.acknowledged == []
        assert "the database is locked: database is locked" in capsys.readouterr().err
    assert records(file) == []


def locking(reach, other):
    """Another program begins to write just before the table is asked."""

    def reach_table(watch):
        other.execute("BEGIN IMMEDIATE")
        return reach(watch)

    return reach_table


def test_a_disk_that_takes_no_more(file):
    """A real limit of the system: exit code 1, and what was acknowledged is in the file."""
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (900000, 900000));"
        "from tabletools.cli.main import main; main()"
    )
    with Served(Repeater(7, 3, played(1, 60), repeat_s=1.0)) as served:
        done = subprocess.run(
            [sys.executable, "-c", limited, "collect", served.url, "--db", str(file)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, "Traceback" in done.stderr) == (USER, False)
        assert done.stderr.startswith("tabletool: error: the database ")
        assert set(served.table.acknowledged) <= set(records(file))
        with until_acknowledged(served.table, 180):
            words = ["collect", served.url, "--db", str(file), "--for", str(LONG_S)]
            assert run(words) == 0
    assert sorted(records(file)) == sorted(served.table.acknowledged) == list(range(1, 181))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_interrupted(number, file):
    """A service manager's signal and Control-C: the sum, exit code 0."""
    with Served(Repeater(7, 3, played(1, 1))) as served:
        program = subprocess.Popen(
            [*PROGRAM, "collect", served.url, "--db", str(file)], stdout=subprocess.PIPE, text=True
        )
        with program:
            while "wheel_result" not in program.stdout.readline():
                pass
            program.send_signal(number)
            *_, last = program.stdout.read().splitlines()  # a repeat may come before it
            assert last.startswith("3 records stored, ")
        assert program.returncode == 0


def has_opened(file):
    """Whether the database knows a round and every value of the configuration."""
    with closing(sqlite3.connect(file)) as db:
        [count] = db.execute("SELECT count(DISTINCT key) FROM readings").fetchone()
        opened = db.execute("SELECT 1 FROM frames WHERE round = 1").fetchone()
        return count == len(KEYS) and opened is not None


def test_the_shipped_firmware_is_collected(file, capsys):
    """The emulated table by the wall clock: its first round is opened, stored and acknowledged."""
    serve = ["emulate", "roulette", "--serve", "127.0.0.1:0", "--no-acknowledge"]
    with subprocess.Popen([*PROGRAM, *serve], stdout=subprocess.PIPE, text=True) as table:
        try:
            url = f"socket://{table.stdout.readline().split()[-1]}"
            with until(lambda: has_opened(file)):
                assert run(["collect", url, "--db", str(file), "--for", str(LONG_S)]) == 0
        finally:
            table.send_signal(signal.SIGINT)
            assert table.wait(timeout=20) == 0
    [row] = listed(file, capsys)
    assert (row["round"], row["verdict"]) == (1, "unproved")
    opened, *_, played_by = listed(file, capsys, "--round", "1")
    values = played_by["values"]
    assert (values["min_circuits"], values["max_bet_ms"], values["wheel"]) == (7, 60_000, 1)
    assert None not in values.values()
    assert (opened["type"], opened["made"]) == ("round_opened", None)  # no key, no clock
    assert 6000 <= opened["uptime_ms"] < 6080  # opened within a control step of 6 s
    # Nobody watches the table any more.
    [state] = listed(file, capsys, "--tables")
    assert state["bets_open"] is False


def test_a_table_that_is_not_attested_is_said_once(file, capsys):
    """Without --manifest; as JSON too."""
    collected(played(1, 1), file)
    assert capsys.readouterr().out.count("the program of the table is not attested") == 1
    collected(played(2, 1), file, "--json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["outcome"] for row in rows if row["type"] == "program"] == ["none"]


def test_a_manifest_needs_its_key(file, tmp_path, capsys):
    """Neither alone, no unsigned one, and no database is made meanwhile."""
    manifest = tmp_path / "em.json"
    unsigned = {"manifest": {"release": 1, "version": "1", "files": []}, "signature": ""}
    manifest.write_text(json.dumps(unsigned))
    assert run(["release", "keygen", str(tmp_path / "house")]) == 0
    key = str(tmp_path / "house.pub")
    words = ["collect", "socket://127.0.0.1:1", "--db", str(file)]
    assert run([*words, "--manifest", str(manifest)]) == USER
    assert run([*words, "--key", key]) == USER
    assert run([*words, "--manifest", str(manifest), "--key", key]) == USER
    errors = capsys.readouterr().err
    assert errors.count("--manifest and --key go together") == 2
    assert "is not signed" in errors
    assert not file.exists()
