"""The soak against hands and fitters: independent physical models play every class of mishap.

    python -m hil_tests.soak.adversary --spins 5000 [--machine roulette] [--kind TEXT]

The truth is where ball, wheel and cards are in `hil_tests.physics`, which shares nothing with the
emulators. Exit code 1: more wrong outcomes in a class than its physical limit, or a stalled table.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hil_tests.emulators.roulette.model import ORDERS
from hil_tests.emulators.roulette.mounting import BY_NAME, FAULTS
from hil_tests.physics import card_shoe, device, money_wheel, rounds
from hil_tests.physics.making import MakeRole, alone
from hil_tests.physics.recorded import Recorded
from hil_tests.walked_wheel import WalkedWheel
from tabletools.diag.mounting import Wheel
from tabletools.diag.report import failed
from tabletools.diag.walk import walk

RIGHT, VOID, FALSE_VOID, WRONG, STALLED = "right", "void", "false void", "wrong", "stalled"
NOT_WALKED = "wrong, but the walk fails"
SPINS = 10_000
HOLDS_MS = 50.0  # the sheet sensor of HARDWARE.md
OVERLAPS_MM = (2.0, 84.0)


@dataclass(frozen=True)
class Kind:
    """A class of rounds of one machine.

    play(seed, make): the verdict, and what was reported and true; make: see physics.making.

    limit: share of wrong outcomes that no sensor of this build can tell (DECISIONS.md, 2026-11-25
    and 2026-11-27).
    """

    machine: str
    name: str
    play: Callable[[str, MakeRole], tuple[str, str]]
    limit: float = 0.0


def _spin(kind: rounds.Kind, sensor: str, seed: str, make: MakeRole) -> tuple[str, str]:
    spin = rounds.draw(kind, seed, sensor)
    outcome = device.play(spin, make=make)
    text = f"{outcome}, true index {spin.number}, {spin.laps:.2f} circuits"
    if not outcome.ended:
        return STALLED, text
    if outcome.index is None:
        is_false = spin.number is not None and not spin.may_void
        return FALSE_VOID if is_false else VOID, text
    return RIGHT if outcome.index == spin.number else WRONG, text


def _mounted(fault: str, sensor: str, seed: str, make: MakeRole) -> tuple[str, str]:
    # The number is compared as it is printed on the wheel. Such a wheel may never end a round.
    spin = rounds.draw(rounds.healthy, seed, sensor)
    outcome = device.play(spin, BY_NAME[fault], make)
    order = "single" if spin.build.pockets == 37 else "double"
    told = "00" if outcome.number == 37 else str(outcome.number)
    text = f"{outcome}, true index {spin.number}"
    if outcome.number is None:
        return VOID, text
    if told == ORDERS[order][spin.number or 0]:
        return RIGHT, text
    return NOT_WALKED if _walk_fails(fault, sensor, order) else WRONG, text


@cache
def _walk_fails(fault: str, sensor: str, order: str) -> bool:
    table = WalkedWheel(ORDERS[order], sensor, BY_NAME[fault])
    names = ("wheel", "reading_direction", "pocket_sensor", "index_offset")
    return bool(failed(walk(table, Wheel(*(table.keys[name] for name in names)))))


def _turn(kind: Callable[[money_wheel.Turn], None], seed: str, make: MakeRole) -> tuple[str, str]:
    turn = money_wheel.begin(seed)
    kind(turn)
    outcome, rest = money_wheel.play(turn, make)
    true = rest if turn.number == -1 else turn.number
    text = f"{outcome}, true segment {true}"
    if outcome.at_s < 0:
        return STALLED, text
    if outcome.segment is None:
        return VOID if true is None else FALSE_VOID, text
    return RIGHT if outcome.segment == true else WRONG, text


def _pull(hand: str, seed: str, make: MakeRole, *, pair: bool) -> tuple[str, str]:
    overlap = None
    if pair:
        low, high = OVERLAPS_MM
        overlap = low + (high - low) * (int(seed.rpartition("/")[2]) * 0.618 % 1.0)
    outcome, _seen = card_shoe.play(card_shoe.draw(hand, seed, overlap, HOLDS_MS), make)
    text = f"{outcome}, two cards overlap by {overlap:.1f} mm" if pair else f"{outcome}, one card"
    is_dealt = bool(outcome.dealt)
    if pair:
        return WRONG if is_dealt or not outcome.code else VOID, text
    return RIGHT if is_dealt else FALSE_VOID, text


def kinds() -> Iterator[Kind]:
    """Yield every class."""
    for sensor in ("array", "head", "both"):
        found = rounds.BALL | rounds.POCKET
        found |= rounds.ARRAY if sensor != "head" else {}
        found |= rounds.HEAD if sensor != "array" else {}
        for name, kind in found.items():
            # A head alone cannot tell a ball laid back in its first turn from one that stayed.
            limit = 1.0 if (name, sensor) == ("laid back", "head") else 0.0
            # A sleeve at the beam where a ball could be due adds a circuit: 2 of 60 (issue 20).
            limit = 2 / 60 if name == "short, sleeve after" else limit
            yield Kind(f"roulette {sensor}", name, partial(_spin, kind, sensor), limit)
    for fault in FAULTS:
        for sensor in fault.sensors:
            played = partial(_mounted, fault.name, sensor)
            yield Kind(f"mounting {sensor}", fault.name, played)
    for name, turned in money_wheel.KINDS.items():
        # Pins differ by more than a little help, and a mark by more than a wheel rests past it.
        limit = {"helped over the last pin": 0.05}.get(name, 0.005)
        yield Kind("money_wheel", name, partial(_turn, turned), limit)
    for hand in card_shoe.HANDS:
        yield Kind("card_shoe", f"one, {hand}", partial(_pull, hand, pair=False))
        yield Kind("card_shoe", f"two, {hand}", partial(_pull, hand, pair=True))


@dataclass
class Tally:
    """What became of the rounds of a class. wrong: one line for each that went wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def passed(self, kind: Kind) -> bool:
        """Whether no table stalled and no more was wrong than the class allows."""
        allowed = int(kind.limit * sum(self.counts.values()))
        return not self.counts[STALLED] and self.counts[WRONG] <= max(allowed, kind.limit > 0)


