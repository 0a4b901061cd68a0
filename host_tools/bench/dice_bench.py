"""Reading dice: time for a frame, on CPython and on the VM, and for its longest step; heap.

On a machine others work on a step now and then waits for its turn, tens of milliseconds: what
counts is the least each step took in several reads.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from host_tools.bench.figure import reported
from tableemulator.board.wasm import WasmBoard
from tableemulator.machines.dice_tray.rendering import render
from tableemulator.machines.dice_tray.scene_families import scene
from tableemulator.shipped_controller import program
from tablelogic.dice.picture_reader import reader_of
from tabletools.release import compiled

SIZES = ((160, 120), (320, 240))
SEED = 3  # two dice or more on a plain cloth
READS = 2
HEAP_BYTES = 2 * 1024 * 1024  # the VM collects between calls only: room for the waste of one read
KIB = 1024


def frame(width: int, height: int) -> bytes:
    """Return a scene of that size."""
    return render(replace(scene("clean", SEED), width=width, height=height), SEED)


def host_ms(size: tuple[int, int]) -> float:
    """Milliseconds for one frame on this interpreter."""
    grey, reader = frame(*size), reader_of(*size)
    start = time.perf_counter()
    for _ in range(READS):
        reader.read(grey)
    return (time.perf_counter() - start) / READS * 1000


def on_vm(files: dict[str, bytes], size: tuple[int, int]) -> tuple[float, float, int, int]:
    """(ms for a frame, ms of its longest step, bytes loaded, bytes alive at most) on the VM."""
    board_files = {**files, "/main.py": b"", "/frame": frame(*size)}
    with WasmBoard(board_files, heap_bytes=HEAP_BYTES, limit_s=120) as board:
        board.boot()
        start = board.mem()[0]
        board.exec("from tablelogic.dice.picture_reader import reader_of")
        loaded = board.mem()[0]
        board.exec(f"grey = open('/frame', 'rb').read()\nreader = reader_of({size[0]}, {size[1]})")
        held: list[int] = []
        took = one_read(board, lambda: held.append(board.mem()[0]))
        return sum(took), max(took), loaded - start, max(held) - loaded


def one_read(board: WasmBoard, look: Callable[[], None]) -> list[float]:
    """Milliseconds of each step of a read, the same steps each time; look: done after each."""
    board.exec("steps = reader.steps(grey)")
    took, more = [], True
    while more:
        began = time.perf_counter()
        more = board.exec("print(next(steps, 'over'))").strip() != "over"
        took.append((time.perf_counter() - began) * 1000)
        look()
    return took


def figures() -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = compiled(program(), Path(folder))
        for size in SIZES:
            name = "a frame of {} x {}".format(*size)
            took, longest, loaded, held = on_vm(files, size)
            rows.append(reported(f"dice: {name}, CPython", round(host_ms(size), 1), "ms"))
            rows.append(reported(f"dice: {name}, VM", round(took, 1), "ms"))
            rows.append(reported(f"dice: {name}, its longest step", round(longest, 1), "ms"))
            rows.append(reported(f"dice: {name} and its reader", round(held / KIB, 1), "KiB"))
    rows.append(reported("dice: the reader's code, loaded", round(loaded / KIB, 1), "KiB"))
    return rows
