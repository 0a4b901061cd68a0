"""Plays rounds of many classes in several processes, and prints what became of each class."""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from hil_tests.physics.key_names import KEY_NAMES
from hil_tests.physics.kinds import FALSE_VOID, STALLED, WRONG, Kind
from hil_tests.physics.making import alone
from hil_tests.physics.spin_rounds import Rim
from tablewire import card_shoe, codes, draw_machine, money_wheel, roulette, shuffler

SPINS = 10_000
Kinds = Callable[[Rim], Iterator[Kind]]
Evidence = Callable[[Kind, str], str]
"""Where to look for what happened in a round of a class and seed."""
_NAMES = {
    getattr(module, name): name.lower()
    for module in (codes, roulette, money_wheel, card_shoe, draw_machine, shuffler)
    for name in dir(module)
    if name.isupper()
    and isinstance(getattr(module, name), int)
    and getattr(module, name) > 100
    and name.lower() not in KEY_NAMES
}


@dataclass
class Tally:
    """What became of the rounds of a class.

    reasons: of its voids, by name. waits_s: see Judged. wrong: one line for each that went wrong;
    false_voids: for each that should have had a result.
    """

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    waits_s: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    false_voids: list[str] = field(default_factory=list)

    def passed(self, kind: Kind) -> bool:
        """Whether no table stalled and no more was wrong, or void, than the class allows."""

        def is_within(verdict: str, share: float) -> bool:
            return self.counts[verdict] <= max(int(share * sum(self.counts.values())), share > 0)

        return (
            not self.counts[STALLED]
            and is_within(WRONG, kind.limit)
            and is_within(FALSE_VOID, kind.voids)
        )

    def __str__(self) -> str:
        parts = [f"{n} {verdict}" for verdict, n in sorted(self.counts.items())]
        if self.waits_s:
            parts.append(f"{statistics.median(self.waits_s):.1f} s from rest to number")
        reasons = ", ".join(f"{n} {name}" for name, n in self.reasons.most_common())
        return ", ".join(parts) + (f" ({reasons})" if reasons else "")


def play_kind(
    number: int, kinds: Kinds, rim: Rim, evidence: Evidence, seed: int, count: int
) -> Tally:
    """Play the rounds of the class of that number, from 0."""
    kind, tally = list(kinds(rim))[number], Tally()
    for each in range(count):
        name = f"{seed}/{kind.machine}/{kind.name}/{each}"
        judged = kind.play(name, alone)
        tally.counts[judged.verdict] += 1
        if judged.code:
            tally.reasons[_NAMES.get(judged.code, str(judged.code))] += 1
        if judged.wait_s is not None:
            tally.waits_s.append(judged.wait_s)
        text = f"{judged.verdict}: seed {name!r}: {judged.text}"
        if judged.verdict in (WRONG, STALLED):
            tally.wrong.append(text + evidence(kind, name))
        elif judged.verdict == FALSE_VOID:
            tally.false_voids.append(text)
    return tally


def run(prog: str, kinds: Kinds, evidence: Evidence) -> int:
    """Play, print each class as it is done, and return the exit code.

    1: more wrong outcomes or false voids in a class than its limits, or a stalled table.
    """
    parser = argparse.ArgumentParser(prog=prog)
    parser.add_argument("--spins", type=int, default=SPINS, help="shared out over the classes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--machine", default="", help="only machines that begin with this")
    parser.add_argument("--kind", default="", help="only classes whose name contains this")
    parser.add_argument("--rough", type=float, help="share by which drag varies; 0 to 0.2 without")
    parser.add_argument("--fitted", type=int, choices=(0, 1), help="1: drag of real balls only")
    parser.add_argument("--show", action="store_true", help="each false void, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    rim = Rim(options.rough, None if options.fitted is None else bool(options.fitted))
    every = list(kinds(rim))
    wanted = [
        number
        for number, kind in enumerate(every)
        if kind.machine.startswith(options.machine) and options.kind in kind.name
    ]
    if not wanted or options.spins < 1 or options.jobs < 1:
        parser.error("no such class, or --spins and --jobs are not at least 1")
    count = -(-options.spins // len(wanted))
    started, bad = time.perf_counter(), 0
    played = partial(
        play_kind, kinds=kinds, rim=rim, evidence=evidence, seed=options.seed, count=count
    )
    with ProcessPoolExecutor(options.jobs) as pool:
        for done, tally in enumerate(pool.map(played, wanted), 1):
            kind = every[wanted[done - 1]]
            print(f"{done} of {len(wanted)}  {kind.machine}, {kind.name}: {tally}", flush=True)
            for text in tally.wrong + (tally.false_voids if options.show else []):
                print(f"{prog}: {text}", flush=True)
            bad += not tally.passed(kind)
    seconds = time.perf_counter() - started
    print(
        f"{count * len(wanted)} rounds of {len(wanted)} classes in {seconds:.0f} s; {bad} failed"
    )
    return 1 if bad else 0
