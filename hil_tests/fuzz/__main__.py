"""`make fuzz`, and the last part of `make soak`; FUZZ_MINUTES: for each target, 1 by default.

    python -m hil_tests.fuzz [--minutes M] [--executions N] [--seed S] [--jobs J] [--keep] [TARGET]

Exit code 1 when something crashed: seed, execution and the file with the small input are printed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from hil_tests.fuzz import (
    corpus,
    device_target,
    documents,
    files_and_pipes,
    host_target,
    line_storm,
    wheel_line,
    wire_targets,
)
from hil_tests.fuzz.input_search import SearchResult, Target, distil, search

TARGETS: dict[str, Target] = {
    target.name: target
    for module in (
        wire_targets,
        files_and_pipes,
        documents,
        wheel_line,
        host_target,
        device_target,
        line_storm,
    )
    for target in module.TARGETS
}
MINUTES = 1.0
# Inputs of a target that stay in the corpus.
MOST_INPUTS = 40


@dataclass(frozen=True)
class Job:
    """One search of one target. seconds, executions: see input_search.search."""

    name: str
    seed: int
    seconds: float
    executions: int


def hunt(job: Job) -> tuple[SearchResult, float]:
    """Search one target from its corpus; returns what was found and the processor seconds."""
    begun = time.process_time()
    result = search(
        TARGETS[job.name],
        job.seed,
        corpus.read(job.name),
        seconds=job.seconds,
        executions=job.executions,
    )
    return result, time.process_time() - begun


def report(job: Job, result: SearchResult, seconds: float) -> str:
    """The figures of one search as text, its crashes written to the corpus."""
    lines = [f"{job.name:9} {result.executions:8} executions, {seconds:5.0f} s of processor"]
    for name, (ran, whole) in result.lines.items():
        lines.append(f"    {name:48} {ran:4} of {whole:4} lines")
    for crash in result.crashes:
        how = f"python -m hil_tests.fuzz --seed {job.seed} {job.name}"
        path = corpus.write_crash(job.name, crash, how)
        lines.append(f"fuzz: CRASH in {job.name} (seed {job.seed}): {crash.what}")
        lines.append(f"    through {crash.where}")
        lines.append(f"    input of {len(crash.data)} bytes: {path}")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Search, print what came of it, return the exit code."""
    parser = argparse.ArgumentParser(prog="fuzz", description="Mutated input for every reader.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--minutes", type=float, default=MINUTES, help="for each target")
    parser.add_argument("--executions", type=int, default=0, help="in place of minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", action="store_true", help="renew the corpus of the targets")
    options = parser.parse_args(argv)
    unknown = set(options.targets) - TARGETS.keys()
    if unknown:
        parser.error(f"no target {', '.join(sorted(unknown))}; known: {', '.join(TARGETS)}")
    if options.jobs < 1 or options.minutes <= 0:
        parser.error("--jobs must be at least 1, --minutes above 0")
    seconds = 0.0 if options.executions else options.minutes * 60
    names = options.targets or list(TARGETS)
    jobs = [Job(name, options.seed, seconds, options.executions) for name in names]
    crashes = 0
    with ProcessPoolExecutor(min(options.jobs, len(jobs))) as pool:
        for job, (result, spent) in zip(jobs, pool.map(hunt, jobs), strict=True):
            print(report(job, result, spent), flush=True)
            crashes += len(result.crashes)
            if options.keep and TARGETS[job.name].watched:
                corpus.write_kept(job.name, distil(TARGETS[job.name], result.inputs, MOST_INPUTS))
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
