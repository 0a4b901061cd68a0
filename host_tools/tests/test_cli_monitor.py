"""`tabletool monitor` as a program, against a table on a TCP port of this machine."""

import json
import os
import re
import select
import socket
import subprocess
import sys
import termios
import threading
from contextlib import contextmanager

import pytest

from tabletools.cli import monitor, reach
from tabletools.cli.main import run
from tabletools.link.far_end import STRANGE
from tablewire.messages import HEARTBEAT, ROUND_OPENED, SEED, STATE
from tablewire.sender import Sender

PROGRAM = [sys.executable, "-c", "from tabletools.cli.main import main; main()"]
OPENED_WITHIN_S = 0.3
BEAT = (2, 0, 255, -1, 142, 0, 0, 0, 180000, 96_000)


def spoken(seed=SEED):
    """The bytes a table sends in half a second."""
    table = Sender(7, 3, seed)
    table.round = 12
    opened = table.build(ROUND_OPENED, (2, 7, 60000), 2)
    return opened + table.build(HEARTBEAT, BEAT) + table.build(STATE, (2, 1))


@contextmanager
def table_saying(data, *, hangs_up=False):
    """Serve one reader with these bytes.

    Yields the URL and what the reader writes. Bytes sent at once would be thrown away: pyserial
    empties its buffer when it opens.
    """
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)

        def serve():
            client, _ = server.accept()
            with client:
                select.select([client], [], [], OPENED_WITHIN_S)
                client.sendall(data)
                while not hangs_up and (got := client.recv(4096)):
                    heard.append(got)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"socket://127.0.0.1:{server.getsockname()[1]}", heard
        finally:
            thread.join(timeout=10)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """The frames have been sent before the monitor starts."""
    monkeypatch.setattr(monitor, "LOOK_S", 0.2)


def test_once(capsys):
    """The picture is printed and the program ends."""
    with table_saying(spoken()) as (url, heard):
        assert run(["monitor", url, "--once"]) == 0
    out = capsys.readouterr().out
    for words in ("ONLINE", "UNAUTHENTICATED", "device 7", "BETS OPEN", "round 12"):
        assert words in out
    assert b"".join(heard).count(b"\0") == 1  # identify, and no acknowledgement


def test_once_as_json(capsys):
    """One object with the state of the table and of the link."""
    with table_saying(spoken()) as (url, _):
        assert run(["monitor", url, "--once", "--json"]) == 0
    state = json.loads(capsys.readouterr().out)
    assert (state["type"], state["link"], state["authenticated"]) == ("table", "online", False)
    assert (state["device"], state["phase"], state["round"]) == (7, "bets_open", 12)


