"""An emulated table ready to play: the shipped controller on the VM, a wheel and its people."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hil_tests import (
    ball_faults,
    big_wheel_faults,
    card_shoe_faults,
    card_table_faults,
    faults,
    tray_faults,
)
from hil_tests.controller import Setup, WasmController
from hil_tests.emulators.card_shoe.operator import ShoeSetup, ShoeTable
from hil_tests.emulators.core.harness import Listener
from hil_tests.emulators.draw_machine.operator import DrawSetup, DrawTable
from hil_tests.emulators.geometry import Geometry
from hil_tests.emulators.money_wheel.operator import BigWheelSetup, BigWheelTable
from hil_tests.emulators.shuffler.operator import CardSetup, CardTable
from hil_tests.emulators.table import Table
from hil_tests.emulators.tray_table import TraySetup, TrayTable

MIXED = "mixed"
Catalogue = tuple[faults.Fault, ...]
# Machine -> (the table it makes, what can go wrong at it).
KINDS: dict[type, tuple[Any, Callable[[Any], Catalogue]]] = {
    Geometry: (Table, lambda _setup: faults.FAULTS),
    BigWheelSetup: (BigWheelTable, lambda _setup: big_wheel_faults.FAULTS),
    CardSetup: (CardTable, card_table_faults.catalogue_of),
    ShoeSetup: (ShoeTable, lambda _setup: card_shoe_faults.FAULTS),
    TraySetup: (TrayTable, lambda _setup: tray_faults.FAULTS),
    DrawSetup: (DrawTable, lambda _setup: ball_faults.FAULTS),
}


def table_of(setup: Setup) -> Any:
    """Return the kind of table a machine makes."""
    return KINDS[type(setup)][0]


def catalogue_of(setup: Setup) -> Catalogue:
    """Return what can go wrong at such a table."""
    return KINDS[type(setup)][1](setup)


def by_name(setup: Setup) -> Catalogue:
    """Return what may be asked for at such a table, also what no mixture draws."""
    return ball_faults.by_name(setup) if isinstance(setup, DrawSetup) else catalogue_of(setup)


@contextmanager
def emulated_table(
    setup: Setup,
    seed: int | str,
    *,
    listen: Listener | None = None,
    pace: Callable[[Any], None] | None = None,
    noise: str = "healthy",
    acknowledge: bool = True,
    files: dict[str, bytes] | None = None,
    key: tuple[int, bytes] | None = None,
    changed: dict[str, int] | None = None,
) -> Iterator[Any]:
    """Switch on a provisioned table of the kind of its setup; it is switched off at the end.

    listen, pace, noise, acknowledge: see Table; paced, the board's code takes its time. files: the
    program, as shipped if not given. key: its number and its 32 bytes, None for a table without
    one. changed: configuration keys other than the setup's, by name.
    """
    controller = WasmController(setup, files=files, turn_us=None if pace else 0, changed=changed)
    if key is not None:
        controller.give_key(*key)
    try:
        yield table_of(setup)(
            controller,
            setup,
            seed,
            listen=listen,
            pace=pace,
            noise=noise,
            acknowledge=acknowledge,
            key=key[1] if key else None,
        )
    finally:
        controller.close()


def drawn(
    fault: str | None,
    seed: int | str,
    *,
    keyed: bool = False,
    catalogue: tuple[faults.Fault, ...] = faults.FAULTS,
) -> Iterator[faults.Fault | None]:
    """Yield the fault of each spin: None for healthy, the same each time, or drawn if MIXED.

    keyed: the table has a key, so faults that only such a table can tell are drawn as well.
    Raises KeyError for a name that is not in the catalogue.
    """
    if fault == MIXED:
        rng = random.Random(f"{seed}/faults")
        while True:
            yield faults.draw(rng, keyed=keyed, catalogue=catalogue)
    chosen = None if fault is None else faults.find(fault, catalogue)
    while True:
        yield chosen


def play(table: Any, fault: faults.Fault | None) -> Any:
    """Play one spin, healthy or with the fault. Raises ValueError if that takes a key."""
    if fault is not None and fault.keyed and not table.is_keyed:
        raise ValueError(f"only a table with a key can tell {fault.name}")
    table.wait_for_host()
    return table.spin() if fault is None else table.spin(fault.inject, fault.name)
