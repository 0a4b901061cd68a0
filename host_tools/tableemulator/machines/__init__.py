"""The emulated tables, one folder a role, and what they share in `core`.

A folder has the physics (physical_*.py), the people and one round (croupier.py, shoe_dealer.py
...) and *_faults.py (what goes wrong, how it is played, the code expected); its package exports
EMULATOR and has the role's name.
"""

from __future__ import annotations

from importlib import import_module

from tablewire import messages

from .core.emulator import Emulator, Setup

__all__ = ["ROLES", "Emulator", "Setup", "emulator", "emulator_of", "every_emulator"]

# Role -> package.
ROLES = {name: f"{__name__}.{name}" for name in messages.ROLES}


def emulator(role: str) -> Emulator:
    """Return the emulator of a role. Raises KeyError for an unknown one."""
    module_emulator: Emulator = import_module(ROLES[role]).EMULATOR
    return module_emulator


def emulator_of(setup: Setup) -> Emulator:
    """Return the emulator of a machine."""
    return emulator(setup.role)


def every_emulator() -> list[Emulator]:
    """Return the emulators in the order of the roles, but for one whose library is missing.

    The camera of the dice tray draws with numpy, which not every installation has.
    """
    emulators = []
    for role in ROLES:
        try:
            emulators.append(emulator(role))
        except ModuleNotFoundError as error:
            if error.name != "numpy":
                raise
    return emulators
