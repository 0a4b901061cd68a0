"""Plays tables with random faults, judges each round, and counts."""

from __future__ import annotations

import argparse
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from importlib import import_module
from itertools import islice
from typing import Any

from hil_tests.decisions import BEYOND, decided_table
from tableemulator import fault_catalogue, play_session
from tableemulator.machines import every_emulator
from tableemulator.machines.core.harness import TableStalled
from tablespec.reasons import REASONS
from tabletools.replay import AGREES, UNPROVEN, replayed
from tabletools.replay.replay_run import flat
from tablewire import codes

PROGRESS_S = 15.0
_NAMES = {reason.number: reason.name for reason in REASONS}


@dataclass(frozen=True)
class Built:
    """One table. changed: keys other than the setup's. start_us: see SimController."""

    setup: Any
    noise: str = "healthy"
    changed: dict[str, int] = field(default_factory=dict)
    start_us: int = 0


def _no_excuse(_played: Any) -> str:
    return ""


@dataclass(frozen=True)
class Part:
    """What the soak needs of a role.

    build(rng, number): draw the table of that number, from 0. wrong(played, fault, setup): what
    is wrong with what the table reported of a round, "" if nothing is. excuse(played): why a
    healthy round could be void, "" if it could not. also: faults drawn besides those of mixed
    rounds. play: how a table is played that is not played in rounds. spins, per_table: how many by
    default, and at one table. voids, worn_voids: share of the healthy rounds that may be void at
    tables with healthy and with worn sensor lines.
    """

    build: Callable[[random.Random, int], Built]
    wrong: Callable[[Any, fault_catalogue.Fault | None, Any], str] = lambda *_: ""
    excuse: Callable[[Any], str] = _no_excuse
    also: fault_catalogue.Catalogue = ()
    play: Callable[[TableRun], Tally] | None = None
    spins: int = 100_000
    per_table: int = 50
    voids: float = 0.001
    worn_voids: float = 0.05


def part(role: str) -> Part:
    """Return the part of a role. Raises ModuleNotFoundError for one that has none."""
    own: Part = import_module(f"hil_tests.soak.{role}").PART
    return own


@dataclass(frozen=True)
class TableRun:
    """One table and its rounds; the same values play the same rounds."""

    rig: str
    role: str
    built: Built
    seed: str
    spins: int

    def __str__(self) -> str:
        return f"table {self.seed} ({self.built.noise}, {self.built.setup})"


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

    def passes(self, own: Part) -> bool:
        """True when no number was wrong, few enough healthy spins void, and replays agreed.

        One void is no share, in a run too short for one to be allowed.
        """
        bad = self.wrong_numbers or self.stalled or self.disagreed
        healthy = self.healthy_voids <= max(1, own.voids * self.healthy)
        return not bad and healthy and self.worn_voids <= max(1, own.worn_voids * self.worn)


def judge(
    played: Any, fault: fault_catalogue.Fault | None, table_run: TableRun, tally: Tally
) -> str:
    """Count one round; return what went wrong with it, "" if nothing did."""
    own, is_healthy = part(table_run.role), table_run.built.noise == "healthy"
    tally.spins += 1
    if fault is None and (excuse := own.excuse(played)):
        tally.faulty[excuse] += 1
        return ""
    if fault is not None:
        tally.faulty[fault.name] += 1
    elif is_healthy:
        tally.healthy += 1
    else:
        tally.worn += 1
    tally.numbers += played.reason is None
    if wrong := own.wrong(played, fault, table_run.built.setup):
        tally.wrong_numbers += 1
        return wrong
    if fault is None:
        if played.reason is None:
            return ""
        tally.healthy_voids += is_healthy
        tally.worn_voids += not is_healthy
        return f"healthy spin void by {played.reason}"
    if played.reason != fault.reason or fault.code not in (played.reason, *played.faults):
        tally.missed[f"{fault.name} gave {played.reason}"] += 1
        return f"{fault.name} gave {played.reason}"
    return ""


@contextmanager
def _table(table_run: TableRun) -> Iterator[Any]:
    built, seed = table_run.built, table_run.seed
    options: Any = {"noise": built.noise, "changed": built.changed}
    if table_run.rig == "sim":
        yield decided_table(built.setup, seed, start_us=built.start_us, **options)
    else:
        with play_session.emulated_table(built.setup, seed, **options) as table:
            yield table


def play(table_run: TableRun) -> Tally:
    """Play the rounds of one table with faults drawn by its seed."""
    own = part(table_run.role).play
    return _play_rounds(table_run) if own is None else own(table_run)


