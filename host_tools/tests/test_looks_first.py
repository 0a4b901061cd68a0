"""No command writes to a port before it knows what is there: both ports of a table at play."""

import contextlib
import os
import threading
import time
import tty

import pytest

from host_tools.tests.emulated import Played
from tableemulator.board.stock import StockBoard
from tableemulator.machines.repeater import Served
from tableemulator.shipped_controller import program
from tablespec import provisioning
from tabletools import flash
from tabletools.cli import flash as flash_command
from tabletools.cli.main import run
from tabletools.errors import UNREACHABLE, ToolError
from tabletools.link import Link, Received, Session
from tablewire.messages import HEARTBEAT, PHASE_BETS_OPEN, PHASE_NO_MORE_BETS

FLASH = ["flash", "--board", "rpi_pico2", "--role", "roulette"]


@pytest.fixture(scope="module")
def table():
    """A board at play on the bench: its console is open, so Control-C would stop it."""
    files = dict(program())
    files |= dict.fromkeys(flash.CONFIGURATION_FILES, provisioning.configuration())
    with StockBoard(files=files) as board:
        while beat(board)[1] != PHASE_BETS_OPEN:
            pass
        yield board


@pytest.fixture
def empty(tmp_path):
    file = tmp_path / "none.json"
    file.touch(mode=0o600)
    file.write_text("{}")
    return ["--keys", str(file)]


def beat(board):
    """(boot, values) of a heartbeat without what time alone changes: circuits, memory."""
    link = Link(board.link, Session())
    end = time.monotonic() + 5
    try:
        while time.monotonic() < end:
            for event in link.step():
                if isinstance(event, Received) and event.frame.type == HEARTBEAT:
                    values = event.frame.values
                    return event.frame.boot, values[0], values[1], *values[5:8]
    finally:
        link.close()
    raise AssertionError("no heartbeat")


@pytest.mark.parametrize("words", [["port"], ["diag"], ["monitor", "--once"]], ids=lambda w: w[0])
@pytest.mark.parametrize("line", ["prompt", "link"])
def test_a_running_table_goes_on(table, capsys, empty, words, line):
    """Same boot, phase, faults, records and noise on its line before and after; it never stops."""
    before, writes = beat(table), table.writes
    code = run([words[0], getattr(table, line), *words[1:], *empty])
    assert (code == 3) == (line == "prompt")
    assert not table.is_at_prompt
    assert beat(table) == before
    assert table.writes == writes
    capsys.readouterr()


def test_flash_refuses_the_link_of_a_table(table, capsys, empty):
    """Nothing is written there: to the table it would be noise."""
    before = beat(table)
    assert run([*FLASH, "--port", table.link, "--no-key", *empty]) == 3
    assert "a table answers here, so this is its link, not a prompt" in capsys.readouterr().err
    assert beat(table) == before


def test_a_raw_repl_that_was_left_behind_is_a_prompt(capsys, empty):
    """A session of mpremote was killed: the board does not answer Enter any more."""
    with StockBoard() as board:
        line = os.open(board.prompt, os.O_RDWR | os.O_NOCTTY)
        os.write(line, b"\r\x01")
        heard = b""
        while not heard.endswith(b"raw REPL; CTRL-B to exit\r\n>"):
            heard += os.read(line, 4096)
        os.close(line)
        assert run(["port", board.prompt, *empty]) == 0
        assert "MicroPython 1.29.0 at its prompt" in capsys.readouterr().out


class Chatty:
    """A PTY where text comes without a pause, whatever is written. received: what was."""

    def __init__(self):
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)
        self.received = b""
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._chat)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()
        os.close(self._slave)
        os.close(self._master)

    def _chat(self):
        while not self._ends.wait(0.01):
            with contextlib.suppress(BlockingIOError):
                self.received += os.read(self._master, 4096)
            with contextlib.suppress(BlockingIOError):
                os.write(self._master, b"17.3 C, 1013 hPa\r\n")


@pytest.fixture
def chatty():
    with Chatty() as line:
        yield line


@pytest.mark.parametrize("usb", [[], ["Raspberry Pi Pico"]], ids=["no board", "board"])
def test_text_without_a_pause_is_named_as_such(chatty, capsys, empty, monkeypatch, usb):
    """`flash` ends within its limit, `port` and `diag` say what comes; a board gets Control-C."""
    monkeypatch.setattr("tabletools.flash.prompt._PROMPT_WITHIN_S", 0.5)
    monkeypatch.setattr("tabletools.flash.prompt.at_usb", lambda _: usb)
    assert run([*FLASH, "--port", chatty.path, "--no-key", *empty]) == 3
    error = capsys.readouterr().err
    began = "no prompt 0.5 s after Control-C" if usb else "nothing was written there"
    assert f"{began}: text comes, no frames" in error
    assert "1013 hPa" in error
    assert (b"\x03" in chatty.received) == bool(usb)
    if usb:
        return
    assert run(["port", chatty.path, *empty]) == 3
    assert "text comes, no frames" in capsys.readouterr().out
    assert run(["diag", chatty.path, *empty]) == 3
    error = capsys.readouterr().err
    assert "text comes, no frames" in error
    assert "this is not the link of a table" in error
    assert chatty.received == b""


@pytest.fixture
def spinning():
    """The link of a table that reports a running ball."""
    table = Played()
    table.number = 0
    table.phase = PHASE_NO_MORE_BETS
    with Served(table) as served:
        yield served, table


def test_an_update_waits_for_the_end_of_a_spin(spinning, capsys, empty, monkeypatch):
    """With a line about the wait; a spin that does not end is refused, nothing is stopped."""
    served, table = spinning
    monkeypatch.setattr(flash_command, "_SAID_EVERY_S", 0.2)
    words = [*FLASH, "--port", "/dev/null", "--link", served.url, "--no-key", *empty]
    monkeypatch.setattr(flash_command, "_ROUND_WITHIN_S", 0.5)
    assert run(words) == 3
    output = capsys.readouterr()
    assert "waiting for the end of the round: " in output.out
    assert "a round is being played, and the update would stop it" in output.err
    monkeypatch.setattr(flash_command, "_ROUND_WITHIN_S", 20.0)
    table.phase = PHASE_BETS_OPEN
    run(words)  # it continues to the prompt
    assert "a round is being played" not in capsys.readouterr().err


def test_the_attestation_waits_for_a_slow_start(capsys, monkeypatch):
    """With a line about the wait; a board that never boots ends it."""
    clock = iter(range(0, 1000, 3))
    monkeypatch.setattr(flash_command.time, "monotonic", lambda: float(next(clock)))

    def silent(link, keys):
        raise ToolError("the table does not answer", exit_code=UNREACHABLE)

    monkeypatch.setattr(flash_command, "connected_client", silent)
    with pytest.raises(ToolError, match="does not answer"):
        flash_command._attest("/dev/null", None, None)
    assert "waiting for the table to start: 30 s" in capsys.readouterr().out