def play_kind(number: int, seed: int, count: int) -> Tally:
    """Play the rounds of the class of that number, from 0."""
    kind, tally = list(kinds())[number], Tally()
    for each in range(count):
        name = f"{seed}/{kind.machine}/{kind.name}/{each}"
        verdict, text = kind.play(name, alone)
        tally.counts[verdict] += 1
        if verdict in (WRONG, STALLED):
            tally.wrong.append(f"{verdict}: seed {name!r}: {text}; {evidence(kind, name)}")
    return tally


def evidence(kind: Kind, seed: str) -> str:
    """Play a round again, recorded; how to replay the file of its trace."""
    made: list[Recorded] = []

    def recorded(*given: Any) -> Recorded:
        made.append(Recorded(*given))
        return made[-1]

    kind.play(seed, recorded)
    data = made[0].trace() if made else None
    if data is None:
        return "without a trace"
    file = Path(mkdtemp(prefix="tablewire-")) / "1.trace"
    file.write_bytes(data)
    return f"tabletool replay {file}"


def main(argv: list[str] | None = None) -> int:
    """Play, print each class as it is done, and return the exit code."""
    parser = argparse.ArgumentParser(prog="adversary", description=__doc__.split("\n")[0])
    parser.add_argument("--spins", type=int, default=SPINS, help="shared out over the classes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--machine", default="", help="only machines that begin with this")
    parser.add_argument("--kind", default="", help="only classes whose name contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(argv)
    every = list(kinds())
    wanted = [
        number
        for number, kind in enumerate(every)
        if kind.machine.startswith(options.machine) and options.kind in kind.name
    ]
    if not wanted or options.spins < 1 or options.jobs < 1:
        parser.error("no such class, or --spins and --jobs are not at least 1")
    count = -(-options.spins // len(wanted))
    started, bad = time.perf_counter(), 0
    with ProcessPoolExecutor(options.jobs) as pool:
        tallies = pool.map(partial(play_kind, seed=options.seed, count=count), wanted)
        for done, (number, tally) in enumerate(zip(wanted, tallies, strict=True), 1):
            kind = every[number]
            counts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(tally.counts.items()))
            print(f"{done} of {len(wanted)}  {kind.machine}, {kind.name}: {counts}", flush=True)
            for text in tally.wrong:
                print(f"adversary: {text}", flush=True)
            bad += not tally.passed(kind)
    seconds = time.perf_counter() - started
    print(
        f"{count * len(wanted)} rounds of {len(wanted)} classes in {seconds:.0f} s; {bad} failed"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
