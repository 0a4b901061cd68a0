"""`ledger verify`: rounds verified a second, by one process and by two."""

import tempfile
import time
from pathlib import Path

from host_tools.tests.pit import Pit
from tabletools.money.verify import check_in_processes

ROUNDS = 600


def played(place: str, rounds: int) -> None:
    """Make a ledger of rounds with two bets each."""
    pit = Pit(place)
    for number in range(1, rounds + 1):
        if number % 50 == 0:
            pit.attach()  # by the clock of the test its lease would run out
        pit.play(number, number % 37, (pit.ada, "red", 500), (pit.ben, "dozen", 500, {"index": 1}))
    pit.ledger.close()


def figures(rounds: int = ROUNDS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    found: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "ledger")
        played(place, rounds)
        for workers in (1, 2):
            begun = time.perf_counter()
            report = check_in_processes(place, workers)
            took_s = time.perf_counter() - begun
            assert report.is_sound, report.problems[:3]
            assert report.counts["rounds"] == rounds
            found.append(
                {
                    "name": f"ledger verify, {workers} processes" if workers > 1 else
                    "ledger verify, 1 process",
                    "value": round(rounds / took_s), "unit": "rounds/s", "target": None,
                    "verdict": "reported",
                }
            )  # fmt: skip
    return found
