"""From a stock board to a table: what is checked, copied, kept, and ended after a power cut."""

import json
import re
import shutil
import struct
import sys
from binascii import crc32
from dataclasses import replace
from pathlib import Path

import pytest
from mpremote.transport_serial import SerialTransport

from hil_tests.thinned import thinned
from tableemulator.board.stock import PICO, StockBoard
from tablespec import provisioning
from tabletools import flash
from tabletools.cli.main import run
from tabletools.cli.progress import progress
from tabletools.errors import ToolError
from tabletools.flash.survey import Survey, read
from tabletools.keys import Keyring
from tabletools.release import make_keys, manifest_of, read_private, sign, write
from tabletools.tree import TREE
from tablewire import slots
from tablewire.config import RESULT_HOLD_MS
from tablewire.messages import ROLE_DICE_TRAY, ROLES

ROOT = Path(__file__).parents[2]
VERSION = (ROOT / "firmware/tabledev/app/version.py").read_bytes()
# A program of seven files. Its main.py shows that it ran.
SMALL = {
    "/boot.py": b"",
    "/board.py": b"BOARD = 'rpi_pico2'\n",
    "/main.py": b"print('up')\nopen('/flash/ran.0', 'w').close()\n",
    "/tabledev/__init__.mpy": b"M\x06\x00\x1f",
    "/tabledev/app/version.mpy": b"M" * 700,
    "/tablelogic/rotor.mpy": b"r" * 1200,
    "/tablewire/codec.mpy": bytes(range(256)),
}
# The chip of the emulated board has the ID "TABLE 0 0 1"; its number is the CRC-32 of that.
DEVICE = crc32(b"TABLE\x00\x00\x01")
# (change of the flash, byte of it) at which the power goes; more than there are.
CUTS = [(write, byte) for write in range(1, 1000) for byte in (0, 1, 100)]


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """No test here has a table at the prompt; that one is listened for is in test_looks_first."""
    monkeypatch.setattr("tabletools.flash.prompt._LEFTOVER_S", 0.0)
    monkeypatch.setattr("tabletools.flash.prompt._LISTEN_S", 0.0)
    monkeypatch.setattr("tabletools.flash.prompt._QUIET_S", 0.05)


@pytest.fixture(scope="module")
def board():
    with StockBoard() as new_board:
        yield new_board


@pytest.fixture
def stock(board):
    """The board, with nothing on its flash."""
    board.erase()
    return board


@pytest.fixture
def small(monkeypatch):
    """The small program in the place of the firmware."""
    built = manifest_of(SMALL, {"/tabledev/app/version.py": VERSION})
    monkeypatch.setattr(flash, "build", lambda kind: (SMALL, built))


@pytest.fixture
def ring(tmp_path):
    return tmp_path / "keys.json"


def flashed(board, ring, *more, role="roulette"):
    words = ["--board", "rpi_pico2", "--role", role, "--keys", str(ring)]
    return run(["flash", *words, "--port", board.prompt, *more])


def program(files):
    return {path: data for path, data in files.items() if path in SMALL}


@pytest.mark.waits
def test_the_firmware_makes_a_table_of_a_stock_board(ring, capsys, monkeypatch):
    """Every file of the release, a configuration, a key: it starts, and attests under its key."""
    built = flash.build(flash.kind_of("rpi_pico2"))
    monkeypatch.setattr(flash, "build", lambda kind: built)  # compiled once for both runs
    with StockBoard(speed=20) as new_board:
        assert flashed(new_board, ring, "--link", new_board.link) == 0
        output = capsys.readouterr().out
        files = json.loads((ROOT / "mip.json").read_text())["urls"]
        assert f"attests release 1 (1.0.0): {len(files) + 1} files match" in output
        assert "INPUT_1      GPIO2 (pin 4)    low" in output
        assert not new_board.is_at_prompt
        sequence, values = slots.unpack_slot(slots.KEY, new_board.files["/flash/key.0"])
        assert (sequence, values[0]) == (1, 1)
        assert Keyring(ring).keys_of(DEVICE) == {1: struct.pack("<8i", *values[1:])}
        # Again, to the running table: it is stopped, found complete, and restarted.
        assert flashed(new_board, ring) == 0
        assert f"nothing to copy: {len(files) + 1} files" in capsys.readouterr().out
        assert not new_board.is_at_prompt


