"""Rounds a second of wall-clock time of each role but roulette, on the VM in virtual time.

Roulette has its spins in rig_bench. A further role is a line of ROLES.
"""

import time
from collections.abc import Callable
from typing import Any

from hil_tests.emulators import Setup
from hil_tests.emulators.card_shoe.model import ShoeSetup
from hil_tests.emulators.dice_tray.model import TraySetup
from hil_tests.emulators.draw_machine.model import DrawSetup
from hil_tests.emulators.money_wheel.model import MoneyWheelSetup
from hil_tests.emulators.shuffler.model import ShufflerSetup
from hil_tests.session import emulated_table

SEED = 7
ROUNDS = 40
# What is done, with what, how, and how often a second: a round within 50 ms, as a spin of
# roulette; eight decks take eight times as long.
ROLES: tuple[tuple[str, Setup, Callable[[Any], object], float], ...] = (
    ("money wheel: spins on the VM", MoneyWheelSetup(), lambda table: table.spin(), 20),
    (
        "shuffler: shuffles of 52 cards on the VM",
        ShufflerSetup(),
        lambda table: table.shuffle(),
        20,
    ),
    ("shuffler: of 416 cards", ShufflerSetup(416), lambda table: table.shuffle(), 2.5),
    ("dice tray: throws on the VM", TraySetup(3), lambda table: table.spin(), 2),
    ("card shoe: rounds on the VM", ShoeSetup(), lambda table: table.spin(), 20),
    ("draw machine: draws of 20 balls on the VM", DrawSetup(), lambda table: table.spin(), 5),
)


def rate(setup: Setup, act: Callable[[Any], object], rounds: int) -> float:
    """Return acts a second of wall-clock time, the first one left out."""
    with emulated_table(setup, SEED) as table:
        act(table)
        start = time.perf_counter()
        for _ in range(rounds):
            act(table)
        took = time.perf_counter() - start
        assert table.errors == []
    return rounds / took


def figures(rounds: int = ROUNDS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    found = []
    for name, setup, act, target in ROLES:
        value = round(rate(setup, act, rounds), 1)
        verdict = "met" if value >= target else "short"
        figure = {"name": name, "value": value, "unit": "a second", "target": target}
        found.append({**figure, "verdict": verdict})
    return found
