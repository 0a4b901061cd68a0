"""Line coverage of the shipped firmware on the VM: `python -m hil_tests.coverage`.

Plays healthy rounds and every fault of the catalogue of each role on the tracing build of the VM
and prints, for each file of the firmware, how many of its lines ran and which did not, then how
many of each role, in the files that it loads. Reported, not chased.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from types import CodeType

from tableemulator.machines import ROLES, Setup, emulator
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.play_session import catalogue_of, table_of
from tableemulator.shipped_controller import WasmController, program

Lines = dict[str, set[int]]

HEALTHY = 3
# Rim sensors of the two tables of roulette, by their pocket sensor.
RIMS = {"array": 4, "head": 2}
DATA = "/board.py"
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


def setups(role: str) -> list[Setup]:
    """The machines of a role that run different code."""
    if role == "roulette":
        return [Geometry("double", sensor, rim_sensors=rims) for sensor, rims in RIMS.items()]
    return [emulator(role).setup()]


def ran(setup: Setup, names: Iterable[str] | None = None) -> Lines:
    """The lines that ran at a machine, in healthy rounds and its faults, or those of the names."""
    controller = WasmController(setup, settrace=True)
    controller.give_key(1, KEY)
    total: Lines = {}
    try:
        table = table_of(setup)(controller, setup, f"coverage {setup}", key=KEY)
        for _ in range(HEALTHY):
            table.spin()
        for fault in catalogue_of(setup):
            if names is None or fault.name in names:
                table.spin(fault.inject, fault.name)
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


def report(by_role: dict[str, Lines]) -> None:
    """Print one line a file, one a role, and the whole."""
    files = {path: data for path, data in program().items() if data.strip() and path != DATA}
    code = {path: executable(data, path) for path, data in sorted(files.items())}
    total: Lines = {}
    for lines in by_role.values():
        _add(total, lines)
    for path, every in code.items():
        hit = every & total.get(path, set())
        print(f"{path:38} {len(hit):4} of {len(every):4}  {runs(every - hit)}")
    for role, lines in by_role.items():
        print(_share(role, lines, {path: every for path, every in code.items() if path in lines}))
    print(_share("firmware on the VM", total, code))


def _share(name: str, lines: Lines, code: Lines) -> str:
    done = sum(len(every & lines.get(path, set())) for path, every in code.items())
    every = sum(map(len, code.values()))
    return f"{name}: {done} of {every} lines ran, {100 * done / every:.1f} %"


def main(arguments: list[str] | None = None) -> int:
    """Play, print, return 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--roles", nargs="*", choices=[*ROLES], default=[*ROLES])
    parser.add_argument("--faults", nargs="*", help="by name [all of them]")
    chosen = parser.parse_args(arguments)
    machines = [setup for role in chosen.roles for setup in setups(role)]
    by_role: dict[str, Lines] = {role: {} for role in chosen.roles}
    for number, setup in enumerate(machines, 1):
        print(f"{number}/{len(machines)} {setup.role}", file=sys.stderr, flush=True)
        _add(by_role[setup.role], ran(setup, chosen.faults))
    report(by_role)
    return 0


if __name__ == "__main__":
    sys.exit(main())
