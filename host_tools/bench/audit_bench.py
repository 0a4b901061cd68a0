"""`tabletool audit`: rows a second, a file read and all tests made, beside csv.reader alone.

The file has an order, croupiers and drop angles, so that every test is made but two.
"""

import csv
import random
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from host_tools.bench.figure import Figure, judged, reported
from tabletools.audit import MACHINES, audit, read_spins

ROWS = 1_000_000
MOST_S = 5.0
TARGET_RATIO = 0.1
_SEED = 46


def write_spins(path: Path, rows: int) -> None:
    """Write a file of fair spins."""
    source = random.Random(_SEED)
    with path.open("w", encoding="utf-8") as out:
        out.write("round,pocket,croupier,drop_deg\n")
        out.writelines(
            f"{number},{source.randrange(37)},C{number % 7},{source.randrange(3600) / 10}\n"
            for number in range(rows)
        )


def audit_file(path: Path) -> int:
    """Read and audit the file; returns its results."""
    [spins] = read_spins(path, MACHINES["single"])
    return audit(spins, MACHINES["single"]).n


def read_only(path: Path) -> int:
    """Read the file by the reader of the standard library; returns its rows."""
    with path.open(encoding="utf-8", newline="") as lines:
        return sum(1 for _ in csv.reader(lines)) - 1


def _seconds(work: Callable[[Path], int], path: Path, rows: int) -> float:
    begin = time.process_time()
    assert work(path) == rows
    return time.process_time() - begin


def figures(rows: int = ROWS) -> list[Figure]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "spins.csv"
        write_spins(path, rows)
        peer_s = min(_seconds(read_only, path, rows) for _ in range(2))
        spent_s = _seconds(audit_file, path, rows)
        peer_s = min(peer_s, _seconds(read_only, path, rows))
    ratio, many = round(peer_s / spent_s, 2), f"{rows:,} rows"
    return [
        judged(
            "audit: rows a second, times csv.reader alone",
            ratio,
            "times",
            f">= {TARGET_RATIO}",
            is_met=ratio >= TARGET_RATIO,
        ),
        reported("audit: rows a second", round(rows / spent_s), "rows/s"),
        judged(
            f"audit: processor time of {many}",
            round(spent_s, 2),
            "s",
            f"<= {MOST_S:g}",
            is_met=spent_s <= MOST_S,
        ),
    ]
