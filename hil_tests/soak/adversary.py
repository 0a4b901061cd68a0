"""The soak against hands and fitters: independent physical models play every class of mishap.

    python -m hil_tests.soak.adversary --spins 5000 [--machine roulette] [--kind TEXT] [--show]

The truth is where ball, wheel and cards are in `hil_tests.physics`, which shares nothing with the
emulators. Exit code 1: more wrong outcomes in a class than its physical limit, or a stalled table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hil_tests.emulators.roulette.model import ORDERS
from hil_tests.emulators.roulette.mounting import BY_NAME, FAULTS
from hil_tests.physics import device, rounds
from hil_tests.physics.kinds import RIGHT, VOID, WRONG, Judged, Kind
from hil_tests.physics.kinds import kinds as physical_kinds
from hil_tests.physics.making import MakeRole
from hil_tests.physics.recorded import Recorded
from hil_tests.physics.runner import run
from hil_tests.walked_wheel import WalkedWheel
from tabletools.diag.report import failed
from tabletools.diag.walk import walk

NOT_WALKED = "wrong, but the walk fails"


def kinds(rim: rounds.Rim) -> Iterator[Kind]:
    """Yield every class: those of the models, and every wheel mounted wrong."""
    yield from physical_kinds(rim)
    for fault in FAULTS:
        for sensor in fault.sensors:
            played = partial(_mounted, fault.name, sensor)
            yield Kind(f"mounting {sensor}", fault.name, played)


def _mounted(fault: str, sensor: str, seed: str, make: MakeRole) -> Judged:
    # The number is compared as it is printed on the wheel. Such a wheel may never end a round.
    mounting = BY_NAME[fault]
    spin = rounds.draw(rounds.healthy, seed, sensor, mounting.rims)
    outcome = device.play(spin, mounting, make)
    order = "single" if spin.build.pockets == 37 else "double"
    reported = "00" if outcome.number == 37 else str(outcome.number)
    text = f"{outcome}, true index {spin.number}"
    if outcome.number is None:
        return Judged(VOID, text, outcome.reason)
    if reported == ORDERS[order][spin.number or 0]:
        return Judged(RIGHT, text)
    return Judged(NOT_WALKED if _walk_fails(fault, sensor, order) else WRONG, text)


@cache
def _walk_fails(fault: str, sensor: str, order: str) -> bool:
    mounting = BY_NAME[fault]
    table = WalkedWheel(ORDERS[order], sensor, mounting, mounting.rims)
    return bool(failed(walk(table, table.wheel())))


def evidence(kind: Kind, seed: str) -> str:
    """Play a round again, recorded; how to replay the file of its trace."""
    made: list[Recorded] = []

    def recorded(*given: Any) -> Recorded:
        made.append(Recorded(*given))
        return made[-1]

    kind.play(seed, recorded)
    data = made[0].trace() if made else None
    if data is None:
        return "; without a trace"
    file = Path(mkdtemp(prefix="tablewire-")) / "1.trace"
    file.write_bytes(data)
    return f"; tabletool replay {file}"


if __name__ == "__main__":
    sys.exit(run("adversary", kinds, evidence))
