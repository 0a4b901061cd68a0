"""The fault catalogue: everything that can go wrong at any table, and the code it must report.

The union of the catalogues of the roles (machines/<role>/*_faults.py), in their order.
For every code there is at least one fault.
"""

from __future__ import annotations

import random

from tableemulator.machines import every_emulator
from tableemulator.machines.core.fault_actions import Fault as Fault
from tablespec.reasons import REASONS

Catalogue = tuple[Fault, ...]
CATALOGUE: Catalogue = tuple(fault for each in every_emulator() for fault in each.faults)

# Share of rounds with a fault when faults are drawn at random.
MIXED_SHARE = 0.4


def draw(rng: random.Random, catalogue: Catalogue, *, keyed: bool = False) -> Fault | None:
    """Draw a fault or a healthy round; keyed: for a table with a key."""
    fitting = [fault for fault in catalogue if fault.is_drawn and (keyed or not fault.keyed)]
    return rng.choice(fitting) if rng.random() < MIXED_SHARE else None


def find(name: str, catalogue: Catalogue = CATALOGUE) -> Fault:
    """Return the fault of that name, or the first one for the reason of that name or number.

    Of the whole catalogue it is the first role that has it. Raises KeyError if there is neither.
    """
    for fault in catalogue:
        if fault.name == name:
            return fault
    numbers = [r.number for r in REASONS if name in (r.name, str(r.number))]
    for fault in catalogue:
        if fault.code in numbers:
            return fault
    raise KeyError(name)
