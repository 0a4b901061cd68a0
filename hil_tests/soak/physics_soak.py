"""The soak against hands and fitters: independent physical models play every class of mishap.

    python -m hil_tests.soak.physics_soak --spins 5000 [--machine roulette] [--kind TEXT] [--show]

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

from hil_tests.mounted_wrong import played, walked
from hil_tests.physics.class_runner import run
from hil_tests.physics.kinds import WRONG, Judged, Kind
from hil_tests.physics.kinds import kinds as physical_kinds
from hil_tests.physics.making import MakeRole
from hil_tests.physics.recorded_role import Recorded
from hil_tests.physics.spin_rounds import Rim
from tableemulator.machines.roulette.mounting_faults import BY_NAME, FAULTS
from tabletools.diag.report import failed

NOT_WALKED = "wrong, but the walk fails"


def kinds(rim: Rim) -> Iterator[Kind]:
    """Yield every class: those of the models, and every wheel mounted wrong."""
    yield from physical_kinds(rim)
    for fault in FAULTS:
        for sensor in fault.sensors:
            yield Kind(f"mounting {sensor}", fault.name, partial(_mount, fault.name, sensor))


def _mount(fault: str, sensor: str, seed: str, make: MakeRole) -> Judged:
    judged, wheel = played(fault, sensor, seed, make)
    if judged.verdict == WRONG and _walk_fails(fault, sensor, wheel):
        return judged._replace(verdict=NOT_WALKED)
    return judged


@cache
def _walk_fails(fault: str, sensor: str, wheel: str) -> bool:
    return bool(failed(walked(BY_NAME[fault], sensor, wheel)))


def evidence(kind: Kind, seed: str) -> str:
    """Play a round again, recorded; how to replay the file of its trace."""
    recordings: list[Recorded] = []

    def recorded(*arguments: Any) -> Recorded:
        recordings.append(Recorded(*arguments))
        return recordings[-1]

    kind.play(seed, recorded)
    data = recordings[0].trace() if recordings else None
    if data is None:
        return "; without a trace"
    file = Path(mkdtemp(prefix="tablewire-")) / "1.trace"
    file.write_bytes(data)
    return f"; tabletool replay {file}"


if __name__ == "__main__":
    sys.exit(run("adversary", kinds, evidence))
