"""What is read ends with the one who asked for it, and with the host."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import pytest
from sqlalchemy import text

from host_tools.tests import postgresql
from host_tools.tests.served import Host
from tabletools.money import people_queries

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(*) FROM n"
SLOW_HOST = f"""
from threading import Event
from types import SimpleNamespace
from sqlalchemy import text
from tabletools.api import health_routes, server
from tabletools.cli.main import main

def read(db):
    print("reading", flush=True)
    db.execute(text({ENDLESS!r}))

def compute(db):
    print("reading", flush=True)
    Event().wait()

server.READ_S = {{limit_s}}
health_routes.people_queries = SimpleNamespace(has_users={{slow}})
main()
"""
GET = "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n"
LATE = "ended_late"
LIMIT_S = 60.0
"""Longer than the test may take: what ends earlier was ended by something else."""


@pytest.fixture(params=["sqlite", "postgresql"])
def slow_host(request, tmp_path, monkeypatch):
    """A host one of whose pages reads without end; begun, ended: it began, and how it ended."""
    place = str(tmp_path / "ledger")
    if request.param == "postgresql":
        place = request.getfixturevalue("shared_ledger")
        postgresql.empty(place)
    with Host(place) as host:
        host.begun, host.ended, host.errors = threading.Event(), threading.Event(), []

        def read(db, **_):
            host.begun.set()
            try:
                db.execute(text(ENDLESS))
            except Exception as error:
                host.errors.append(error)
                raise
            finally:
                host.ended.set()

        host.user("Sue", "supervisor")
        host.sue = host.login("Sue")
        monkeypatch.setattr(people_queries, "audit_rows", read)
        host.ledger.read_limit_s = LIMIT_S
        yield host
    host.ledger.close()


def asked(url, path, cookies=()):
    """A connection on which a page was requested."""
    place = urlsplit(url)
    line = socket.create_connection((place.hostname, place.port))
    cookie = "; ".join(f"{name}={value}" for name, value in dict(cookies).items())
    line.sendall(GET.format(path=path, host=place.netloc, cookie=cookie).encode())
    return line


def test_a_request_ends_when_its_reader_leaves(slow_host):
    """And no interruption comes late, to a statement of another reader."""
    line = asked(slow_host.url, "/v1/audit", slow_host.sue.cookies)
    assert slow_host.begun.wait(LIMIT_S / 2)
    line.close()
    assert slow_host.ended.wait(LIMIT_S / 2)
    assert len(slow_host.errors) == 1
    for _ in range(20):
        with slow_host.ledger.read() as db:
            assert db.execute(text("SELECT 1")).scalar_one() == 1


@pytest.mark.parametrize(("slow", "code", "last"), [("read", 0, "ended"), ("compute", 1, LATE)])
def test_a_host_ends_within_five_seconds_of_a_signal(tmp_path, slow, code, last):
    """Nobody leaves: a statement is interrupted; what cannot be, ends with the process."""
    words = ["serve", "--db", str(tmp_path / "pit.ledger"), "--port", "0"]
    program = SLOW_HOST.format(limit_s=LIMIT_S, slow=slow)
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = ""
        while not said.startswith("serving "):
            said = process.stdout.readline()
        with asked(said.split()[1], "/v1/ready"):
            while process.stdout.readline() != "reading\n":
                pass
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(LIMIT_S) == code
            assert time.monotonic() - begun < 5
        *_, line = process.stderr.read().splitlines()
        assert json.loads(line)["event"] == last
    finally:
        process.kill()
        process.communicate()
