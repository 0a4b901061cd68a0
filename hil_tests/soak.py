"""A long night: `make soak [SPINS=N] [ROLE=R]`, random faults against what truly happened.

    python -m hil_tests.soak [--role R] [--spins N] [--seed S] [--rig sim|wasm] [--jobs N]
                             [--table K]

Plays a fresh table every 50 spins, on every core: both wheels, each pocket sensor, sensors and
index in random places, healthy and worn sensor lines; or money wheels of either size; or shoes of
one to eight decks. Exit code 1
when a number was wrong, healthy sensors voided too many healthy spins, a replay disagreed or a
table stalled; --table plays one table again.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from itertools import islice
from typing import Any

from hil_tests import faults, session
from hil_tests.decisions import BEYOND, decided_table
from hil_tests.emulators.card_shoe.model import ShoeSetup
from hil_tests.emulators.card_shoe.operator import Deal
from hil_tests.emulators.core.harness import TableStalled
from hil_tests.emulators.dice_tray.model import TraySetup
from hil_tests.emulators.dice_tray.operator import Thrown
from hil_tests.emulators.money_wheel.model import MoneyWheelSetup
from hil_tests.emulators.money_wheel.operator import Turn
from hil_tests.emulators.roulette import model as g
from hil_tests.soak_truth import wrong_deal, wrong_dice, wrong_number, wrong_turn
from tablespec.reasons import REASONS
from tabletools.replay import AGREES, UNPROVEN, replayed
from tablewire import codes
from tablewire.dice_tray import WALL_MISSED

SPINS = 100_000
SPINS_PER_TABLE = 50
# Healthy spins that may be void, as a share of them; numbers that may be wrong: none.
WRONG_VOIDS = 0.001
# Whether bets close at the first motion.
_CLOSES = {"roulette": "close_on_ball", "money_wheel": "close_on_turn"}
_CLOSES["dice"] = "close_on_pickup"
PROGRESS_S = 15.0
_NAMES = {reason.number: reason.name for reason in REASONS}
ROLES = ("roulette", "money_wheel", "dice", "card_shoe")


@dataclass(frozen=True)
class Evening:
    """One table and its spins; the same values play the same spins."""

    rig: str
    setup: Any
    noise: str
    changed: dict[str, int]
    seed: str
    spins: int

    def __str__(self) -> str:
        return f"table {self.seed} ({self.noise}, {self.setup})"


@dataclass
class Tally:
    """What came of spins: counts, and one line for each spin that went wrong.

    replayed, disagreed, unproven, untraced: rounds by what the replay of their trace came to.
    healthy, worn: spins without fault at tables with such sensor lines; *_voids: those void.
    faulty: spins by fault; missed: those whose code was another, by "fault gave code".
    """

    spins: int = 0
    numbers: int = 0
    wrong_numbers: int = 0
    healthy: int = 0
    healthy_voids: int = 0
    worn: int = 0
    worn_voids: int = 0
    stalled: int = 0
    replayed: int = 0
    disagreed: int = 0
    unproven: int = 0
    untraced: int = 0
    faulty: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    trouble: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def passed(self) -> bool:
        """True when no number was wrong, few enough healthy spins void, and replays agreed."""
        allowed = WRONG_VOIDS * self.healthy
        bad = self.wrong_numbers or self.stalled or self.disagreed
        return not bad and self.healthy_voids <= allowed


def judge(spin: Any, fault: faults.Fault | None, evening: Evening, tally: Tally) -> str:
    """Count one spin; return what went wrong with it, "" if nothing did."""
    tally.spins += 1
    if fault is None and spin.reason == WALL_MISSED and spin.doubtful:
        tally.faulty["hits_together"] += 1
        return ""
    if fault is not None:
        tally.faulty[fault.name] += 1
    elif evening.noise == "healthy":
        tally.healthy += 1
    else:
        tally.worn += 1
    if isinstance(spin, Deal) and (wrong := wrong_deal(spin, fault)):
        tally.wrong_numbers += 1
        return wrong
    if isinstance(spin, Deal) and spin.reason is None:
        tally.numbers += 1
        missed = fault is not None and fault.code not in spin.faults
        return f"{fault.name} was not told" if fault and missed else ""
    if spin.reason is None:
        tally.numbers += 1
        if isinstance(spin, Thrown):
            wrong = wrong_dice(spin, fault)
        elif isinstance(spin, Turn):
            wrong = wrong_turn(spin, fault)
        else:
            wrong = wrong_number(spin, fault, evening.setup)
        tally.wrong_numbers += bool(wrong)
        return wrong
    if fault is None:
        tally.healthy_voids += evening.noise == "healthy"
        tally.worn_voids += evening.noise != "healthy"
        return f"healthy spin void by {spin.reason}"
    if spin.reason != fault.reason or fault.code not in (spin.reason, *spin.faults):
        tally.missed[f"{fault.name} gave {spin.reason}"] += 1
        return f"{fault.name} gave {spin.reason}"
    return ""


@contextmanager
def _table(evening: Evening) -> Iterator[Any]:
    setup, seed, noise = evening.setup, evening.seed, evening.noise
    if evening.rig == "sim":
        yield decided_table(setup, seed, noise=noise, changed=evening.changed)
    else:
        with session.emulated_table(setup, seed, noise=noise) as table:
            yield table


def play(evening: Evening) -> Tally:
    """Play one evening's spins with faults drawn by its seed."""
    tally = Tally()
    with _table(evening) as table:
        for number, fault in enumerate(islice(_faults(evening), evening.spins), 1):
            try:
                spin = session.play(table, fault)
                happened = fault if spin.fault else None  # it may have come too late
                wrong = judge(spin, happened, evening, tally) or replay(table, spin, tally)
            except TableStalled as error:
                tally.stalled += 1
                wrong = f"{fault.name if fault else 'healthy'}: {error}"
            if wrong:
                tally.trouble.append(f"{evening}, spin {number}: {wrong}")
            if tally.stalled:
                break
    return tally


