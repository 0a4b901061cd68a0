"""The emulated board: heap of the role, bytes allocated on the way, and the time of a tag."""

import tempfile
import time
from pathlib import Path

from host_tools.bench.figure import judged, reported
from tableemulator.board.wasm import WasmBoard
from tableemulator.machines.roulette.croupier import RouletteTable
from tableemulator.machines.roulette.physical_wheel import (
    INDEX,
    RIM_1,
    RIM_2,
    ROTOR_A,
    ROTOR_B,
    Geometry,
)
from tableemulator.play_session import play
from tableemulator.shipped_controller import (
    CONFIGURATION_FILES,
    PACKAGES,
    WasmController,
    configuration,
    in_place,
    program,
)
from tabletools.release import compiled

HEAP_SPINS = 2
SEED = 2
KIB = 1024
# Compiled modules in a ROMFS, or read from files into the heap: protocol/decisions/firmware.md.
MOST_KIB = {"run in place": 96, "loaded": 128}
DOUBLE = Geometry("double")

# The app as main.py puts it together, but stepped from here instead of by asyncio.
STEPPED = b"""
import board, gc, time
from tabledev.app.roles import make_role
from tabledev.app.table import Table
from tabledev.drivers.chip import Watchdog
from tabledev.drivers.console import Console
from tabledev.drivers.flash_files import FlashFiles
from tabledev.drivers.wiring import build
from tabledev.edges import EdgeRing

hal = build(lambda: board, EdgeRing(), Console(FlashFiles()), Watchdog(0))
table = Table(hal, make_role)
table.start()

def run(steps):
    before = gc.mem_alloc()
    for _ in range(steps):
        time.sleep_ms(40)
        table.control()
    return gc.mem_alloc() - before

def send(count):
    state = [2, 1]
    most = 0
    for _ in range(count):
        before = gc.mem_alloc()
        table.heartbeat()
        table.transmitter.send_volatile(0x03, state)
        most += gc.mem_alloc() - before
        time.sleep_ms(20)
    return most
"""
# A tag over a wheel result, as the table seals it.
TAGS = """
from tablewire.seal import Mac
mac = Mac(bytes(32))
data = bytes(43)
for _ in range(%d):
    mac.digest(data)
"""
TAGS_COUNT = 2_000
STEP_US = 40_000
WARM_UP_STEPS = 250  # the round is open by then, the ball on the rim
RUN_STEPS = 125
LAUNCHED_US = 2_000_000  # before the measured run
FRAME_PAIRS = 200


def tag_us() -> float:
    """Wall-clock microseconds of this machine for one tag on the VM."""
    with WasmBoard({**program(), "/main.py": b""}) as board:
        board.boot()
        board.exec(TAGS % TAGS_COUNT)  # loads the modules
        took = {0: 1.0, TAGS_COUNT: 1.0}
        for count in (*took, *took, *took):
            start = time.perf_counter()
            board.exec(TAGS % count)
            took[count] = min(took[count], time.perf_counter() - start)
    return (took[TAGS_COUNT] - took[0]) / TAGS_COUNT * 1e6


class _TightController(WasmController):
    """The program as released, on a heap that is capped and measured byte by byte."""

    _stored = None

    def __init__(self, files: dict[str, bytes], rom: bytes) -> None:
        self._slot = configuration(DOUBLE)
        flash = dict.fromkeys(CONFIGURATION_FILES, self._slot)
        self.board = WasmBoard(files, rom=rom, flash=flash, tight=True)


def peak_heap(files: dict[str, bytes], rom: bytes = b"", key: bytes | None = None) -> int:
    """Most bytes of the 192 KiB heap in use at any time while spins are played.

    rom: the packages, run in place, if not among the files; key: of the table, which then plays
    in a session.
    """
    controller = _TightController(files, rom)
    if key is not None:
        controller.give_key(1, key)
    try:
        table = RouletteTable(controller, DOUBLE, SEED, key=key)
        for _ in range(HEAP_SPINS):
            play(table, None)
        return controller.board.mem()[2]
    finally:
        controller.close()


