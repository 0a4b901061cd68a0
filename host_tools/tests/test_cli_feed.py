"""`tabletool feed`, `consume` and `wheelline` as commands: what they do, say and refuse."""

import json
import socket
import subprocess
import sys
import threading
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from host_tools.tests import mosquitto, postgresql
from host_tools.tests.left_out import leave_out
from host_tools.tests.mosquitto import Mosquitto
from host_tools.tests.pit import Pit
from host_tools.tests.private_server import free_port
from host_tools.tests.served import until
from tabletools.cli.main import run
from tabletools.cms import Broker
from tabletools.cms.consumer import Consumer, Landing
from tabletools.cms.wheel_line import serve_lines

SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PROGRAM = "from tabletools.cli.main import main; main()"
HAS_BROKER = mosquitto.binary() is not None
if not HAS_BROKER:
    leave_out("Mosquitto", "the broker's side of events", mosquitto.HOW)


@pytest.fixture
def ledger(tmp_path):
    """A ledger with one settled round: three events."""
    pit = Pit(str(tmp_path / "pit.ledger"))
    pit.play(1, 17, (pit.ada, "red", 500))
    pit.ledger.close()
    return str(tmp_path / "pit.ledger")


def test_events_go_into_a_file_once(ledger, tmp_path, capsys):
    """Three the first time, none the second; in order, settled last."""
    file = tmp_path / "events.jsonl"
    words = ["feed", "--db", ledger, "--file", str(file), "--once"]
    assert (run(words), run(words)) == (0, 0)
    assert capsys.readouterr().out == "3 events sent\n0 events sent\n"
    kinds = [json.loads(line)["type"] for line in file.read_text().splitlines()]
    assert kinds == ["tablewire.round.opened", "tablewire.bets.closed", "tablewire.round.settled"]


@pytest.mark.skipif(not HAS_BROKER, reason="no Mosquitto here; listed in the closing line")
def test_events_go_over_a_broker_and_land(ledger, tmp_path, capsys):
    """A consumer that was there before is sent what it missed: three events are in its file."""
    broker = Mosquitto(tmp_path / "broker").start()
    landed = tmp_path / "landed.sqlite"
    with closing(Landing(landed)) as landing:
        consumer = Consumer(Broker.from_url(broker.url), landing, "cms")
        consumer.step()
        consumer.close()
    feed = ["feed", "--db", ledger, "--mqtt", broker.url, "--wait-for-reader", "--once"]
    take = ["consume", "--mqtt", broker.url, "--db", str(landed), "--name", "cms", "--count", "3"]
    assert (run(feed), run(take)) == (0, 0)
    broker.stop()
    said = capsys.readouterr().out
    assert said == "3 events sent\n3 events landed, 0 repeats, 0 refused\n"


def test_a_broker_that_is_not_there_is_exit_code_3(ledger, capsys):
    """What, where, and that nothing is lost."""
    port = free_port()
    assert run(["feed", "--db", ledger, "--mqtt", f"mqtt://127.0.0.1:{port}", "--once"]) == 3
    said = capsys.readouterr().err
    assert f"127.0.0.1:{port}" in said
    assert "nothing is lost: send again" in said


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "nowhere to send events"),
        (["--mqtt", "http://broker"], "is not a broker"),
        (["--webhook", "https://cms.example/"], "a webhook needs a file of secrets"),
        (["--webhook", "http://cms.example/", "--secrets", "SECRETS"], "is not encrypted"),
        (["--mqtt", "mqtts://broker", "--ca", "nowhere.pem"], "certificates: "),
    ],
)
def test_options_that_will_not_do_are_refused(ledger, tmp_path, capsys, words, why):
    """Exit code 1, with what is wrong."""
    (tmp_path / "secrets").write_text(f"{SECRET}\n")
    arguments = [str(tmp_path / "secrets") if word == "SECRETS" else word for word in words]
    assert run(["feed", "--db", ledger, *arguments]) == 1
    assert why in capsys.readouterr().err


def test_dead_letters_are_listed_and_sent_again(ledger, tmp_path, capsys):
    """None here: the list is empty, and none is sent again."""
    (tmp_path / "secrets").write_text(f"{SECRET}\n")
    url = f"http://127.0.0.1:{free_port()}/"
    words = ["feed", "--db", ledger, "--webhook", url, "--secrets", str(tmp_path / "secrets")]
    assert run([*words, "--dead", "--retry-dead"]) == 0
    assert capsys.readouterr().out == f"webhook:{url}: 0 events are sent again\n"


