"""What goes wrong on the line between table and host: see mishaps.py."""

from __future__ import annotations

from hil_tests.emulators.roulette.faults import STEADY_S
from hil_tests.emulators.roulette.operator import SpinPlan
from tablewire import codes, messages


def stranger_on_the_line(plan: SpinPlan) -> None:
    """Somebody has tapped the line and sends a command while the ball runs."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.intrude())
    plan.repair = lambda scene: scene.order(messages.CLEAR_FAULT, codes.LINK_TAMPERED)
