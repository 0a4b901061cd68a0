"""`make run`: how soon a newcomer sees something, and how long a round of each role takes."""

import subprocess
import sys
import time

from host_tools.bench.figure import judged

FIRST_S, WHOLE_S = 2.0, 15.0
PROGRAM = [sys.executable, "-c", "from tabletools.cli.main import main; main()", "play"]


def seconds(*words: str) -> tuple[float, float]:
    """Play an evening; returns when its first line came, and when it ended."""
    begun = time.perf_counter()
    with subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, text=True) as played:
        assert played.stdout is not None
        assert played.stdout.readline()
        first_s = time.perf_counter() - begun
        lines = played.stdout.readlines()
    assert played.returncode == 0
    assert any(line.startswith("balanced: ") for line in lines)
    return first_s, time.perf_counter() - begun


def figures(*words: str) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    first_s, whole_s = seconds(*words)
    named = (
        ("make run: its first line", first_s, FIRST_S),
        ("make run: a round of each role", whole_s, WHOLE_S),
    )
    return [
        judged(name, round(took_s, 2), "s", most_s, is_met=took_s <= most_s)
        for name, took_s, most_s in named
    ]
