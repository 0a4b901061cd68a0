"""What the rim sensors cannot tell on a rough rim: false voids against missed forgeries.

    python -m hil_tests.physics.trade_off [--spins N] [--seed S] [--jobs N]

Plays healthy spins, and every class that must be void by what happened on the rim, on wheels with
two to four rim sensors whose drag varies by each share of ROUGHNESS; first with the configuration
of the factory, then with the keys of a wheel whose rim was measured. On PyPy ten times faster. The
tables of host_tools/docs/HARDWARE.md are its output.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

from hil_tests.physics import device, spin_rounds
from hil_tests.physics.spin_rounds import Rim

ROUGHNESS = (0.0, 0.02, 0.05, 0.10, 0.20, 0.30)
RIM_SENSORS = (2, 3, 4)
HEALTHY = "healthy"
# Classes in which no number is right, whatever the pocket sensor sees.
FORGED = {
    "relaunched, short": "relaunched",
    "relaunched in place, short": "relaunched in place",
    "wrong way first": "wrong way first",
    "short": "short",
    "short, hand before": "hand before",
    "short, finger before": "finger before",
    "short, two fingers before": "two fingers before",
    "short, sleeve after": "sleeve after",
    "short, finger or kick after": "finger or kick after",
    "short, EMI": "EMI",
}
"""By name, each with its heading; all but one of them are too short."""
HEADINGS = ("rim sensors", "roughness", "healthy, void", *FORGED.values())
BLOCKS = ((False, "As delivered"), (True, "Measured"))


class Row(NamedTuple):
    """Wheels of one row. calibrated: the keys of the rim are those of a measured one."""

    calibrated: bool
    rims: int
    roughness: float


def play(cell: tuple[Row, str], spins: int, seed: int, sensor: str) -> Counter[str]:
    """Play a class on the wheels of a row; what was reported, by void, number and wrong."""
    row, name = cell
    rim = Rim(row.roughness, calibrated=row.calibrated)
    counts: Counter[str] = Counter()
    for each in range(spins):
        key = f"{seed}/{name}/{row.rims}/{row.roughness}/{each}"
        spin = spin_rounds.draw(spin_rounds.BALL[name], key, sensor, row.rims, rim)
        outcome = device.play(spin)
        if outcome.index is None:
            counts["void" if outcome.ended else "stalled"] += 1
        else:
            counts["right" if outcome.index == spin.number else "wrong"] += 1
    return counts


def share(count: int, spins: int) -> str:
    """Return a share in percent with its count, 0 where there is none."""
    return f"{100 * count / spins:.1f} % ({count})" if count else "0"


def table(rows: list[Row], results: list[Counter[str]], spins: int) -> Iterator[str]:
    """Yield the lines of a table: of healthy spins the voids, of forged ones the numbers."""
    yield f"| {' | '.join(HEADINGS)} |"
    yield "|---" * len(HEADINGS) + "|"
    counts = iter(results)
    for row in rows:
        cells = [share(next(counts)["void"], spins)]
        cells += [share(next(counts)["wrong"], spins) for _name in FORGED]
        yield f"| {row.rims} | {100 * row.roughness:g} % | {' | '.join(cells)} |"


def main(words: list[str] | None = None) -> int:
    """Print the tables; 1 if a healthy spin got a wrong number, or a table stalled."""
    parser = argparse.ArgumentParser(prog="trade_off", description=__doc__)
    parser.add_argument("--spins", type=int, default=200, help="of each class in each row")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sensor", choices=("array", "head", "both"), default="array")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(words)
    if options.spins < 1 or options.jobs < 1:
        parser.error("--spins and --jobs are at least 1")
    played = partial(play, spins=options.spins, seed=options.seed, sensor=options.sensor)
    bad = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for calibrated, title in BLOCKS:
            rows = [Row(calibrated, rims, rough) for rims in RIM_SENSORS for rough in ROUGHNESS]
            cells = [(row, name) for row in rows for name in (HEALTHY, *FORGED)]
            shares = list(pool.map(played, cells))
            print(f"{title}, {options.spins} spins a cell:\n")
            print("\n".join(table(rows, shares, options.spins)), end="\n\n", flush=True)
            healthy = shares[:: 1 + len(FORGED)]
            bad += sum(counts["stalled"] for counts in shares)
            bad += sum(counts["wrong"] for counts in healthy)
    if bad:
        print(f"trade_off: {bad} healthy spins with a wrong number or rounds without an end")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
