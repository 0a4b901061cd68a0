"""What goes wrong with what a table remembers: see mishaps.py."""

from __future__ import annotations

from hil_tests.emulators.roulette.faults import STEADY_S
from hil_tests.emulators.roulette.operator import Scene, SpinPlan
from tablewire import codes, messages


def power_cut_with_full_journal(plan: SpinPlan) -> None:
    """The power fails; the journal holds what an absent host never acknowledged."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.cut_power(full=True))


def memory_rots(plan: SpinPlan) -> None:
    """Flash rots while the ball runs, and the croupier calls the spin off."""

    def rot(scene: Scene) -> None:
        scene.rot_memory()
        scene.order_void()

    plan.befall(plan.rng.uniform(*STEADY_S), rot)
    plan.repair = lambda scene: scene.order(messages.CLEAR_FAULT, codes.MEMORY_DAMAGED)
