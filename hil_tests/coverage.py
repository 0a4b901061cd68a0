"""Line coverage of the shipped firmware on the VM: `python -m hil_tests.coverage`.

Plays healthy spins and every fault of the catalogue on the tracing build of the VM and prints, for
each file of the firmware, how many of its lines ran and which did not. Reported, not chased.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from types import CodeType

from tableemulator import fault_catalogue
from tableemulator.machines import ROLES
from tableemulator.machines.roulette.croupier import RouletteTable
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.machines.roulette.roulette_faults import FAULTS, fits
from tableemulator.shipped_controller import WasmController, program

Lines = dict[str, set[int]]

HEALTHY = 3
RIMS = {"array": 4, "head": 2}  # rim sensors of the two tables, by their pocket sensor
# Data, and what a roulette table's controller does not load.
OTHERS = (
    "/board",
    "/tablelogic/dice/",
    "/tabledev/app/sight.py",
    "/tabledev/drivers/camera_port.py",
    "/tabledev/drivers/ball",
    "/tabledev/drivers/shuffler",
    "/tabledev/drivers/card_reader",
    *(
        f"/{package}/{role}"
        for role in ROLES
        if role != "roulette"
        for package in ("tablelogic", "tablewire")
    ),
)
KEY = bytes(range(32))
RUNS_PRINTED = 12  # runs of lines shown of a file


def executable(source: bytes, name: str) -> set[int]:
    """The lines of a file that hold code, as CPython compiles it; `def` lines count."""
    lines: set[int] = set()
    waiting: list[CodeType] = [compile(source, name, "exec")]
    while waiting:
        code = waiting.pop()
        lines.update(line for _, _, line in code.co_lines() if line)
        waiting += [part for part in code.co_consts if isinstance(part, CodeType)]
    return lines


def ran(sensor: str, names: Iterable[str]) -> Lines:
    """The lines that ran on a table with that pocket sensor, healthy spins and faults by name."""
    geometry = Geometry("double", sensor, rim_sensors=RIMS[sensor])
    controller = WasmController(geometry, settrace=True)
    controller.give_key(1, KEY)
    total: Lines = {}
    try:
        table = RouletteTable(controller, geometry, f"coverage {sensor}", key=KEY)
        for _ in range(HEALTHY):
            table.spin()
        for name in names:
            fault = fault_catalogue.find(name)
            if not fits(geometry, fault):
                continue
            table.spin(fault.inject, name)
            _add(total, controller.board.coverage())
    finally:
        _add(total, controller.board.coverage())
        controller.close()
    return total


def _add(total: Lines, more: Lines) -> None:
    for path, lines in more.items():
        total.setdefault(path, set()).update(lines)


def runs(lines: set[int]) -> str:
    """Lines as "3, 7-9", at most SHOWN of them."""
    parts: list[tuple[int, int]] = []
    for line in sorted(lines):
        if parts and line == parts[-1][1] + 1:
            parts[-1] = (parts[-1][0], line)
        else:
            parts.append((line, line))
    ranges = [str(low) if low == high else f"{low}-{high}" for low, high in parts[:RUNS_PRINTED]]
    return ", ".join(ranges + (["..."] if len(parts) > RUNS_PRINTED else []))


def report(total: Lines) -> float:
    """Print one line a file; returns the share of lines that ran."""
    files = {path: data for path, data in program().items() if data.strip()}
    done = every = 0
    for path, data in sorted(files.items()):
        if path.startswith(OTHERS):
            continue
        code = executable(data, path)
        hit = code & total.get(path, set())
        done, every = done + len(hit), every + len(code)
        print(f"{path:38} {len(hit):4} of {len(code):4}  {runs(code - hit)}")
    print(f"firmware on the VM: {done} of {every} lines ran, {100 * done / every:.1f} %")
    return done / every


def main(arguments: list[str] | None = None) -> int:
    """Play, print, return 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", nargs="*", default=[fault.name for fault in FAULTS])
    chosen = parser.parse_args(arguments)
    total: Lines = {}
    for sensor in RIMS:
        _add(total, ran(sensor, chosen.faults))
    report(total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