def replay(table: Any, spin: Any, tally: Tally) -> str:
    """Replay the round of a spin from the device's trace; return what is wrong, "" if nothing."""
    data = table.controller.trace(spin.ended.round)
    if data is None:
        # Only a round the power ended has none: no logic decided it.
        tally.untraced += 1
        cut = spin.reason == codes.SYSTEM_INTERRUPTION
        return "" if cut else "the table kept no trace"
    trace, _, verdict = replayed(data)
    if verdict.word == UNPROVEN:
        tally.unproven += 1
        return ""
    told = (spin.ended.type, spin.ended.round, tuple(spin.ended.values))
    if verdict.word == AGREES and told == (trace.ended, trace.round, trace.values):
        tally.replayed += 1
        return ""
    tally.disagreed += 1
    return f"the replay disagrees: {', '.join(verdict.differences) or 'another record'}"


def _faults(evening: Evening) -> Iterator[faults.Fault | None]:
    catalogue = session.catalogue_of(evening.setup)
    for fault in session.drawn(session.MIXED, evening.seed, catalogue=catalogue):
        if evening.rig != "sim" or fault is None or fault.name not in BEYOND:
            yield fault


def evenings(spins: int, seed: int, rig: str, role: str = ROLES[0]) -> list[Evening]:
    """Share spins out over tables, wheels and sensors taking turns, the rest at random."""
    kinds = [(wheel, sensor) for wheel in g.ORDERS for sensor in g.POCKET_SENSORS]
    found = []
    for number, start in enumerate(range(0, spins, SPINS_PER_TABLE)):
        rng = random.Random(f"{seed}/{number}/table")
        wheel, sensor = kinds[number % len(kinds)]
        setup: Any = g.Geometry(
            wheel,
            sensor,
            head_deg=rng.randrange(360),
            rim_2_deg=rng.randint(30, 150),
            index_offset=rng.randrange(len(g.ORDERS[wheel])),
            clockwise=rng.random() < 0.5,
        )
        if role == "money_wheel":
            pins = (52, 54)[number % 2]
            setup = MoneyWheelSetup(pins, rng.randrange(pins))
        noise = rng.choice(("healthy", "worn"))
        share = min(SPINS_PER_TABLE, spins - start)
        changed = {_CLOSES[role]: rng.randrange(2)} if role in _CLOSES else {}
        if role == "dice":
            setup = TraySetup(rng.randint(2, 3))
        if role == "card_shoe":
            setup, noise = ShoeSetup(rng.randint(1, 8)), "healthy"
        made = Evening(rig, setup, noise, changed, f"{seed}/{number}", share)
        found.append(made)
    return found