def boards_in(error):
    """The boards that an error recommends."""
    [others] = re.findall(r"(?m)^next step: take another board: (.*)$", error)
    return set(others.split(", "))


def test_a_role_that_does_not_run_on_the_board_is_refused_with_the_figures(ring, capsys):
    """Checked before the port is opened; the error lists the valid boards, as WIRING.md does."""
    words = ["--role", "dice_tray", "--port", "/dev/nothing-there", "--keys", str(ring)]
    assert run(["flash", "--board", "rpi_pico", *words]) == 4
    error = capsys.readouterr().err
    assert "a Raspberry Pi Pico does not run the role dice_tray" in error
    assert "77 KB" in error
    others = boards_in(error)
    assert "rpi_pico2" in others
    assert "rpi_pico" not in others
    for kind in flash.kinds():
        assert set(kind.unfit) <= set(ROLES)
        text = (kind.folder / "WIRING.md").read_text()
        assert ("Not on this board" in text) == ("dice_tray" in kind.unfit)
    assert run(["flash", "--board", "rpi_pico2", *words]) == 3  # no such port


@pytest.mark.parametrize("role", ["roulette", "money_wheel", "shuffler"])
def test_a_role_with_fast_edges_is_refused_on_a_board_with_soft_interrupts(ring, capsys, role):
    """With what is void there, the limit, and the boards to take."""
    words = ["--role", role, "--port", "/dev/nothing-there", "--keys", str(ring)]
    assert run(["flash", "--board", "esp32_s3", *words]) == 4
    error = capsys.readouterr().err
    assert f"a ESP32-S3-DevKitC-1 does not run the role {role}" in error
    assert "roles of this board: draw_machine, card_shoe" in error
    assert "one stall of 10, 20 or 60 ms a second" in error
    assert "at most 1 is allowed" in error
    others = boards_in(error)
    assert {"rpi_pico", "rpi_pico2"} <= others
    assert "esp32_s3" not in others
    note = f"**No {role} on this board**, and `tabletool flash` refuses it"
    assert note in (flash.kind_of("esp32_s3").folder / "WIRING.md").read_text()


def test_a_dice_table_says_who_reads_them(stock, small, ring, capsys):
    """By the factory's value the host; a table configured to read itself needs its tray."""
    assert flashed(stock, ring, role="dice_tray") == 0
    assert "dice are read" not in capsys.readouterr().out
    _, values = slots.unpack_slot(slots.CONFIGURATION, stock.files["/flash/config.0"])
    assert values[RESULT_HOLD_MS - 1] == 20_000  # for the picture: roles.dice_tray
    copy = provisioning.configuration(role=ROLE_DICE_TRAY, dice_reading=1)
    for path in flash.CONFIGURATION_FILES:
        stock.put(path, copy)
    assert flashed(stock, ring, role="dice_tray") == 0
    output = capsys.readouterr().out
    assert "dice are read by the table (dice_reading 1) with its commissioned tray" in output
    assert "`tabletool commission-tray`" in output
    kind = flash.kind_of("rpi_pico2")
    least, most = kind.dice_frame_s
    text = (kind.folder / "WIRING.md").read_text()
    assert f"takes this board {least} to {most} s" in text


def test_a_board_that_is_too_slow_leaves_dice_to_the_host():
    """Three seconds a frame are allowed; a table configured to read itself is warned of."""
    kind = replace(flash.kind_of("rpi_pico2"), dice_frame_s=(1, 4))
    took = "this board takes 1 to 4 s for a frame, 3 s are allowed"
    assert flash.dice_note(kind, 2) == f"dice are read by the host (dice_reading 2): {took}"
    assert flash.dice_note(kind, 1).startswith("warning: ")
    for fast in ((), (1, 3)):
        assert not flash.dice_note(replace(kind, dice_frame_s=fast), 2)
        assert not flash.dice_note(replace(kind, dice_frame_s=fast), 1).startswith("warning: ")