def _play_rounds(table_run: TableRun) -> Tally:
    tally = Tally()
    with _table(table_run) as table:
        for number, fault in enumerate(islice(_faults(table_run), table_run.spins), 1):
            try:
                played = play_session.play(table, fault)
                happened = fault if played.fault else None  # it may have come too late
                wrong = judge(played, happened, table_run, tally)
                wrong = wrong or replay(table, played, tally)
                wrong = wrong and f"{wrong}; {play_session.evidence(table, played)}"
            except TableStalled as error:
                tally.stalled += 1
                wrong = f"{fault.name if fault else 'healthy'}: {error}"
            if wrong:
                tally.trouble.append(f"{table_run}, spin {number}: {wrong}")
            if tally.stalled:
                break
    return tally


def replay(table: Any, played: Any, tally: Tally) -> str:
    """Replay a round from the device's trace; return what is wrong, "" if nothing."""
    data = table.controller.trace(played.ended.round)
    if data is None:
        # Only a round the power ended has none: no logic decided it.
        tally.untraced += 1
        cut = played.reason == codes.SYSTEM_INTERRUPTION
        return "" if cut else "the table kept no trace"
    trace, _, verdict = replayed(data)
    if verdict.word == UNPROVEN:
        tally.unproven += 1
        return ""
    ended = played.ended
    reported = (ended.type, ended.round, flat(ended.values))
    if verdict.word == AGREES and reported == (trace.ended, trace.round, trace.values):
        tally.replayed += 1
        return ""
    tally.disagreed += 1
    return f"the replay disagrees: {', '.join(verdict.differences) or 'another record'}"


def _faults(table_run: TableRun) -> Iterator[fault_catalogue.Fault | None]:
    catalogue = (*play_session.catalogue_of(table_run.built.setup), *part(table_run.role).also)
    for fault in play_session.drawn(play_session.MIXED, table_run.seed, catalogue):
        if table_run.rig != "sim" or fault is None or fault.name not in BEYOND:
            yield fault


def table_runs(
    spins: int, seed: int, rig: str, role: str = "roulette", *, per_table: int | None = None
) -> list[TableRun]:
    """Share rounds out over tables, each built by its own seed. per_table: see Part."""
    own, runs = part(role), []
    most = per_table or own.per_table
    for number, start in enumerate(range(0, spins, most)):
        built = own.build(random.Random(f"{seed}/{number}/table"), number)
        share = min(most, spins - start)
        runs.append(TableRun(rig, role, built, f"{seed}/{number}", share))
    return runs


def report(tally: Tally, seconds: float, own: Part) -> str:
    """Return the figures as text."""
    faulty = sum(tally.faulty.values())
    lines = [
        f"{tally.spins:8} spins in {seconds:.0f} s, {tally.spins / seconds:.0f} a second",
        f"{tally.numbers:8} numbers",
        f"{tally.wrong_numbers:8} wrong numbers (limit 0)",
        f"{tally.healthy:8} healthy spins, sensors healthy",
        f"{tally.healthy_voids:8} of them void (limit {100 * own.voids:g} %)",
        f"{tally.worn:8} healthy spins, sensors worn",
        f"{tally.worn_voids:8} of them void (limit {100 * own.worn_voids:g} %)",
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
        reason = _NAMES.get(int(code), "unknown") if code.isdecimal() else "a result"
        lines.append(f"{count:8} x {text} ({reason}), of {tally.faulty[name]}")
    return "\n".join(lines)


def run(runs: list[TableRun], jobs: int) -> Tally:
    """Play all tables on that many cores; print trouble at once, and the progress."""
    whole = Tally()
    spins = sum(table_run.spins for table_run in runs)
    started = printed = time.perf_counter()
    with ProcessPoolExecutor(jobs) as pool:
        for tally in pool.map(play, runs):
            whole.add(tally)
            for text in tally.trouble:
                print(f"soak: {text}", flush=True)
            now = time.perf_counter()
            if now - printed > PROGRESS_S:
                printed = now
                rate = whole.spins / (now - started)
                print(f"{whole.spins} of {spins} spins, {rate:.0f} a second, ", end="")
                print(f"{whole.wrong_numbers} wrong numbers", flush=True)
    return whole


def main(argv: list[str] | None = None) -> int:
    """Play, print the figures, return the exit code."""
    roles = {name: each.role for each in every_emulator() for name in (each.role, each.command)}
    parser = argparse.ArgumentParser(prog="soak", description="Spins with random faults.")
    parser.add_argument("--role", choices=roles, default="roulette")
    parser.add_argument("--spins", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rig", choices=("sim", "wasm"), default="sim")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--table", type=int, help="only the table of that number, from 0")
    options = parser.parse_args(argv)
    role = roles[options.role]
    spins = part(role).spins if options.spins is None else options.spins
    if spins < 1 or options.jobs < 1:
        parser.error("--spins and --jobs must be at least 1")
    runs = table_runs(spins, options.seed, options.rig, role)
    if options.table is not None:
        runs = runs[options.table : options.table + 1]
    started = time.perf_counter()
    whole = run(runs, options.jobs)
    print(report(whole, time.perf_counter() - started, part(role)))
    return 0 if whole.passes(part(role)) else 1