def test_a_ledger_that_is_not_there_is_refused(tmp_path, capsys):
    """Nothing is made."""
    missing = tmp_path / "no.ledger"
    assert run(["feed", "--db", str(missing), "--file", str(tmp_path / "x"), "--once"]) == 1
    assert f"there is no database ({missing})" in capsys.readouterr().err
    assert not missing.exists()


def test_a_database_that_is_away_is_waited_for(cluster, shared_ledger, tmp_path):
    """The publisher starts before its database: it says why, and sends what is there then."""
    postgresql.empty(shared_ledger)
    pit = Pit(shared_ledger)
    pit.play(1, 17, (pit.ada, "red", 500))
    pit.ledger.close()
    file = tmp_path / "events.jsonl"
    words = ["feed", "--db", shared_ledger, "--file", str(file)]
    cluster.stop()
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *words], stderr=subprocess.PIPE, text=True
        )
        line = process.stderr.readline()
    finally:
        cluster.start()
    with process:
        assert line.startswith("waiting for the database: the database cannot be reached: ")
        assert urlsplit(shared_ledger).netloc in line
        until(lambda: file.exists() and len(file.read_bytes().splitlines()) == 3)
        process.terminate()
        assert process.wait(60) == 0
        others = (
            process.stderr.read().splitlines()
        )  # while the database starts, its reason is another
        assert all(other.startswith("waiting for the database: ") for other in others)


def test_an_end_is_not_waited_for(shared_ledger, tmp_path, capsys):
    """With --once a database that is away is an error, as a broker is."""
    away = shared_ledger.replace(f":{urlsplit(shared_ledger).port}/", f":{free_port()}/")
    assert run(["feed", "--db", away, "--file", str(tmp_path / "x"), "--once"]) == 1
    assert "the database cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["read", "/dev/null/x", "--dialect", "ss2"], 3, "cannot open the port"),
        (["read", "/dev/null/x", "--dialect", "other"], 1, "use ss2 or mercury"),
        (["out", "--db", "LEDGER", "--table", "1"], 1, "one way out is needed"),
        (["out", "--db", "LEDGER", "--table", "1", "--listen", "x"], 1, "cannot listen"),
    ],
)
def test_wheelline_refuses(ledger, capsys, words, code, why):
    """An invalid port, an unknown dialect or no sink gives an error message and its exit code."""
    arguments = [ledger if word == "LEDGER" else word for word in words]
    assert run(["wheelline", *arguments]) == code
    assert why in capsys.readouterr().err


def test_displays_are_sent_lines_and_may_go(tmp_path):
    """Two displays connect; one goes; the other is sent line after line."""
    stop, wire_lines = threading.Event(), iter(b"*X;%d\r\n" % n for n in range(10_000))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(
            target=serve_lines, args=(listener, lambda: next(wire_lines), stop)
        )
        thread.start()
        address = listener.getsockname()
        socket.create_connection(address).close()
        with socket.create_connection(address, 10) as display, display.makefile("rb") as lines:
            first, second = lines.readline(), lines.readline()
        stop.set()
        thread.join()
    assert int(second[3:]) == int(first[3:]) + 1


def test_a_second_process_takes_over_from_a_killed_one(ledger_place, tmp_path):
    """Two feed one file; the one that does is killed: nine events of three rounds, each once."""
    pit = Pit(ledger_place)
    file = tmp_path / "events.jsonl"
    file.touch()
    words = [sys.executable, "-c", PROGRAM, "feed", "--db", ledger_place, "--file", str(file)]

    def play(number):
        pit.play(number, 17, (pit.ada, "red", 500))
        until(lambda: len(file.read_bytes().splitlines()) == 3 * number, 60)

    with subprocess.Popen(words) as first:
        play(1)
        with subprocess.Popen(words) as second:
            play(2)
            first.kill()
            first.wait(30)
            play(3)
            second.terminate()
            assert second.wait(60) == 0
    pit.ledger.close()
    ids = [json.loads(line)["id"] for line in file.read_text().splitlines()]
    assert [one for one in ids if one.startswith("round-")] == [
        "round-1-1",
        "round-2-1",
        "round-3-1",
    ]
    assert len(set(ids)) == 9