def report(tally: Tally, seconds: float) -> str:
    """Return the figures as text."""
    faulty = sum(tally.faulty.values())
    lines = [
        f"{tally.spins:8} spins in {seconds:.0f} s, {tally.spins / seconds:.0f} a second",
        f"{tally.numbers:8} numbers",
        f"{tally.wrong_numbers:8} wrong numbers (limit 0)",
        f"{tally.healthy:8} healthy spins, sensors healthy",
        f"{tally.healthy_voids:8} of them void (limit {100 * WRONG_VOIDS} %)",
        f"{tally.worn:8} healthy spins, sensors worn",
        f"{tally.worn_voids:8} of them void",
        f"{tally.stalled:8} tables stalled (limit 0)",
        f"{tally.replayed:8} rounds replayed from their traces, bit for bit",
        f"{tally.disagreed:8} replays that disagreed (limit 0)",
        f"{tally.unproven:8} traces the device had no room to finish",
        f"{tally.untraced:8} rounds the power ended, without a trace",
        f"{faulty:8} spins with one of {len(tally.faulty)} faults",
        f"{sum(tally.missed.values()):8} of them void by another code",
    ]
    for text, count in sorted(tally.missed.items()):
        name, code = text.split(" gave ")
        told = f"{text} ({_NAMES.get(int(code), 'unknown')})"
        lines.append(f"{count:8} x {told}, of {tally.faulty[name]}")
    return "\n".join(lines)


def run(nights: list[Evening], jobs: int) -> Tally:
    """Play all evenings on that many cores, telling trouble at once, and how far it is."""
    whole = Tally()
    spins = sum(evening.spins for evening in nights)
    started = told = time.perf_counter()
    with ProcessPoolExecutor(jobs) as pool:
        for tally in pool.map(play, nights):
            whole.add(tally)
            for text in tally.trouble:
                print(f"soak: {text}", flush=True)
            now = time.perf_counter()
            if now - told > PROGRESS_S:
                told = now
                rate = whole.spins / (now - started)
                print(f"{whole.spins} of {spins} spins, {rate:.0f} a second, ", end="")
                print(f"{whole.wrong_numbers} wrong numbers", flush=True)
    return whole


def main(argv: list[str] | None = None) -> int:
    """Play the night, print the figures, return the exit code."""
    parser = argparse.ArgumentParser(prog="soak", description="Spins with random faults.")
    parser.add_argument("--role", choices=ROLES, default=ROLES[0])
    parser.add_argument("--spins", type=int, default=SPINS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rig", choices=("sim", "wasm"), default="sim")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--table", type=int, help="only the table of that number, from 0")
    options = parser.parse_args(argv)
    if options.spins < 1 or options.jobs < 1:
        parser.error("--spins and --jobs must be at least 1")
    nights = evenings(options.spins, options.seed, options.rig, options.role)
    if options.table is not None:
        nights = nights[options.table : options.table + 1]
    started = time.perf_counter()
    whole = run(nights, options.jobs)
    print(report(whole, time.perf_counter() - started))
    return 0 if whole.passed else 1


if __name__ == "__main__":
    sys.exit(main())
