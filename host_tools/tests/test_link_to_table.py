"""The link and the monitor against the shipped firmware on the VM, over TCP and a PTY."""

import json
import signal
import subprocess
import sys
from itertools import pairwise

import pytest

from tabletools.cli import monitor
from tabletools.cli.main import run
from tabletools.link import Link, Received, Session
from tablewire.messages import FINGERPRINTS, HEARTBEAT

SERVE = [
    sys.executable,
    "-c",
    "from tabletools.cli.main import main; main()",
    "emulate",
    "roulette",
    "--wheel",
    "double",
]


@pytest.fixture(scope="module", params=["tcp", "pty"])
def url(request):
    """A table playing by the wall clock, and where it is reached."""
    place = ["--pty"] if request.param == "pty" else ["--serve", "127.0.0.1:0"]
    with subprocess.Popen([*SERVE, *place], stdout=subprocess.PIPE, text=True) as process:
        try:
            where = process.stdout.readline().split()[-1]
            yield where if request.param == "pty" else f"socket://{where}"
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 0


def test_the_link_identifies_a_table_and_hears_its_heart(url):
    """The table answers our nonce; heartbeats follow; at most the frame joined in is refused.

    A busy machine may have the board make one late: then the next two are compared.
    """
    session = Session(new_nonce=lambda: b"nonce 42")
    link = Link(url, session)
    beats = []
    for _ in range(1000):
        events = [event for event in link.step() if isinstance(event, Received)]
        beats += [event.frame for event in events if event.frame.type == HEARTBEAT]
        apart_ms = {b.uptime_ms - a.uptime_ms for a, b in pairwise(beats)}
        if session.identity is not None and 500 in apart_ms:
            break
    link.close()
    nonce, schema, *_, board, _, key_number = session.identity.values
    assert (nonce, schema, board.rstrip(b"\0")) == (b"nonce 42", FINGERPRINTS[1], b"emulated")
    assert key_number == 0
    assert 500 in apart_ms
    assert session.skipped <= 1


def test_the_monitor_shows_a_table(url, monkeypatch, capsys):
    """Who it is, that it is online, and that nothing of it is authenticated."""
    monkeypatch.setattr(monitor, "LOOK_S", 0.6)
    assert run(["monitor", url, "--once", "--json"]) == 0
    state = json.loads(capsys.readouterr().out)
    assert (state["link"], state["authenticated"], state["phase"]) == ("online", False, "closed")
