"""A long night: `make soak [SPINS=N]`, spins with random faults against what truly happened.

    python -m hil_tests.soak [--spins N] [--seed S] [--rig wasm|sim] [--jobs N]

Plays tables of both wheels with each pocket sensor, a fresh one every 50 spins, on every core.
Exit code 1 when a number was wrong, a healthy spin was void too often, or a table stalled; each
such spin is named by the table that shows it again.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from hil_tests import faults, session
from hil_tests.controller import configuration
from hil_tests.emulators import geometry as g
from hil_tests.emulators.table import Spin, Table, TableStalled
from hil_tests.rigs.sim import SimController
from tablewire import codes, messages

SPINS_PER_TABLE = 50
# Healthy spins that may be void, as a share of them; numbers that may be wrong: none.
WRONG_VOIDS = 0.001
_SIM_SENSORS = {
    g.ROTOR_A: messages.SENSOR_ROTOR_A,
    g.ROTOR_B: messages.SENSOR_ROTOR_B,
    g.INDEX: messages.SENSOR_INDEX,
    g.RIM_1: messages.SENSOR_RIM_1,
    g.RIM_2: messages.SENSOR_RIM_2,
    g.HEAD: messages.SENSOR_HEAD,
    g.BUTTON: messages.SENSOR_BUTTON,
    g.TILT: messages.SENSOR_TILT,
    g.DOME: messages.SENSOR_DOME,
}


@dataclass(frozen=True)
class Evening:
    """One table and its spins; the same values play the same spins."""

    rig: str
    wheel: str
    sensor: str
    seed: str
    spins: int


@dataclass
class Tally:
    """What came of spins: counts, and one line for each spin that went wrong."""

    spins: int = 0
    numbers: int = 0
    healthy: int = 0
    wrong_numbers: int = 0
    wrong_voids: int = 0
    stalled: int = 0
    other_code: Counter[str] = field(default_factory=Counter)
    trouble: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for key in ("spins", "numbers", "healthy", "wrong_numbers", "wrong_voids", "stalled"):
            setattr(self, key, getattr(self, key) + getattr(other, key))
        self.other_code += other.other_code
        self.trouble += other.trouble

    @property
    def passed(self) -> bool:
        """True when no number was wrong and few enough healthy spins were void."""
        allowed = WRONG_VOIDS * self.healthy
        return not self.wrong_numbers and not self.stalled and self.wrong_voids <= allowed


def judge(spin: Spin, fault: faults.Fault | None, order: tuple[str, ...], tally: Tally) -> str:
    """Count one spin; return what went wrong with it, "" if nothing did.

    A number is wrong when the ball lies elsewhere, or when the fault injected forbids a number.
    """
    tally.spins += 1
    tally.healthy += fault is None
    if spin.reason is None:
        tally.numbers += 1
        told = order[spin.ended.values[1]]
        if fault is None and told == spin.pocket:
            return ""
        tally.wrong_numbers += 1
        return f"number {told}, truly {spin.pocket}, fault {spin.fault}"
    if fault is None:
        tally.wrong_voids += 1
        return f"healthy spin void by {spin.reason}"
    if fault.reason != spin.reason:
        tally.other_code[f"{fault.name} gave {spin.reason}"] += 1
    return ""


@contextmanager
def _table(evening: Evening) -> Iterator[Table]:
    geometry = g.Geometry(evening.wheel, evening.sensor)
    if evening.rig == "wasm":
        with session.emulated_table(geometry, evening.seed) as table:
            yield table
    else:
        yield Table(SimController(configuration(geometry), _SIM_SENSORS), geometry, evening.seed)


def play(evening: Evening) -> Tally:
    """Play one evening's spins with faults drawn by its seed."""
    tally = Tally()
    where = f"{evening.wheel} {evening.sensor} seed {evening.seed}"
    with _table(evening) as table:
        chosen = session.drawn(session.MIXED, evening.seed)
        for number, fault in enumerate(islice(chosen, evening.spins), 1):
            try:
                spin = session.play(table, fault)
            except TableStalled as error:
                tally.stalled += 1
                tally.trouble.append(f"{where}, spin {number}: {error}")
                break
            wrong = judge(spin, fault, table.geometry.order, tally)
            if wrong:
                tally.trouble.append(f"{where}, spin {number}: {wrong}")
    return tally


def evenings(spins: int, seed: int, rig: str) -> list[Evening]:
    """Share spins out over tables, wheels and sensors taking turns."""
    kinds = [(wheel, sensor) for wheel in g.ORDERS for sensor in g.POCKET_SENSORS]
    shares = [SPINS_PER_TABLE] * (spins // SPINS_PER_TABLE) + [spins % SPINS_PER_TABLE]
    return [
        Evening(rig, *kinds[number % len(kinds)], f"{seed}/{number}", share)
        for number, share in enumerate(share for share in shares if share)
    ]


def report(tally: Tally, seconds: float) -> str:
    """Return the figures as text, trouble first."""
    lines = [f"soak: {text}" for text in tally.trouble]
    names = {getattr(codes, name): name.lower() for name in dir(codes) if name.isupper()}
    for text, count in sorted(tally.other_code.items()):
        code = int(text.rsplit(" ", 1)[1])
        lines.append(f"soak: {count} x {text} ({names.get(code, 'unknown')}): void all the same")
    lines.append(
        f"{tally.spins} spins in {seconds:.0f} s ({tally.spins / seconds:.0f}/s): {tally.numbers}"
        f" numbers, {tally.wrong_numbers} wrong; {tally.healthy} healthy spins,"
        f" {tally.wrong_voids} void (limit {100 * WRONG_VOIDS} %); {tally.stalled} tables stalled"
    )
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Play the night, print the figures, return the exit code."""
    parser = argparse.ArgumentParser(prog="soak", description="Spins with random faults.")
    parser.add_argument("--spins", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rig", choices=("wasm", "sim"), default="wasm")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(argv)
    if options.spins < 1 or options.jobs < 1:
        parser.error("--spins and --jobs must be at least 1")
    whole = Tally()
    started = time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        for tally in pool.map(play, evenings(options.spins, options.seed, options.rig)):
            whole.add(tally)
    print(report(whole, time.perf_counter() - started))
    return 0 if whole.passed else 1


if __name__ == "__main__":
    sys.exit(main())
