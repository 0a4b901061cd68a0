"""A table whose controller is nothing but the decisions: fast, on this interpreter, no VM.

For long soaks and for tests of what is decided; how it reaches the wire is tested elsewhere.
"""

from __future__ import annotations

from typing import Any

from hil_tests.rigs.sim import SimController
from tableemulator import play_session
from tableemulator.machines import Setup
from tableemulator.machines.core import board_pins
from tableemulator.machines.core.harness import Listener
from tableemulator.shipped_controller import configuration
from tablewire import messages

# Pins of the emulated board -> sensors of the role.
SENSORS = dict(
    zip(
        (*board_pins.INPUTS, *board_pins.CONTACTS),
        (
            messages.INPUT_1,
            messages.INPUT_2,
            messages.INPUT_3,
            messages.INPUT_4,
            messages.INPUT_5,
            messages.INPUT_6,
            messages.INPUT_7,
            messages.INPUT_8,
            messages.INPUT_BUTTON,
            messages.INPUT_TILT,
            messages.INPUT_DOME,
            messages.INPUT_MAINTENANCE,
        ),
        strict=True,
    )
)
# Faults that need more of a controller than its decisions, and why.
BEYOND = {
    "edges_lost": "the ring of edges that runs over belongs to the application",
    "memory_damaged": "what is kept on flash belongs to the application",
    "host_away": "the journal that runs full belongs to the application",
    "link_tampered": "keys and sessions belong to the application",
}


def decided_table(
    setup: Setup,
    seed: int | str,
    *,
    noise: str = "healthy",
    start_us: int = 0,
    listen: Listener | None = None,
    changed: dict[str, int] | None = None,
) -> Any:
    """Switch on a table. noise, listen: see Harness; start_us: see SimController.

    changed: configuration keys other than the setup's, by name.
    """
    copy = configuration(setup, **(changed or {}))
    controller = SimController(copy, SENSORS, start_us=start_us)
    return play_session.table_of(setup)(controller, setup, seed, noise=noise, listen=listen)
