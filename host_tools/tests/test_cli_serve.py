"""`tabletool serve` and `tabletool users` as programs: first start, clean end, what is refused."""

import json
import re
import signal
import socket
import subprocess
import sys
from types import SimpleNamespace

import httpx
import pytest
from sqlalchemy import text

from host_tools.tests.rechained import rechain
from host_tools.tests.served import CHEAP
from host_tools.tests.test_chain import owned
from tabletools.api import passwords
from tabletools.api.server import listening
from tabletools.cli.main import run
from tabletools.errors import UNREACHABLE, UNSOUND, USER, ToolError
from tabletools.money import people_queries
from tabletools.pit import checkpoints
from tabletools.pit.settings import Settings
from tabletools.store import Store, StoreError

PROGRAM = [sys.executable, "-c", "from tabletools.cli.main import main; main()"]
TABLES = """\
[[table]]
name = "R1"
port = "socket://127.0.0.1:9"
device = 7
game = "roulette"
rules = "hc2023"
variant = "french"
"""


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch):
    """What a hash costs is not tested here; the program of `serving` hashes as shipped."""
    monkeypatch.setattr(passwords, "PasswordHasher", lambda: CHEAP)


@pytest.fixture
def words(tmp_path):
    """The command line of a host of one table that does not answer."""
    (tmp_path / "tables.toml").write_text(TABLES, encoding="utf-8")
    return ["--tables", str(tmp_path / "tables.toml"), "--db", str(tmp_path / "pit.ledger")]


@pytest.fixture
def serving(words):
    """A function that starts a host and returns the process and its first lines."""
    started = []

    def start(*more):
        process = subprocess.Popen(
            [*PROGRAM, "serve", *words, *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        lines = []
        while not lines or not lines[-1].startswith("serving "):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            lines.append(line.rstrip("\n"))
        return process, lines

    yield start
    for process in started:
        process.kill()
        process.communicate()


def ended(process, number):
    """End a host by a signal; returns the lines of its log."""
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return [json.loads(line) for line in errors.splitlines()]


def test_first_start_second_start(serving, words):
    """The first password is shown once; the port is free; both signals end the host."""
    process, lines = serving()
    output = re.fullmatch(r"first user: admin, password for the first login: (\S+)", lines[0])
    url = re.fullmatch(r"serving (http://127\.0\.0\.1:\d+)", lines[1])[1]
    body = {"name": "admin", "password": output[1]}
    answer = httpx.post(f"{url}/v1/login", json=body, headers={"Origin": url}, timeout=30)
    assert (answer.json()["role"], answer.json()["must_change_password"]) == ("supervisor", True)
    log = ended(process, signal.SIGTERM)
    events = [line["event"] for line in log]
    assert events[-1] == "ended"
    assert {"table_claimed", "link_unreachable", "request", "table_let_go"} <= set(events)
    assert output[1] not in json.dumps(log)
    process, lines = serving()
    assert len(lines) == 1
    assert ended(process, signal.SIGINT)[-1]["event"] == "ended"
    ledger = Store.open_existing(words[-1])
    with ledger.read() as db:
        assert people_queries.sessions_of(db, table=1) == []
        assert [row["action"] for row in people_queries.audit_rows(db)].count("table_claimed") == 2
    ledger.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_answers_are_sent_at_once(host):
    """TCP_NODELAY on each accepted connection: no answer waits for the ACK of the one before."""
    try:
        sock = listening(Settings(host=host))
    except ToolError:
        pytest.skip("no IPv6 here")
    with sock, socket.create_connection(sock.getsockname()[:2]), sock.accept()[0] as accepted:
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_in_use(words, capsys):
    """Exit code 3; no table is held and no file made."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code = run(["serve", *words, "--port", str(listener.getsockname()[1])])
    assert code == UNREACHABLE
    assert "next step: choose another port" in capsys.readouterr().err


def test_a_table_the_rules_refuse(words, tmp_path, capsys):
    """Said before anything is served: which table, what, what to do."""
    file = tmp_path / "tables.toml"
    file.write_text(TABLES.replace("hc2023", "hc1999"), encoding="utf-8")
    assert run(["serve", *words]) == USER
    assert "table R1" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["tables.toml"]


def test_a_password_of_a_database_is_not_shown(capsys):
    """What is wrong names the place without it."""
    assert run(["serve", "--db", "postgresql://pit:s3cret@127.0.0.1:1/pit"]) == USER
    said = capsys.readouterr().err
    assert "postgresql://pit:***@127.0.0.1:1/pit" in said
    assert "s3cret" not in said


def test_users_of_a_ledger_that_cannot_be_written(tmp_path, capsys, monkeypatch):
    """A full disk, a file without the right to write: explained, not an internal error."""
    db = ["--db", str(tmp_path / "pit.ledger")]
    assert run(["users", "add", "A. Engel", "--role", "dealer", *db]) == 0

    def refuse(*_args, **_kwargs):
        raise StoreError("the database is read-only", "no right", "copy it")

    monkeypatch.setattr("tabletools.store.people.create_user", refuse)
    monkeypatch.setattr("tabletools.store.people.change_user", refuse)
    capsys.readouterr()
    for words in (["add", "Zoe", "--role", "dealer"], ["disable", "A. Engel"]):
        assert run(["users", *words, *db]) == USER
        assert "tabletool: error: the database is read-only" in capsys.readouterr().err


def test_users_by_command(tmp_path, capsys):
    """Added with a password for one login, listed without it, disabled, given another role."""
    db = ["--db", str(tmp_path / "pit.ledger")]
    assert run(["users", "add", "A. Engel", "--role", "dealer", *db]) == 0
    output = capsys.readouterr().out
    assert re.fullmatch(r"A\. Engel: password for the first login: [a-z2-9-]{19}\n", output)
    assert run(["users", "role", "A. Engel", "supervisor", *db]) == 0
    assert run(["users", "disable", "A. Engel", *db]) == 0
    assert capsys.readouterr().out == "A. Engel: supervisor\nA. Engel: disabled\n"
    assert run(["users", "list", "--json", *db]) == 0
    [row] = map(json.loads, capsys.readouterr().out.splitlines())
    assert (row["name"], row["role"], row["enabled"]) == ("A. Engel", "supervisor", False)
    assert "password_hash" not in row
    for wrong in (
        ["role", "A. Engel", "king"],
        ["enable", "Zoe"],
        ["add", "A. Engel", "--role", "dealer"],
        ["add", "Zoe", "--role", "king"],
    ):
        assert run(["users", *wrong, *db]) == USER
        assert capsys.readouterr().err.startswith("tabletool: error: ")
    assert run(["users", "password", "A. Engel", *db]) == 0
    assert capsys.readouterr().out.startswith("A. Engel: password for the first login: ")


@pytest.mark.parametrize("bad", ["a\udc80", "a\nb", "\x1b[31m"])
def test_text_that_a_terminal_cannot_show_is_refused(bad, tmp_path, capsys):
    """A name or a reason of bytes that are no UTF-8, or that would draw a line of its own."""
    db = ["--db", str(tmp_path / "pit.ledger")]
    for name in ("Sue", "Sam"):
        assert run(["users", "add", name, "--role", "supervisor", *db]) == 0
    for words in (
        ["disable", bad],
        ["password", "Sue", "--alone", bad],
        ["add", "Tom", "--role", "dealer", "--alone", bad],
    ):
        assert run(["users", *words, *db]) == USER
        error = capsys.readouterr().err
        assert ("cannot be shown" in error, bad in error) == (True, False), words
    assert run(["evidence", db[1], "--alarms"]) == 0
    assert "rights" not in capsys.readouterr().out


def test_rights_by_command_need_a_reason_once_two_supervisors_have_a_password(tmp_path, capsys):
    """Easy for the first two; then the console, or a reason that an alarm and the log show."""
    place = tmp_path / "pit.ledger"
    db = ["--db", str(place)]
    for name in ("Sue", "Sam"):
        assert run(["users", "add", name, "--role", "supervisor", *db]) == 0
    assert run(["users", "disable", "Sam", *db]) == 0
    widenings = (
        ["add", "Pia", "--role", "dealer"],
        ["role", "Sam", "dealer"],
        ["enable", "Sam"],
        ["password", "Sam"],
    )
    for words in widenings:
        capsys.readouterr()
        assert run(["users", *words, *db]) == USER
        assert "two supervisors" in capsys.readouterr().err
    assert run(["users", "password", "Sam", "--alone", "he lost it", *db]) == 0
    ledger = Store.open(place)
    with ledger.read() as ledger_db:
        [alarm] = people_queries.alarm_rows(ledger_db, 0)
        actions = [row["action"] for row in people_queries.audit_rows(ledger_db)]
    ledger.close()
    assert alarm["kind"] == "rights"
    assert alarm["text"] == "user 'Sam' has a new password by the command line: he lost it"
    assert {"rights_alone", "user_changed"} <= set(actions[:2])


def test_the_key_of_checkpoints_of_a_database_is_made_on_a_fresh_machine(tmp_path, monkeypatch):
    """Its folder too, where the key of sessions is elsewhere, which else makes it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "fresh"))
    ledger = SimpleNamespace(place="postgresql+psycopg://pit@db.house/pit")
    first = checkpoints.signing_key(Settings(), ledger)
    again = checkpoints.signing_key(Settings(), ledger)
    assert first.private_bytes_raw() == again.private_bytes_raw()
    assert (tmp_path / "fresh/tablewire").stat().st_mode & 0o777 == 0o700


