"""What is at a port: a table with or without a key, a stock board, or no device."""

import json
import os
import tty
from types import SimpleNamespace

import pytest

from host_tools.tests.emulated import DEVICE, SECRET, Played
from tableemulator.board.stock import StockBoard
from tableemulator.machines.repeater import Served
from tabletools.cli.main import run
from tabletools.keys import Key, Keyring
from tabletools.link import port as link_port
from tabletools.link.port import stable_name

NOTHING_HERE = "no USB serial port found; plug a board in, or name a port\n"


@pytest.fixture
def ring(tmp_path):
    keyring = Keyring(tmp_path / "keys.json")
    keyring.add(DEVICE, Key(1, SECRET))
    return str(keyring.file)


def look(capsys, *words):
    code = run(["port", *words, "--json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def empty(tmp_path):
    """A keyring without a key."""
    file = tmp_path / "none.json"
    file.touch(mode=0o600)
    file.write_text("{}")
    return str(file)


def test_a_stock_board_is_named_as_such(capsys, empty):
    """MicroPython, its version and its board; it is at its prompt afterwards as before."""
    with StockBoard() as board:
        code, [port] = look(capsys, board.prompt, "--keys", empty)
        assert (code, port["what"], port["micropython"]) == (0, "micropython", "1.29.0")
        assert port["board"] == "RPI_PICO2"
        assert "Raspberry Pi Pico 2 with RP2350 (RPI_PICO2)" in port["text"]
        assert board.is_at_prompt


def test_a_table_is_named_with_its_key(capsys, ring, empty):
    """Verified under the key of the keyring; without the key the output states that."""
    with Served(Played()) as port:
        code, [entry] = look(capsys, port.url, "--keys", ring)
        assert (code, entry["what"], entry["device"], entry["key"]) == (0, "table", DEVICE, 1)
        assert entry["verified"] is True
        assert entry["text"].endswith("key 1 verified")
        code, [entry] = look(capsys, port.url, "--keys", empty)
        assert (code, entry["what"], entry["verified"]) == (0, "table", False)


def test_a_silent_line_and_a_missing_one(capsys, tmp_path):
    """Exit code 3: no device answers."""
    master, slave = os.openpty()
    tty.setraw(slave)
    code, [silent, missing] = look(capsys, os.ttyname(slave), "/dev/nothing-there")
    assert (code, silent["what"], missing["what"]) == (3, "nobody", "closed")
    assert "cannot open the port" in missing["text"]
    os.close(slave)
    os.close(master)


def test_ports_on_usb_are_listed_with_the_boards_that_show_so(capsys, monkeypatch):
    """The numbers of USB are those of boards/*/board.json; a port without USB is left out."""
    ports = [
        SimpleNamespace(device="/dev/nothing-there", vid=0x2E8A, pid=5),
        SimpleNamespace(device="/dev/ttyS0", vid=None, pid=None),
    ]
    monkeypatch.setattr(link_port.list_ports, "comports", lambda: ports)
    assert run(["port"]) == 0
    output = capsys.readouterr().out
    known = "(USB 2e8a:0005, Raspberry Pi Pico or Raspberry Pi Pico 2)"
    assert output.startswith(f"/dev/nothing-there {known}: cannot open the port")
    monkeypatch.setattr(link_port.list_ports, "comports", list)
    assert run(["port"]) == 0
    assert capsys.readouterr().out == NOTHING_HERE


def test_a_port_has_the_name_of_its_adapter(tmp_path):
    """The link of udev to the device; none for a port without one, or where there is no folder."""
    by_id, device, other = tmp_path / "by-id", tmp_path / "ttyUSB1", tmp_path / "ttyUSB0"
    by_id.mkdir()
    device.touch()
    other.touch()
    (by_id / "usb-FTDI_A1-if00-port0").symlink_to("../ttyUSB1")
    assert stable_name(str(device), by_id) == str(by_id / "usb-FTDI_A1-if00-port0")
    assert stable_name(str(other), by_id) == ""
    assert stable_name(str(tmp_path / "gone"), by_id) == ""
    assert stable_name(str(device), tmp_path / "none") == ""
    assert stable_name("socket://127.0.0.1:1", by_id) == ""
