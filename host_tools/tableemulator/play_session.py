"""An emulated table ready to play: the shipped controller on the VM, its machine, its people."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tableemulator import fault_catalogue
from tableemulator.board.flash_file import FlashFile
from tableemulator.machines import Setup, emulator_of
from tableemulator.machines.core.harness import Listener, TableStalled
from tableemulator.shipped_controller import WasmController, pending_records

MIXED = "mixed"


def table_of(setup: Setup) -> Any:
    """Return the class of table a machine makes."""
    return emulator_of(setup).table


def catalogue_of(setup: Setup) -> fault_catalogue.Catalogue:
    """Return what can go wrong at such a table."""
    return emulator_of(setup).catalogue(setup)


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
    stored: FlashFile | None = None,
) -> Iterator[Any]:
    """Switch on a provisioned table of the kind of its setup; it is switched off at the end.

    listen, pace, noise, acknowledge: see Harness; paced, the board's code takes its time. files:
    the program, as shipped if not given. key: its number and its 32 bytes, None for a table
    without one. changed: configuration keys other than the setup's, by name. stored: where its
    flash is kept; what is there already is used as it is.
    """
    controller = WasmController(
        setup, files=files, turn_us=None if pace else 0, changed=changed, stored=stored
    )
    before = {} if stored is None else stored.files
    if key is not None and not before:
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
            earlier=pending_records(before),
        )
    finally:
        controller.close()


def drawn(
    fault: str | None,
    seed: int | str,
    catalogue: fault_catalogue.Catalogue,
    *,
    keyed: bool = False,
) -> Iterator[fault_catalogue.Fault | None]:
    """Yield the fault of each round: None for healthy, the same each time, or drawn if MIXED.

    keyed: the table has a key, so faults that only such a table can report are drawn as well.
    Raises KeyError for a name that is not in the catalogue.
    """
    if fault == MIXED:
        rng = random.Random(f"{seed}/faults")
        while True:
            yield fault_catalogue.draw(rng, catalogue, keyed=keyed)
    chosen = None if fault is None else fault_catalogue.find(fault, catalogue)
    while True:
        yield chosen


def play(table: Any, fault: fault_catalogue.Fault | None) -> Any:
    """Play one round, healthy or with the fault. Raises ValueError if that takes a key."""
    if fault is not None and fault.keyed and not table.is_keyed:
        raise ValueError(f"only a table with a key can tell {fault.name}")
    table.wait_for_host()
    return table.spin() if fault is None else table.spin(fault.inject, fault.name)


class FaultMissed(AssertionError):
    """A fault gave another code than the catalogue has: which, seed and round, and the trace."""


def provoke(table: Any, fault: fault_catalogue.Fault) -> Any:
    """Play one round with the fault; it is void with the code of the catalogue.

    Raises FaultMissed.
    """
    try:
        played = play(table, fault)
    except TableStalled as stalled:
        raise FaultMissed(f"{fault.name}: {stalled}; a table of seed {table.seed!r}") from stalled
    if played.reason == fault.reason and fault.code in (played.reason, *played.faults):
        return played
    raise FaultMissed(
        f"{fault.name} gave {played.reason} and faults {list(played.faults)}, not {fault.reason}"
        f" with {fault.code}; {evidence(table, played)}"
    )


def evidence(table: Any, played: Any) -> str:
    """Where to look for what happened in a round: seed, round, and the file of its trace."""
    number = played.ended.round
    seed_text = f"a table of seed {table.seed!r}, round {number}"
    data = table.controller.trace(number)
    if data is None:
        return f"{seed_text}, without a trace"
    file = Path(mkdtemp(prefix="tablewire-")) / f"{number}.trace"
    file.write_bytes(data)
    return f"{seed_text}: tabletool replay {file}"
