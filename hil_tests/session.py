"""An emulated table ready to play: the shipped controller on the VM, a wheel and its people."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hil_tests import faults
from hil_tests.controller import WasmController
from hil_tests.emulators.geometry import Geometry
from hil_tests.emulators.table import Listener, Spin, Table

MIXED = "mixed"


@contextmanager
def emulated_table(
    geometry: Geometry,
    seed: int | str,
    *,
    listen: Listener | None = None,
    pace: Callable[[Table], None] | None = None,
    noise: str = "healthy",
    acknowledge: bool = True,
    files: dict[str, bytes] | None = None,
    key: tuple[int, bytes] | None = None,
) -> Iterator[Table]:
    """Switch on a provisioned table; it is switched off at the end.

    listen, pace, noise, acknowledge: see Table. files: the program, as shipped if not given. key:
    its number and its 32 bytes, None for a table without one.
    """
    controller = WasmController(geometry, files=files)
    if key is not None:
        controller.give_key(*key)
    try:
        yield Table(
            controller,
            geometry,
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
    fault: str | None, seed: int | str, *, keyed: bool = False
) -> Iterator[faults.Fault | None]:
    """Yield the fault of each spin: None for healthy, the same each time, or drawn if MIXED.

    keyed: the table has a key, so faults that only such a table can tell are drawn as well.
    Raises KeyError for a name that is not in the catalogue.
    """
    if fault == MIXED:
        rng = random.Random(f"{seed}/faults")
        while True:
            yield faults.draw(rng, keyed=keyed)
    chosen = None if fault is None else faults.find(fault)
    while True:
        yield chosen


def play(table: Table, fault: faults.Fault | None) -> Spin:
    """Play one spin, healthy or with the fault. Raises ValueError if that takes a key."""
    if fault is not None and fault.keyed and not table.is_keyed:
        raise ValueError(f"only a table with a key can tell {fault.name}")
    return table.spin() if fault is None else table.spin(fault.inject, fault.name)
