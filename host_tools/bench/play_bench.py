"""`make run`: how soon a newcomer sees something, and how long a round of each role takes.

Beside `alembic --help`, a command line program of like imports, started before and after.
"""

import os
import subprocess
import sys
import time
from statistics import median

from host_tools.bench.figure import judged, reported

FIRST_TIMES, WHOLE_TIMES = 2.0, 45
PROGRAM = [sys.executable, "-c", "from tabletools.cli.main import main; main()", "play"]
PEER = [sys.executable, "-m", "alembic", "--help"]
_TURNS = 2


def _children_s() -> float:
    """Processor time of the processes that ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def seconds(*command: str) -> tuple[float, float, float]:
    """Run a program; returns when its first line came, when it ended, and its processor time."""
    begun, spent = time.perf_counter(), _children_s()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        lines = [program.stdout.readline()]
        first_s = time.perf_counter() - begun
        lines += program.stdout.readlines()
    assert program.returncode == 0
    assert command == (*PEER,) or any(line.startswith("balanced: ") for line in lines)
    return first_s, time.perf_counter() - begun, _children_s() - spent


def figures(*words: str) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    peers = [seconds(*PEER) for _ in range(_TURNS)]
    first_s, whole_s, spent_s = seconds(*PROGRAM, *words)
    peers += [seconds(*PEER) for _ in range(_TURNS)]
    first, whole = "make run: its first line", "make run: a round of each role"
    return [
        _most(first, first_s / median(each[1] for each in peers), FIRST_TIMES),
        reported(first, round(first_s, 2), "s"),
        _most(f"{whole}, processor", spent_s / median(each[2] for each in peers), WHOLE_TIMES),
        reported(whole, round(whole_s, 2), "s"),
    ]


def _most(name: str, ratio: float, target: float) -> dict[str, object]:
    target_text, value = f"<= {target:g}", round(ratio, 1)
    return judged(
        f"{name}, times alembic --help", value, "times", target_text, is_met=value <= target
    )
