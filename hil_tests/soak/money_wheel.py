"""The soak of the money wheel: wheels of either size."""

from __future__ import annotations

import random

from hil_tests.soak.soak_run import Built, Part
from tableemulator.fault_catalogue import Fault
from tableemulator.machines.money_wheel.physical_money_wheel import MoneyWheelSetup
from tableemulator.machines.money_wheel.wheel_presenter import Turn

# Turns of a segment (rulebook W-3).
TURNS = 4.0


def build(rng: random.Random, number: int) -> Built:
    """Draw a table; the sizes take turns."""
    pins = (52, 54)[number % 2]
    setup = MoneyWheelSetup(pins, rng.randrange(pins))
    noise = rng.choice(("healthy", "worn"))
    return Built(setup, noise, {"close_on_turn": rng.randrange(2)})


def wrong_turn(turn: Turn, fault: Fault | None, _setup: MoneyWheelSetup) -> str:
    """Return what is wrong with a segment, "" if nothing is.

    It must be the one under the flapper of a wheel at rest, of a turn without fault, with four
    true turns after the last push, no more claimed than were made, and the direction as it was.
    """
    if turn.reason is not None:
        return ""
    pays, segment, _turns, pushed, _pushes, way = turn.ended.values[:6]
    if fault is not None:
        return f"segment {segment} in spite of {fault.name}"
    if (pays, segment) != (turn.pays, turn.segment):
        return f"segment {segment} paying {pays}, truly {turn.true}"
    if turn.turns < max(pushed / 100, TURNS):
        return f"{pushed / 100} turns, truly {turn.turns:.2f}"
    return "" if way == turn.direction else f"direction {way}, truly {turn.direction}"


PART = Part(build, wrong_turn)