def load_bytes(files: dict[str, bytes]) -> dict[str, int]:
    """Bytes of heap that what runs of each package takes once imported, its names included.

    Packages in the order they import each other; what the app makes of them comes on top. The
    pool of names, 9.0 KB, falls on the package whose name fills the pool before.
    """
    with WasmBoard(
        files, flash=dict.fromkeys(CONFIGURATION_FILES, configuration(DOUBLE))
    ) as board:
        board.boot()
        running = board.exec("import sys\nprint(*sys.modules)").split()
    module_bytes = {}
    with WasmBoard({**files, "/main.py": b""}) as board:
        board.boot()
        before = board.mem()[0]
        for package in PACKAGES:
            modules = [name for name in running if name.split(".")[0] == package]
            board.exec("\n".join(f"import {name}" for name in modules))
            after = board.mem()[0]
            module_bytes[package], before = after - before, after
    return module_bytes


def _spin_events(start_us: int, launch_us: int, end_us: int) -> list[list[object]]:
    """Edges of a rotor at 13 rpm and, from launch_us on, a ball against it at 2 turns a second."""
    events: list[list[object]] = []
    pins = ((ROTOR_B, 1), (ROTOR_A, 1), (ROTOR_B, 0), (ROTOR_A, 0))
    events += [[t, "pin", *pins[n % 4]] for n, t in enumerate(range(start_us, end_us, 30_000))]
    for sensor, offset in ((RIM_1, 0), (RIM_2, 375_000)):
        for t in range(launch_us + offset, end_us, 500_000):
            events += [[t, "pin", sensor, 1], [t + 4_000, "pin", sensor, 0]]
    events += [[t, "pin", INDEX, n % 2] for n, t in enumerate(range(start_us, end_us, 2_280_000))]
    return events


def allocation(files: dict[str, bytes]) -> tuple[float, float]:
    """(bytes allocated per sensor edge decided on, bytes per frame sent)."""
    flash = dict.fromkeys(CONFIGURATION_FILES, configuration(DOUBLE))
    with WasmBoard({**files, "/main.py": STEPPED}, flash=flash, limit_s=60) as board:
        board.boot()
        start_us = board.now_us
        first_us = start_us + WARM_UP_STEPS * STEP_US
        last_us = first_us + RUN_STEPS * STEP_US
        events = _spin_events(start_us + 1000, first_us - LAUNCHED_US, last_us + 1_000_000)
        board.play(events, start_us)
        code = f"run({WARM_UP_STEPS})\nprint(run({RUN_STEPS}), table.role.circuits())"
        used, circuits = (int(word) for word in board.exec(code).split())
        assert 12 <= circuits <= 14, f"the ball was not followed: {circuits} circuits"
        per_edge = used / sum(first_us < event[0] <= last_us for event in events)
        for _ in range(2):  # the first calls from here make what later ones find
            board.exec("send(1)")
        per_frame = int(board.exec(f"print(send({FRAME_PAIRS}))")) / (2 * FRAME_PAIRS)
    return per_edge, per_frame


def figures() -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    with tempfile.TemporaryDirectory() as folder:
        files = compiled(program(), Path(folder))
        peaks = {
            (where, keyed): round(peak_heap(*image, bytes(32) if keyed else None) / KIB, 1)
            for where, image in (("run in place", in_place(files)), ("loaded", (files, b"")))
            for keyed in (False, True)
        }
        packages = load_bytes(files)
        per_edge, per_frame = allocation(files)
    return [
        *(
            _figure(
                f"peak heap, role roulette, {where}{', keyed' if keyed else ''}",
                peak,
                "KiB of 192",
                MOST_KIB[where],
            )
            for (where, keyed), peak in peaks.items()
        ),
        *(
            reported(f"of it {name}, loaded", round(used / KIB, 1), "KiB")
            for name, used in packages.items()
        ),
        reported("one tag on the VM, on this machine", round(tag_us(), 1), "us"),
        _figure("allocated per sensor edge", round(per_edge, 3), "bytes", 0),
        _figure("allocated per frame sent", round(per_frame, 3), "bytes", 0),
    ]


def _figure(name: str, value: float, unit: str, most: float) -> dict[str, object]:
    return judged(name, value, unit, f"<= {most:g}" if most else 0, is_met=value <= most)