def test_json_lines_for_a_time(capsys):
    """Records as lines while it lasts, the link's own notices among them."""
    with table_saying(spoken()) as (url, _):
        assert run(["monitor", url, "--json", "--for", "0.2"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    names = [record.get("event", record["type"]) for record in records]
    assert names == ["connected", "online", "round_opened", "heartbeat", "state"]


def test_lines_where_there_is_no_terminal(capsys):
    """Without a terminal and --json: the lines `decode` writes."""
    with table_saying(b"\x55\xaa\0" + spoken()) as (url, _):
        assert run(["monitor", url, "--for", "0.2"]) == 0
    out = capsys.readouterr().out
    assert "skipped 3 bytes at 0: cobs" in out
    assert "round 12    round_opened   bets open, double zero" in out


def test_what_passes_is_recorded(tmp_path, capsys):
    """--record keeps both directions in a capture that decode reads."""
    path = tmp_path / "night.capture"
    with table_saying(spoken()) as (url, _):
        assert run(["monitor", url, "--for", "0.2", "--record", str(path)]) == 0
    capsys.readouterr()
    assert run(["decode", str(path), "--json", "--commands", "--strict"]) == 0
    names = [json.loads(line)["type"] for line in capsys.readouterr().out.splitlines()]
    assert sorted(names) == ["heartbeat", "identify", "round_opened", "state"]


def test_a_picture_is_saved(tmp_path):
    """The picture as SVG, for documents."""
    path = tmp_path / "picture.svg"
    with table_saying(spoken()) as (url, _):
        assert run(["monitor", url, "--once", "--save-svg", str(path)]) == 0
    picture = path.read_text(encoding="utf-8")
    assert "UNAUTHENTICATED" in picture
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", picture)


def test_nobody_listens(capsys):
    """Exit code 3, with cause and next step."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
    assert run(["monitor", url]) == 3
    error = capsys.readouterr().err.splitlines()
    assert error[0] == f"tabletool: error: cannot open the port: connection refused ({url})"
    assert error[1:] == [
        "likely cause: nothing listens there",
        "next step: start the table, for example: tabletool emulate roulette --serve HOST:PORT",
    ]


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"", "the table has no power, TX and RX are swapped, or this is the port of its USB"),
        (b"\x55\xaa\0" * 5, STRANGE),
        (
            spoken(seed=0x677ABCFC),
            f"the sender uses another wire: its CRC has seed 0x677ABCFC, here 0x{SEED:08X}",
        ),
    ],
)
def test_a_port_without_a_table(data, cause, monkeypatch, capsys):
    """Something is there but no table answers: exit code 3 and the likeliest cause."""
    monkeypatch.setattr(reach, "ANSWER_WITHIN_S", 1.0)
    with table_saying(data) as (url, _):
        assert run(["monitor", url, "--once"]) == 3
    error = capsys.readouterr().err.splitlines()
    what = "15 bytes came, no frames: .." if data[:1] == b"\x55" else "the table does not answer"
    assert error[0].startswith(f"tabletool: error: {what}")
    assert f"({url}, 0 frames" in error[0]
    assert error[1] == f"likely cause: {cause}"
    assert error[2].startswith("next step: ")
    assert error[3] == "last frames:"
    assert not any(line.endswith("  identify") for line in error)  # nothing was written
    assert sum("  refused: " in line for line in error) == data.count(b"\0")


def test_a_table_that_is_gone_at_the_end(capsys):
    """--for ends with exit code 3 when the table is offline by then."""
    with table_saying(spoken(), hangs_up=True) as (url, _):
        assert run(["monitor", url, "--for", "0.3"]) == 3
    captured = capsys.readouterr()
    assert "link disconnected: the port was lost" in captured.out
    assert "tabletool: error: " in captured.err


def test_a_record_that_cannot_be_written(tmp_path, capsys):
    """The file is opened before the port: nothing is watched that was to be kept."""
    assert run(["monitor", "socket://127.0.0.1:9", "--record", str(tmp_path)]) == 1
    assert "cannot write the file" in capsys.readouterr().err


def test_the_live_picture_on_a_terminal():
    """On a terminal the picture uses the alternate screen, which is left at the end."""
    screen = shown_on("xterm-256color")
    assert "\x1b[?1049h" in screen
    assert screen.rindex("\x1b[?1049l") > screen.rindex("BETS OPEN")


def test_a_terminal_that_cannot_draw_gets_lines():
    """TERM=dumb (an editor's shell, a log): the lines of a pipe, not an empty screen."""
    screen = shown_on("dumb")
    assert "round_opened   bets open" in screen
    assert "\x1b" not in screen


def shown_on(terminal):
    """What half a second of monitor writes to a terminal of that name."""
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (24, 80))
    with table_saying(spoken()) as (url, _):
        process = subprocess.Popen(
            [*PROGRAM, "monitor", url, "--for", "0.5"],
            stdout=slave,
            env={**os.environ, "TERM": terminal},
        )
        os.close(slave)
        screen = b"".join(iter(lambda: read_or_end(master), b"")).decode()
        assert process.wait(timeout=20) == 0
    os.close(master)
    return screen


def read_or_end(descriptor):
    """Read from a terminal; Linux reports the end of the other side as an error."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""
