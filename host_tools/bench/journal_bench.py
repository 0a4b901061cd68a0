"""Flash wear: what a round writes to journal and counters, as the power-cut matrix counts."""

import sys
from pathlib import Path

from host_tools.bench.figure import reported

ROUNDS = 100
# The matrix belongs to the tests of the firmware, which stand in a folder of their own.
FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"


def written(rounds: int) -> tuple[float, float]:
    """Files and bytes written to flash by one good round, acknowledged."""
    sys.path.insert(0, str(FIRMWARE))
    try:
        from tests.rig.power_matrix import Evening

        from tablewire.roulette import WHEEL_RESULT
    finally:
        sys.path.remove(str(FIRMWARE))
    played = Evening()
    played.boot()
    before = len(played.cuts)
    for _ in range(rounds):
        played.play(WHEEL_RESULT)
        played.acknowledge()
    sizes = [len(cut.data) for cut in played.cuts[before:]]
    return len(sizes) / rounds, sum(sizes) / rounds


def figures(rounds: int = ROUNDS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    files, size = written(rounds)
    return [
        reported("flash writes a round", files, "files"),
        reported("flash bytes a round", size, "bytes"),
    ]