def test_a_board_that_plays_something_else_says_nothing_of_dice(stock, small, ring, capsys):
    assert flashed(stock, ring) == 0
    assert "dice" not in capsys.readouterr().out


def test_a_second_run_copies_nothing(stock, small, ring, capsys):
    """With a message; not a byte of the flash changes."""
    assert flashed(stock, ring) == 0
    assert "11 files copied, 0 removed" in capsys.readouterr().out  # with two and two slots
    before, writes = stock.files, stock.writes
    assert flashed(stock, ring) == 0
    output = capsys.readouterr().out
    assert "nothing to copy: 7 files, configuration and key are there" in output
    assert stock.files == before
    assert stock.writes == writes


def test_the_board_runs_the_program_afterwards(stock, small, ring):
    """main.py is there under its name, whole, and was started."""
    assert flashed(stock, ring) == 0
    assert program(stock.files) == SMALL
    assert "/flash/ran.0" in stock.files
    assert "/main.new" not in stock.files


def test_a_board_without_a_key_is_for_the_bench(stock, small, ring):
    """--no-key writes none, and makes none."""
    assert flashed(stock, ring, "--no-key") == 0
    assert not any("key" in path for path in stock.files)
    assert not ring.exists()


def test_another_board_is_refused_by_both_names(small, ring, capsys):
    """Exit code 4; nothing is written."""
    with StockBoard(PICO) as new_board:
        assert flashed(new_board, ring) == 4
        assert new_board.files == {}
    output = capsys.readouterr().err
    assert "not a Raspberry Pi Pico 2: it reports Raspberry Pi Pico (RPI_PICO)" in output
    assert "rpi_pico2: RPI_PICO2" in output


def test_another_micropython_is_refused_with_what_to_do(stock, small, ring, monkeypatch, capsys):
    """The compiler here belongs to another release than the board's interpreter."""
    monkeypatch.setattr("tabletools.flash.fitness.compiled_for", lambda: (1, 28))
    assert flashed(stock, ring) == 4
    output = capsys.readouterr().err
    assert "MicroPython 1.29.0 is on the board" in output
    assert "put MicroPython 1.28 on it: micropython.org/download/RPI_PICO2" in output
    assert stock.files == {}


def test_too_little_room_is_refused_before_anything_is_written(small, ring, capsys):
    """Program, folders and what a controller writes have to fit."""
    with StockBoard(flash_bytes=64 * 4096) as new_board:
        assert flashed(new_board, ring) == 4
        assert new_board.files == {}
    # 7 files, 4 folders of two (/tabledev, /tabledev/app, /tablelogic, /tablewire), 40 small
    # files and 10 traces of two blocks.
    assert f"{(7 + 8 + 40 + 20) * 4096} bytes are needed" in capsys.readouterr().err


def test_files_of_others_are_not_removed_unasked(stock, small, ring, capsys):
    """Named, with what removes them; --erase does."""
    stock.put("/lib/mine.py", b"x = 1\n")
    assert flashed(stock, ring) == 4
    assert "1 files on the board are not of the release: /lib/mine.py" in capsys.readouterr().err
    assert flashed(stock, ring, "--erase") == 0
    assert "/lib/mine.py" not in stock.files


def test_what_an_older_release_left_goes(stock, small, ring):
    """A source file would be run in the place of the compiled one beside it."""
    stock.put("/tablewire/codec.py", b"old\n")
    assert flashed(stock, ring) == 0
    assert "/tablewire/codec.py" not in stock.files


def test_a_table_keeps_its_configuration_and_its_key(stock, small, ring, capsys):
    """A calibrated value and the key of before are there after the next release."""
    assert flashed(stock, ring) == 0
    copy = provisioning.configuration(min_circuits=4)
    for path in flash.CONFIGURATION_FILES:
        stock.put(path, copy)
    key = stock.files["/flash/key.0"]
    stock.put("/tablelogic/rotor.mpy", b"older")
    assert flashed(stock, ring) == 0
    assert stock.files["/flash/config.0"] == copy
    assert stock.files["/flash/key.0"] == key
    assert program(stock.files) == SMALL
    capsys.readouterr()
    assert flashed(stock, ring, role="money_wheel") == 4
    assert "the board is a table of role roulette" in capsys.readouterr().err


