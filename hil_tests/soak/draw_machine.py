"""The soak of the draw machine: Keno and Bingo, 75, 80 and 90 balls, and small sets."""

import random
from dataclasses import replace

from hil_tests.soak.soak_run import Built, Part
from tableemulator.fault_catalogue import Fault
from tableemulator.machines.draw_machine.draw_caller import BallDraw
from tableemulator.machines.draw_machine.draw_faults import LEFT_BEHIND
from tableemulator.machines.draw_machine.physical_draw import DrawSetup

SETUPS = (
    DrawSetup(80, 20),
    DrawSetup(75, 0),
    DrawSetup(80, 0),
    DrawSetup(90, 0),
    DrawSetup(20, 6),
    DrawSetup(24, 0),
)


def build(rng: random.Random, _number: int) -> Built:
    """Draw a table."""
    noise = rng.choice(("healthy", "worn"))
    start_us = rng.randrange(2**30)
    return Built(rng.choice(SETUPS), noise, start_us=start_us)


def wrong_draw(draw: BallDraw, fault: Fault | None, _setup: DrawSetup) -> str:
    """Return what is wrong with the balls of a draw, "" if nothing is.

    Each must have come out at its place, void or not; the numbers of a result are those of the
    balls, of a draw without a fault that voids it.
    """
    numbers = tuple(number for _, number in draw.balls)
    if [place for place, _ in draw.balls] != list(range(1, len(numbers) + 1)):
        return f"places of the balls: {draw.balls}"
    if numbers != draw.rested[: len(numbers)]:
        return f"balls {numbers}, truly {draw.rested}"
    if draw.reason is not None:
        return ""
    if fault is not None and fault.voids:
        return f"a result in spite of {fault.name}"
    if not draw.numbers or draw.numbers != draw.rested[: len(draw.numbers)]:
        return f"numbers {draw.numbers}, truly {draw.rested}"
    return ""


PART = Part(
    build,
    wrong_draw,
    also=(replace(LEFT_BEHIND, is_drawn=True),),
    spins=2_000,
    per_table=25,
)
