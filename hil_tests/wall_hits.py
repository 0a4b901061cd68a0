"""How often a far wall of plates calls a good throw short: `python -m hil_tests.wall_hits`.

The counting is the device's own (tablelogic.dice_tray.plate), the dice are those of the model. Two
dice on one plate within hit_gap_ms are taken for one, so the throw is void though all of them hit.
"""

from __future__ import annotations

import random

from tableemulator.machines.dice_tray.physical_tray import HIT_PULSE_US
from tableemulator.machines.dice_tray.stickman import (
    WALL_M,
    draw_again,
    draw_aim,
    draw_run,
    plate_of,
)
from tablelogic.dice_tray.plate import Plate

DICE = (1, 2, 3, 4, 6)
PLATES = (1, 3, 6, 12, 24, 48)
THROWS = 20_000
GAP_MS = 12  # hit_gap_ms of the factory


def touches(rng: random.Random, dice: int, plates: int) -> list[tuple[int, int]]:
    """Draw a good throw: (time in us, plate) of each touch of the wall, in order of time."""
    aim, speed = draw_aim(rng)
    touches = []
    for _ in range(dice):
        run = draw_run(rng, aim, speed)
        at_us, plate = int((run.left_s + WALL_M / run.speed) * 1e6), plate_of(run.across, plates)
        again_us = draw_again(rng)
        touches.append((at_us, plate))
        if again_us:
            touches.append((at_us + again_us, plate))
    return sorted(touches)


def counted(touches: list[tuple[int, int]], plates: int, gap_ms: int = GAP_MS) -> int:
    """Return how many dice the device counts; each touch is a pulse, longer when two overlap."""
    wall = [Plate(gap_ms * 1000) for _ in range(plates)]
    hits = 0
    ends = [0] * plates
    for at_us, place in touches:
        plate = wall[place]
        if plate.level and at_us > ends[place]:
            hits += plate.hit(0, ends[place])
        plate.hit(1, at_us)
        ends[place] = at_us + HIT_PULSE_US
    return hits + sum(plate.hit(0, ends[place]) for place, plate in enumerate(wall))


def void_share(dice: int, plates: int, throws: int = THROWS, gap_ms: int = GAP_MS) -> float:
    """Return the share of good throws in which fewer hits are counted than there are dice.

    Raises AssertionError should more be counted: a throw that missed the wall could pass.
    """
    rng = random.Random(f"{dice} dice, {plates} plates")
    short = 0
    for _ in range(throws):
        hits = counted(touches(rng, dice, plates), plates, gap_ms)
        assert hits <= dice, f"{hits} hits of {dice} dice"
        short += hits < dice
    return short / throws


def table(throws: int = THROWS) -> str:
    """Return the table that stands in HARDWARE.md."""
    lines = [
        "| dice | " + " | ".join(f"{n} plates" for n in PLATES).replace("1 plates", "1 plate", 1)
    ]
    lines[0] += " |"
    lines.append("|---" * (len(PLATES) + 1) + "|")
    for dice in DICE:
        shares = (f"{100 * void_share(dice, plates, throws):.1f} %" for plates in PLATES)
        lines.append(f"| {dice} | " + " | ".join(shares) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
