"""A long night of draws with random faults: no number is told that did not come out.

    python -m hil_tests.ball_soak [--draws N] [--seed S] [--jobs N]

A fresh machine every 25 draws: Keno and Bingo, 75, 80 and 90 balls and small sets, healthy and
worn sensors, decisions on this interpreter, each round replayed from its trace. Exit code 1 when a
number, its order or its count was wrong, there was a result in spite of a fault, healthy draws
were void too often, or a replay disagreed.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter

from hil_tests import faults
from hil_tests.decisions import decided_table
from hil_tests.emulators.core.harness import TableStalled
from hil_tests.emulators.draw_machine.faults import FAULTS
from hil_tests.emulators.draw_machine.model import DrawSetup
from hil_tests.emulators.draw_machine.operator import BallDraw, DrawTable
from hil_tests.soak_machines import play_machines
from tabletools.replay import AGREES, replayed
from tablewire import codes

DRAWS = 2_000
PER_MACHINE = 25
TROUBLED = 0.5
# Healthy draws at healthy sensors that may be void, as a share of them.
WRONG_VOIDS = 0.001
SETUPS = (
    DrawSetup(80, 20), DrawSetup(75, 0), DrawSetup(80, 0), DrawSetup(90, 0), DrawSetup(20, 6),
    DrawSetup(24, 0),
)  # fmt: skip


def wrong(draw: BallDraw, fault: faults.Fault | None) -> str:
    """Return what is wrong with what a table told of a draw, "" if nothing is."""
    told = tuple(number for _, number in draw.balls)
    if [place for place, _ in draw.balls] != list(range(1, len(told) + 1)):
        return "places of the balls"
    if told != draw.rested[: len(told)]:
        return "a ball told that did not come out so"
    if draw.reason is not None:
        return ""
    if fault is not None and fault.voids:
        return f"a result in spite of {fault.name}"
    if not draw.numbers or draw.numbers != draw.rested[: len(draw.numbers)]:
        return "numbers of the result"
    return ""


def replay(table: DrawTable, draw: BallDraw) -> str:
    """Return what the replay of a draw came to: "agrees", or what is wrong."""
    data = table.controller.trace(draw.ended.round)
    if data is None:
        cut = draw.reason == codes.SYSTEM_INTERRUPTION
        return "no trace: the power failed" if cut else "WRONG no trace"
    verdict = replayed(data)[2]
    return verdict.word if verdict.word == AGREES else f"WRONG replay {verdict.word}"


def one_draw(table: DrawTable, rng: random.Random, *, healthy_sensors: bool) -> Counter[str]:
    """Play one draw, with or without a fault, and compare what was told with what is true."""
    fault = None
    if rng.random() < TROUBLED:
        fault = rng.choice(FAULTS[:-1])
    draw = table.spin() if fault is None else table.spin(fault.inject, fault.name)
    found = Counter({"draws": 1, f"replay {replay(table, draw)}": 1})
    found["numbers told"] += len(draw.balls)
    told = wrong(draw, fault)
    if told:
        found[f"WRONG {told}"] += 1
    if fault is None:
        found["healthy"] += healthy_sensors
        found["healthy void"] += healthy_sensors and draw.reason is not None
        found["worn void"] += not healthy_sensors and draw.reason is not None
    else:
        found["faults"] += 1
        if draw.reason != fault.reason or fault.code not in (draw.reason, *draw.faults):
            found[f"other code: {fault.name} gave {draw.reason}"] += 1
    return found


def machine(seed: str, draws: int) -> Counter[str]:
    """Play one machine; counts by what happened, wrong ones with WRONG in their name."""
    rng = random.Random(seed)
    noise = rng.choice(("healthy", "worn"))
    start_us = rng.randrange(2**30)
    table = decided_table(rng.choice(SETUPS), seed, noise=noise, start_us=start_us)
    found: Counter[str] = Counter()
    for _ in range(draws):
        try:
            found += one_draw(table, rng, healthy_sensors=noise == "healthy")
        except TableStalled as error:
            found[f"WRONG stalled, machine {seed}: {error}"] += 1
            break
    return found


def main() -> int:
    """Play, print what was found, and judge."""
    began = time.monotonic()
    found = play_machines("Random draws against the truth.", "draws", DRAWS, PER_MACHINE, machine)
    bad = sum(number for name, number in found.items() if "WRONG" in name)
    void = found["healthy void"]
    print(f"{bad} wrong, {void} of {found['healthy']} healthy draws void,", end=" ")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if bad or void > WRONG_VOIDS * found["healthy"] else 0


if __name__ == "__main__":
    sys.exit(main())
