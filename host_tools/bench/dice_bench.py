"""Reading dice at a table: time for a frame, on CPython and on the VM, and for a step; heap.

On a machine others work on a step now and then waits for its turn, tens of milliseconds: what
counts is the least each step took in several reads.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from host_tools.bench.figure import reported
from tableemulator.board.wasm import WasmBoard
from tableemulator.machines.dice_tray.physical_tray import TrayCamera
from tableemulator.machines.dice_tray.stickman import draw_dice
from tableemulator.shipped_controller import program
from tablelogic.tray_reader.reader import Reader
from tablelogic.tray_reader.rig import Rig
from tablelogic.tray_reader.stepwise import finish
from tabletools.release import compiled

DICE, SEED = 3, 4
READS = 2
HEAP_BYTES = 2 * 1024 * 1024  # the VM collects between calls only: room for the waste of one read
KIB = 1024
LOOPS = "/tablelogic/tray_reader/loops"
_LOAD = (
    "from tablelogic.tray_reader.reader import Reader\nfrom tablelogic.tray_reader.rig import Rig"
)
_MAKE = "grey = open('/frame', 'rb').read()\nreader = Reader(Rig(open('/tray', 'rb').read()))"


def throw(*, is_large: bool) -> tuple[bytes, bytes]:
    """Return (commissioned tray, frame) of three dice."""
    camera = TrayCamera(SEED, large=is_large)
    exposure = camera.expose(draw_dice(Random(SEED), camera, DICE), 0)
    assert exposure is not None
    return camera.commissioned(), exposure.greys()


def host_ms(tray: bytes, grey: bytes) -> float:
    """Milliseconds for one frame on this interpreter."""
    reader = Reader(Rig(tray))
    start = time.perf_counter()
    for _ in range(READS):
        finish(reader.steps(grey, DICE))
    return (time.perf_counter() - start) / READS * 1000


def on_vm(files: dict[str, bytes], tray: bytes, grey: bytes) -> tuple[float, float, int, int]:
    """(ms for a frame, ms of its longest step, bytes loaded, bytes alive at most) on the VM."""
    board_files = {**files, "/main.py": b"", "/frame": grey, "/tray": tray}
    with WasmBoard(board_files, heap_bytes=HEAP_BYTES, limit_s=120) as board:
        board.boot()
        start = board.mem()[0]
        board.exec(_LOAD)
        loaded = board.mem()[0]
        board.exec(_MAKE)
        held: list[int] = []
        took = one_read(board, lambda: held.append(board.mem()[0]))
        return sum(took), max(took), loaded - start, max(held) - loaded


def one_read(board: WasmBoard, look: Callable[[], None]) -> list[float]:
    """Milliseconds of each step of a read, the same steps each time; look: done after each."""
    board.exec(f"steps = reader.steps(grey, {DICE})")
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
        del files[f"{LOOPS}.mpy"]  # native code, of which the VM runs the source
        files[f"{LOOPS}.py"] = program()[f"{LOOPS}.py"]
        for is_large in (False, True):
            name = "a frame of 320 x 240" if is_large else "a frame of 160 x 120"
            tray, grey = throw(is_large=is_large)
            took, longest, loaded, held = on_vm(files, tray, grey)
            rows.append(reported(f"dice: {name}, CPython", round(host_ms(tray, grey), 1), "ms"))
            rows.append(reported(f"dice: {name}, VM", round(took, 1), "ms"))
            rows.append(reported(f"dice: {name}, its longest step", round(longest, 1), "ms"))
            rows.append(reported(f"dice: {name} and its reader", round(held / KIB, 1), "KiB"))
    rows.append(reported("dice: the reader's code, loaded", round(loaded / KIB, 1), "KiB"))
    return rows
