"""`ledger verify`: rounds verified a second, by one process and by two; and what going on costs.

A ledger of a year, kept for more measurements; made in some hours, and verified in minutes:

    python -m host_tools.bench.verify_bench year.ledger 200000
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import event

from host_tools.bench.figure import judged, reported
from host_tools.tests.pit import HOUSE, Pit
from tabletools import evidence
from tabletools.money import cash
from tabletools.store import Store
from tabletools.table import betting
from tabletools.table.verify import Verified, check, check_in_processes

ROUNDS = 1500
_A_YEAR_S = 3e7
_CENTS = 1_000_000_000
_NEW, _MOST = 20, 0.2
"""One in so many rounds is new; most that it costs to verify them, in costs of all."""


def played(place: str, rounds: int, midway: Callable[[Store, int], None] | None = None) -> None:
    """Make a ledger of rounds with two bets each; what is written may be in memory until later.

    midway: called after each round, with its number.
    """
    pit = Pit(place)

    @event.listens_for(pit.ledger.engine, "connect")
    def _on_connect(connection, _record):  # type: ignore[no-untyped-def]
        connection.execute("PRAGMA synchronous=OFF")

    pit.ledger.engine.dispose()
    for account in (pit.ada, pit.ben):
        cash.deposit(pit.ledger, account, _CENTS, f"year {account}", HOUSE)
    pit.lease = evidence.claim(pit.ledger, pit.table, pit.lease.holder, seconds=_A_YEAR_S)
    pit.intake.lease = pit.lease
    pit.beat()
    for number in range(1, rounds + 1):
        pit.open(number)
        bets = [pit.request(pit.ada, "red", 500), pit.request(pit.ben, "dozen", 500, index=1)]
        betting.place_all(pit.ledger, pit.lease, bets, reading=pit.reading)
        pit.close(number)
        pit.end(number, number % 37)
        if midway is not None:
            midway(pit.ledger, number)
    pit.ledger.close()


def figures(rounds: int = ROUNDS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    states = list[Verified | None]()

    def verify_most(ledger: Store, number: int) -> None:
        if number == rounds - max(rounds // _NEW, 1):
            with ledger.read() as db:
                states.append(check(db).state)

    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "ledger")
        played(place, rounds, verify_most)
        rates = [measure(place, rounds, workers) for workers in (1, 2)]
        [state] = states
        whole_s, more_s = (_cpu_s(place, since) for since in (None, state))
    ratio = round(more_s / whole_s, 2)
    name = f"the same with --state, after 1 of {_NEW} rounds was played since, to all of it"
    return [*rates, judged(name, ratio, "times", f"<= {_MOST}", is_met=ratio <= _MOST)]


def _cpu_s(place: str, since: Verified | None) -> float:
    """Return what verification by one process costs, from a state or of everything."""
    ledger = Store.open_any(place, reads=True)
    with ledger.read() as db:
        begun = time.process_time()
        report = check(db, since=since)
        spent = time.process_time() - begun
    ledger.close()
    assert report.is_sound, report.problems[:3]
    return spent


def measure(place: str, rounds: int, workers: int) -> dict[str, object]:
    """Verify a ledger of so many rounds with so many processes; returns the figure."""
    begun = time.perf_counter()
    report = check_in_processes(place, workers)
    took_s = time.perf_counter() - begun
    assert report.is_sound, report.problems[:3]
    assert report.counts["rounds"] == rounds
    processes = "1 process" if workers == 1 else f"{workers} processes"
    return reported(f"ledger verify, {processes}", round(rounds / took_s), "rounds/s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("place", help="made unless it is there")
    parser.add_argument("rounds", type=int)
    options = parser.parse_args()
    if not Path(options.place).exists():
        played(options.place, options.rounds)
    for workers in (1, 2):
        print(measure(options.place, options.rounds, workers))
