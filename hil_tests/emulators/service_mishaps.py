"""What befalls the program of a table and the console that leads to it: see mishaps.py."""

from __future__ import annotations

from hil_tests.emulators import geometry as g
from hil_tests.emulators.roulette.faults import STEADY_S, befall_input
from hil_tests.emulators.roulette.operator import Scene, SpinPlan
from tablewire import codes, messages


def key_turned(plan: SpinPlan) -> None:
    """Somebody turns the maintenance key; the technician turns it back."""
    befall_input(plan, g.MAINTENANCE)


def locked_from_pit(plan: SpinPlan) -> None:
    """The host locks the table after an attestation; the technician clears it after a match."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.order(messages.LOCK))

    def clear(scene: Scene) -> None:
        scene.order(messages.CLEAR_FAULT, codes.FIRMWARE_MISMATCH)

    plan.repair = clear


def older_program(plan: SpinPlan) -> None:
    """The power fails, and the table boots a program older than it ran before."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.boot_release(behind=1))
    plan.repair = lambda scene: scene.boot_release(behind=0)
