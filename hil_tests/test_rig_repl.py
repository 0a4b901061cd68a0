"""The prompt of the stock board: mpremote, unmodified, finds on it what it finds on a board."""

import subprocess
import sys

import pytest
from mpremote.transport_serial import SerialTransport

from tableemulator.board.repl import Repl
from tableemulator.board.stock import PICO_2, StockBoard
from tableemulator.board.wasm import WasmBoard


@pytest.fixture(scope="module")
def board():
    with StockBoard() as stock_board:
        yield stock_board


@pytest.fixture
def transport(board):
    """mpremote's own, in the raw REPL."""
    serial = SerialTransport(board.prompt, timeout=5)
    serial.enter_raw_repl()
    yield serial
    serial.exit_raw_repl()
    serial.close()


def test_the_command_line_of_mpremote_talks_to_it(board, tmp_path):
    """Copy a folder, run a line, list: the words a technician types."""
    (tmp_path / "seven.py").write_text("def seven():\n    return 7\n")
    words = [
        "connect",
        board.prompt,
        "cp",
        str(tmp_path / "seven.py"),
        ":",
        "+",
        "exec",
        "import seven; print(6 * seven.seven())",
        "+",
        "ls",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "mpremote", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "42" in done.stdout
    assert "seven.py" in done.stdout
    assert board.files["/seven.py"] == b"def seven():\n    return 7\n"


def test_files_go_there_and_back(transport, board):
    """Bytes of every value, longer than a window of the paste mode."""
    data = bytes(range(256)) * 5
    transport.fs_mkdir("/part")
    transport.fs_writefile("/part/all.bin", data, chunk_size=300)
    assert board.files["/part/all.bin"] == data
    assert transport.fs_readfile("/part/all.bin") == data
    assert [entry.name for entry in transport.fs_listdir("/part")] == ["all.bin"]
    assert transport.fs_stat("/part/all.bin").st_size == 1280


def test_it_says_which_board_it_is(transport):
    """As MicroPython names it in sys.implementation."""
    transport.exec("import sys")
    assert transport.eval("sys.implementation._build") == PICO_2[0]
    assert transport.eval("sys.implementation[1]") == (1, 29, 0, "")


def test_an_exception_comes_back_as_its_traceback(transport):
    """On the second channel of the raw REPL, after what was printed."""
    out, failure = transport.exec_raw("print('before')\n1 / 0")
    assert out == b"before\r\n"
    assert failure.endswith(b"ZeroDivisionError: divide by zero\r\n")


def test_names_last_until_a_soft_reset(transport):
    """Control-D at the empty raw prompt clears the machine and stays in the raw REPL."""
    transport.exec("kept = 5")
    assert transport.eval("kept") == 5
    transport.enter_raw_repl(soft_reset=True)
    assert transport.eval("'kept' in globals()") is False


PLAY = b"""import asyncio, micropython
async def main():
    while True:
        await asyncio.sleep(1)
asyncio.run(main())
"""


def test_control_c_stops_a_program_with_an_open_console():
    """Then the prompt is there, with all of the machine."""
    with WasmBoard({"/main.py": PLAY}, stock=PICO_2) as running:
        running.boot()
        repl = Repl(running, "MicroPython")
        assert repl.start() == b""
        assert repl.feed(b"1\r") == b""
        assert b"KeyboardInterrupt" in repl.feed(b"\r\x03")
        assert repl.feed(b"\r\x01").endswith(b"raw REPL; CTRL-B to exit\r\n>")


def test_a_program_that_took_control_c_away_runs_on():
    """Nothing answers at the prompt."""
    closed = PLAY + b"micropython.kbd_intr(-1)\n"
    with WasmBoard({"/main.py": closed}, stock=PICO_2) as running:
        running.boot()
        assert Repl(running, "MicroPython").feed(b"\r\x03\r\x01") == b""
        assert not running.is_at_prompt


def test_a_full_flash_says_so():
    """ENOSPC, as LittleFS does; statvfs counts what a file and a folder take."""
    with StockBoard(flash_bytes=8 * 4096) as small:
        other = SerialTransport(small.prompt, timeout=5)
        other.enter_raw_repl()
        other.exec("import os")
        assert other.eval("os.statvfs('/')[3]") == 6  # the root takes two
        with pytest.raises(OSError, match="full"):
            other.fs_writefile("/full", bytes(7 * 4096), chunk_size=4096)
        other.close()