def test_a_key_of_another_host_is_refused(stock, small, ring, tmp_path, capsys):
    """It is not overwritten: the other host would lose its table."""
    assert flashed(stock, ring) == 0
    assert flashed(stock, tmp_path / "other.json") == 1
    assert f"device {DEVICE} has key 1, which is not in the keyring" in capsys.readouterr().err


def test_a_file_of_values_is_written(stock, small, ring, tmp_path, capsys):
    """For the requested role, and no other."""
    from tabletools import configuration

    values = configuration_of(min_circuits=4)
    file = tmp_path / "table.toml"
    file.write_text(configuration.dump(values, "sheet of the house"))
    assert flashed(stock, ring, "--config", str(file), role="money_wheel") == 1
    assert "the file is for role 1" in capsys.readouterr().err
    assert flashed(stock, ring, "--config", str(file)) == 0
    assert stock.files["/flash/config.1"] == provisioning.configuration(min_circuits=4)


def configuration_of(**changed):
    values = slots.unpack_slot(slots.CONFIGURATION, provisioning.configuration(**changed))
    return [0, *values[1]]


def test_only_a_signed_release_goes_onto_a_board(stock, small, ring, tmp_path, capsys):
    """With --manifest: what is built here has to be that release, signed by that key."""
    private, public = make_keys(tmp_path / "house")
    built = flash.build(None)[1]
    file = tmp_path / "release.json"
    write(file, built, sign(built, read_private(private)))
    words = ("--manifest", str(file), "--key", str(public))
    assert flashed(stock, ring, *words) == 0
    other = replace(built, files=built.files[1:])
    write(file, other, sign(other, read_private(private)))
    assert flashed(stock, ring, *words) == 4
    assert "is not release 1: 1 files differ (/board.py)" in capsys.readouterr().err
    assert flashed(stock, ring, "--manifest", str(file)) == 1
    assert "--manifest needs --key" in capsys.readouterr().err


def test_a_terminal_gets_a_bar_and_a_log_gets_lines(monkeypatch, capsys):
    """Each step gives its words back: an error names the step it came in."""
    for is_terminal in (False, True):
        monkeypatch.setattr(sys.stdout, "isatty", lambda is_it=is_terminal: is_it)
        with progress(2) as show:
            assert [show("making /a"), show("copying /a/b")] == ["making /a", "copying /a/b"]
        output = capsys.readouterr().out
        assert (output == "1/2 making /a\n2/2 copying /a/b\n") is not is_terminal
        assert ("100%" in output) is is_terminal


def test_a_port_without_a_prompt_is_not_reachable(stock, small, ring, capsys):
    """Exit code 3: a table's link, or no board at all."""
    words = ["--board", "rpi_pico2", "--role", "roulette", "--keys", str(ring)]
    assert run(["flash", *words, "--port", "/dev/nothing-there"]) == 3
    assert "cannot open the port" in capsys.readouterr().err


# What an older release left: another main.py, another module, one that is gone now, no key.
OLDER = SMALL | {
    "/main.py": b"print('old')\n",
    "/tablelogic/rotor.mpy": b"older",
    "/tablelogic/gone.mpy": b"gone",
    "/flash/config.0": provisioning.configuration(),
}


def started_from(stock, files):
    stock.erase()
    for path, data in files.items():
        stock.put(path, data)
    return stock


def cut_at(stock, ring, before, write, byte):
    """Flash with the power cut at one change of the flash, then again; the files in the end.

    None when there are fewer changes.
    """
    started_from(stock, before).power_cut_after(writes=write, byte=byte)
    if (code := flashed(stock, ring)) == 0:
        return None
    assert code == 5
    # A program that would start is the old one or the new one, never some of each.
    left = {path: data for path, data in stock.files.items() if "/flash/" not in path}
    if "/main.py" in left:
        old = {path: data for path, data in before.items() if "/flash/" not in path}
        assert left in (old, SMALL)
    stock.power_on()
    assert flashed(stock, ring) == 0
    return stock.files


