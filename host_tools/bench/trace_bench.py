"""Traces of rounds: their size, how many fit the device, how fast they are replayed."""

import time

from hil_tests.decisions import decided_table
from hil_tests.emulators.roulette.model import Geometry
from tabletools.replay import UNPROVEN, replayed

SPINS = 12
TABLES = (("single", "array"), ("double", "head"), ("double", "both"))
SEED = 5


def traces(noise: str, spins: int) -> list[bytes]:
    """The traces of healthy spins at one table of each kind."""
    found = []
    for wheel, sensor in TABLES:
        table = decided_table(Geometry(wheel, sensor), SEED, noise=noise)
        for _ in range(spins):
            data = table.controller.trace(table.spin().ended.round)
            assert data is not None
            found.append(data)
    return found


def figures(spins: int = SPINS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    made = {noise: traces(noise, spins) for noise in ("healthy", "worn")}
    start = time.perf_counter()
    verdicts = {noise: [replayed(data)[2] for data in found] for noise, found in made.items()}
    rate = sum(map(len, made.values())) / (time.perf_counter() - start)
    shown = [_reported("rounds replayed", round(rate), "a second")]
    for noise, found in made.items():
        sizes = sorted(map(len, found))
        cut = sum(verdict.word == UNPROVEN for verdict in verdicts[noise])
        shown += [
            _reported(f"trace of a round, {noise} lines, median", sizes[len(sizes) // 2], "bytes"),
            _reported(f"trace of a round, {noise} lines, longest", sizes[-1], "bytes"),
            _reported(f"rounds too long for it, {noise} lines", cut, f"of {len(sizes)}"),
        ]
    return shown


def _reported(name: str, value: int, unit: str) -> dict[str, object]:
    return {"name": name, "value": value, "unit": unit, "target": None, "verdict": "reported"}
