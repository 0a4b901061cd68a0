"""`tabletool --help`: processor time of its start, beside a bare interpreter and `alembic --help`.

Programs run in turns; the least of each is compared.
"""

import os
import subprocess
import sys

from host_tools.bench.figure import Figure, judged, reported

PROGRAM = [sys.executable, "-c", "from tabletools.cli.main import main; main()", "--help"]
PEER = [sys.executable, "-m", "alembic", "--help"]
BARE = [sys.executable, "-c", "pass"]
MOST_TIMES = 1.0
TURNS = 5


def spent_s(command: list[str]) -> float:
    """Run a program; returns its processor time."""
    before = os.times()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )


def figures(turns: int = TURNS) -> list[Figure]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    rounds = [[spent_s(command) for command in (PROGRAM, PEER, BARE)] for _ in range(turns)]
    ours_s, peer_s, bare_s = map(min, zip(*rounds, strict=True))
    ratio = round(ours_s / peer_s, 2)
    return [
        judged(
            "start: --help, processor, times alembic --help",
            ratio,
            "times",
            f"<= {MOST_TIMES:g}",
            is_met=ratio <= MOST_TIMES,
        ),
        reported("start: --help, times a bare interpreter", round(ours_s / bare_s, 1), "times"),
        reported("start: --help, processor", round(ours_s, 3), "s"),
    ]