def test_checkpoints_are_signed_without_a_setting(serving, tmp_path, capsys):
    """Key, file and event at the first start; `verify` finds them beside the ledger by itself.

    The owner gives an audit row to another name and computes the chain again.
    """
    process, _ = serving()
    ended(process, signal.SIGINT)
    place = tmp_path / "pit.ledger"
    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.glob("pit.ledger.*")}
    assert modes["pit.ledger.checkpoint.key"] == modes["pit.ledger.checkpoints"] == 0o600
    assert run(["ledger", "verify", str(place)]) == 0
    out = capsys.readouterr().out
    assert "1 checkpoints agree, the last of entry" in out
    assert "not proved by those beside the ledger: that no one who has the files" in out
    ledger = Store.open(place)
    with ledger.read() as db:
        [line] = db.execute(
            text("SELECT data FROM outbox WHERE type = 'tablewire.ledger.checkpoint'")
        ).scalars()
    ledger.close()
    sent = json.loads(line)["line"]
    assert (tmp_path / "pit.ledger.checkpoints").read_text() == sent + "\n"
    with owned(place) as db:
        db.execute("UPDATE audit_log SET who = 'Mallory' WHERE action = 'user_created'")
    rechain(place)
    assert run(["ledger", "verify", str(place)]) == UNSOUND
    assert "1 of 1 checkpoints not of this ledger" in capsys.readouterr().err
    (tmp_path / "pit.ledger.checkpoints").unlink()
    assert run(["ledger", "verify", str(place)]) == 0
    assert "not proved without --checkpoint" in capsys.readouterr().out
