"""What goes wrong on the line between table and host: see mishaps.py."""

from __future__ import annotations

from tablewire import codes, messages

from .croupier import SpinPlan
from .mishaps import STEADY_S


def stranger_on_the_line(plan: SpinPlan) -> None:
    """Somebody has tapped the line and sends a command while the ball runs."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.intrude())
    plan.repair = lambda scene: scene.order(messages.CLEAR_FAULT, codes.LINK_TAMPERED)
