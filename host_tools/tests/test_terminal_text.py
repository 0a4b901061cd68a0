"""Text from outside steers no terminal: of files, databases, receivers, lines, command lines."""

import json
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading

import pytest

from host_tools.tests.pit import Pit
from tabletools.cli.standard_streams import drawing
from tabletools.errors import ToolError
from tabletools.terminal_text import printable

# Runs command lines one after the other; each ends with a line of its own.
PROGRAM = """
import json, sys
from tabletools.cli.main import run
from tabletools.cli.standard_streams import set_up
set_up()
for words in json.load(sys.stdin):
    run(words)
    sys.stderr.flush()
    print("====", flush=True)
"""
# Sets the title and the colour, moves up, clears; a C1 control; reverses the reading order.
EVIL = "\x1b]0;owned\x07\x1b[31m\x1b[2A\r\x9b2J\u202eowned\u2066"
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
HOST = '[[table]]\nname = {0}\nport = "/dev/null"\ndevice = 7\ngame = {1}\nrules = "hc2023"\n'


def quote(text):
    """As JSON, and TOML, write it."""
    return json.dumps(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files that another person has made."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "table.toml").write_text(f"{quote(EVIL)} = 1\n", encoding="utf-8")
    (outside / "name.toml").write_text(HOST.format(quote(EVIL), '"nothing"'), encoding="utf-8")
    (outside / "game.toml").write_text(HOST.format('"R1"', quote(EVIL)), encoding="utf-8")
    (outside / "night.capture").write_text(f"{EVIL}\n", encoding="utf-8")
    pit = Pit(str(outside / "pit.ledger"))
    pit.play(1, 1, (pit.ada, "red", 1000))
    pit.ledger.close()
    with sqlite3.connect(outside / "pit.ledger") as db:
        for (trigger,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
            db.execute(f'DROP TRIGGER "{trigger}"')
        db.execute("UPDATE users SET name = ? || id", (EVIL,))
        db.execute("UPDATE tables SET name = ?", (EVIL,))
    return outside


@pytest.fixture
def receiver():
    """The address of a receiver that answers with this text."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            for _ in range(20):
                try:
                    line, _ = server.accept()
                except OSError:
                    return
                with line:
                    line.recv(65536)
                    line.sendall(f"{EVIL}\r\n\r\n".encode())

        threading.Thread(target=answer, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        server.shutdown(socket.SHUT_RDWR)


COMMANDS = {
    "explain": ["explain", EVIL],
    "an option": ["decode", f"--{EVIL}", "x"],
    "a file": ["decode", f"/nowhere/{EVIL}"],
    "a capture": ["decode", "night.capture"],
    "a port": ["monitor", f"/dev/{EVIL}", "--once"],
    "a table's file": ["config", "check", "table.toml"],
    "a table's name": ["serve", "--config", "name.toml", "--check"],
    "a game": ["config", "check", "game.toml"],
    "a keyring": ["keys", "list", "--keys", EVIL],
    "users": ["users", "list", "--db", "pit.ledger"],
    "an audit": ["audit", "--db", "pit.ledger", "--table", EVIL],
}


def said(commands, folder):
    """What each command prints."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        input=json.dumps(commands).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
        timeout=120,
    )
    return done.stdout.decode().split("====\n")[:-1]


def test_no_text_from_outside_steers_a_terminal(folder):
    """It is printed, as an escape."""
    texts = said(list(COMMANDS.values()), folder)
    for name, text in zip(COMMANDS, texts, strict=True):
        assert not UNSAFE.search(text), (name, text)
        assert "owned" in text, (name, text)
        assert "internal" not in text, (name, text)


def test_a_receiver_steers_no_terminal(folder, receiver, tmp_path):
    """What it answers is the reason that is printed."""
    place = shutil.copy(folder / "pit.ledger", tmp_path / "pit.ledger")
    (tmp_path / "secrets").write_text("whsec_" + "QUJD" * 8 + "\n", encoding="utf-8")
    words = ["feed", "--db", str(place), "--once", "--webhook", receiver, "--secrets", "secrets"]
    [text] = said([words], tmp_path)
    assert not UNSAFE.search(text), text
    assert "owned" in text


def test_what_steers_is_written_as_json_writes_it():
    """Names in other scripts, tabs and new lines stay; a message is one line."""
    assert printable("Zoë\t1\n") == "Zoë\t1\n"
    assert printable("a\nb\r", keeps="") == "a\\u000ab\\u000d"
    assert printable(EVIL) == (
        "\\u001b]0;owned\\u0007\\u001b[31m\\u001b[2A\\u000d\\u009b2J\\u202eowned\\u2066"
    )
    assert json.loads(f'"{printable(EVIL)}"') == EVIL
    [line] = ToolError("one\ntwo").lines()
    assert line == "tabletool: error: one\\u000atwo"


def test_a_picture_may_steer(tmp_path):
    """A stream without a filter is drawn on as it is; behind the program's own, likewise."""
    assert drawing(sys.__stdout__) is sys.__stdout__
    script = (
        "import sys; from tabletools.cli.standard_streams import set_up, drawing; set_up();"
        "print('\\x1b[1m', 'a', sep=''); print('\\x1b[1m', file=drawing(sys.stdout))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"\\u001b[1ma\n\x1b[1m\n"