@pytest.mark.parametrize("before", [{}, OLDER], ids=["new board", "older release"])
def test_cut_at_any_write_the_same_command_ends_it(stock, small, ring, capsys, before):
    """The same files in the end, the same key; no half program that would start, at any time."""
    assert flashed(started_from(stock, before), ring) == 0
    wanted, cuts = stock.files, 0
    for change, byte in thinned(CUTS, 20):
        flash = cut_at(stock, ring, before, change, byte)
        if flash is None:
            break
        cuts += 1
        assert flash == wanted, (change, byte)
        capsys.readouterr()
    assert cuts >= len(thinned(range(3 * 15), 20))  # both change the flash 15 times and more


def type_code(board, code):
    """Run code at the prompt as mpremote does, in a session that is then killed."""
    session = SerialTransport(board.prompt)
    try:
        session.enter_raw_repl(soft_reset=False)
        return session.exec(code)
    finally:
        session.close()


def test_a_file_that_a_killed_session_left_open_is_closed_first(stock):
    """Else the collector closes it after the file was written again, and LittleFS puts the old
    content back. Played with LittleFS in hil_tests/chip."""
    type_code(stock, "class File:\n  closed = 0\n  def close(self): File.closed += 1\nf = File()")
    with flash.opened(stock.prompt):
        pass
    assert type_code(stock, "print(File.closed, 'f' in globals())") == b"1 False\r\n"


def test_a_survey_is_what_the_board_printed():
    """By hand: one board, one folder, one file, one of the controller's data."""
    text = (
        "('board', 'RPI_PICO2', 'Raspberry Pi Pico 2 with RP2350', (1, 29, 0), 7942, b'\\x01',"
        " (4096, 4096, 352, 350))\r\n('folder', '/flash', 0, '')\r\n"
        "('file', '/flash/key.0', 48, '')\r\n('file', '/main.py', 3, 'ab')\r\n"
    )
    files = {"/flash/key.0": (48, ""), "/main.py": (3, "ab")}
    assert read(text) == Survey(
        "RPI_PICO2",
        "Raspberry Pi Pico 2 with RP2350",
        (1, 29, 0),
        7942,
        b"\x01",
        4096,
        350,
        files,
        frozenset({"/flash"}),
    )
    for broken in ("", "MicroPython v1.29\r\n", text[20:]):
        with pytest.raises(ValueError, match="no survey"):
            read(broken)


def test_a_serial_number_given_counts_more_than_the_chip():
    """The counters store it as a signed integer; 0 means none."""
    counters = slots.pack_slot(slots.COUNTERS, 3, (7, 0, 0, -1, 1))
    none = slots.pack_slot(slots.COUNTERS, 2, (7, 0, 0, 0, 1))
    assert flash.device_of(b"chip", [counters, none]) == 0xFFFFFFFF
    assert flash.device_of(b"123456789", [none, None]) == 0xCBF43926  # check value of CRC-32


def test_every_board_of_a_port_has_its_wiring():
    """Each role's section is found, in columns; the emulated board has no section."""
    names = [kind.name for kind in flash.kinds()]
    folders = {path.parent.name for path in (TREE / "boards").glob("*/board.py")}
    assert set(names) == folders - {"emulated"}
    for name in names:
        for role in range(1, 7):
            lines = flash.wiring_of(flash.kind_of(name), role)
            headings = [line for line in lines if line.startswith("The same board on a ")]
            assert len(headings) == (role > 1), (name, role)
            assert not any("this page" in line for line in lines)
    with pytest.raises(ToolError, match="no board 'emulated'"):
        flash.kind_of("emulated")


def test_a_tree_without_boards_says_what_to_name(tmp_path, ring, capsys):
    """An installed tabletool has no firmware beside it."""
    shutil.copytree(ROOT / "boards" / "emulated", tmp_path / "boards" / "emulated")
    words = ["--board", "rpi_pico2", "--role", "roulette", "--port", "/dev/null"]
    assert run(["flash", *words, "--tree", str(tmp_path)]) == 1
    assert "name a checkout with --tree, or leave --tree out" in capsys.readouterr().err
