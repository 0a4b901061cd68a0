"""An estate: several hosts on one PostgreSQL and one broker, tables and bettors under load.

    python -m host_tools.bench.estate_bench [--tables 1 4 16] [--bettors 2] [--seconds 15]
        [--pause 0] [--bet-seconds 2] [--hosts 2] [--lease-s 3] [--no-kill]

Every process is one of its own: `tabletool serve` (each names every table; who claims a table
first has it), PostgreSQL with its usual durability, Mosquitto, the emulated tables, the bettors.
Towards the end one host is killed. After that every bet that was answered is in the ledger once,
and no other; the books are verified; every event of the outbox reached the broker. Costs are
processor seconds of the hosts and the database, so that another load on the machine moves them
little; rates and latencies share the machine with the bettors and tables, and it does move them.
"""

import argparse
import json
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from sqlalchemy import text

from host_tools.bench.estate import LAST_S, Estate, cpu_s, python, rss_mib
from host_tools.bench.figure import reported
from host_tools.tests import postgresql
from tabletools.store import Store
from tabletools.table import verify


def ranks(values: Sequence[float]) -> tuple[float, ...]:
    """p50, p95 and p99 in ms."""
    if len(values) < 2:
        return (0.0, 0.0, 0.0)
    centiles = statistics.quantiles(values, n=100)
    return tuple(round(1000 * centiles[place], 1) for place in (49, 94, 98))


@contextmanager
def betting(estate: Estate) -> Iterator[list[dict[str, Any]]]:
    """Bettors while the block lasts; yields a list that then holds what they say."""
    process = python(
        "-m",
        "host_tools.bench.estate_bettors",
        str(estate.options.pause),
        *map(str, estate.listens),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    process.stdin.write(json.dumps(estate.tokens) + "\n")
    process.stdin.flush()
    said: list[dict[str, Any]] = []
    yield said
    said.append(json.loads(process.communicate("", timeout=120)[0]))


def measure(options: argparse.Namespace, tables: int) -> dict[str, Any]:
    """One run; returns its figures by name. Raises AssertionError for a bet lost or doubled."""
    with ExitStack() as stack:
        estate = Estate(stack, options, tables)
        estate.start_hosts(stack)
        hosts, base = estate.pids()
        wal = estate.ask("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")
        size = estate.ask("SELECT pg_database_size(current_database())")
        before = cpu_s(hosts), cpu_s(base)
        begun = time.monotonic()
        figures_by_name: dict[str, Any] = {"tables": tables, "bettors": len(estate.tokens)}
        with betting(estate) as said:
            time.sleep(options.seconds)
            took = time.monotonic() - begun
            hosts, base = estate.pids()
            spent = cpu_s(hosts) - before[0], cpu_s(base) - before[1]
            bets = estate.ask("SELECT count(*) FROM bets")
            rounds = estate.ask("SELECT count(*) FROM round_settlements")
            figures_by_name |= {
                "bets_s": round(bets / took, 1),
                "rounds_s": round(rounds / took, 2),
                "host_cpu_s": round(spent[0], 2),
                "db_cpu_s": round(spent[1], 2),
                "bets": bets,
                "rounds": rounds,
                "seconds": round(took, 1),
                "host_mib": [round(rss_mib(pid)) for pid in hosts],
                "wal": int(estate.ask("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn") - wal),
                "bytes": estate.ask("SELECT pg_database_size(current_database())") - size,
            }
            if options.kill and len(hosts) > 1:
                figures_by_name["takeover_s"] = taken_over(estate)
        [answers] = said
        figures_by_name |= {
            "bet_ms": ranks(answers["took"]),
            "longest_s": round(answers["longest_s"], 2),
            "again": answers["again"],
            "closed": answers["closed"],
            **ended(estate, answers),
        }
        return figures_by_name


def taken_over(estate: Estate) -> float:
    """Kill the host that holds most tables; seconds until the others hold all, then bet on."""
    numbers = range(len(estate.hosts))
    most = max(numbers, key=estate.held_by)
    assert estate.held_by(most) > 0
    estate.kill(most)
    others = [number for number in numbers if number != most]
    seconds = estate.wait(lambda: sum(map(estate.held_by, others)) == estate.count, 60)
    time.sleep(estate.options.bet_seconds + 2)
    return round(seconds, 1)


def ended(estate: Estate, answers: dict[str, Any]) -> dict[str, Any]:
    """Let the last rounds end, then compare the ledger with the answers the bettors got."""
    said = estate.tables.communicate("", timeout=2 * LAST_S)[0]
    tables = json.loads(said.splitlines()[-1])
    outbox = "SELECT count(*) FROM outbox o LEFT JOIN deliveries d ON d.outbox_id = o.id AND"
    waiting = f"{outbox} d.delivered_ns IS NOT NULL WHERE d.sink IS NULL"
    drained = estate.wait(lambda: estate.ask(waiting) == 0, 60) if estate.broker else 0.0
    ledger = Store.open_existing(estate.place)
    with ledger.read() as db:
        report = verify.check(db)
        bet_ids = sorted(db.execute(text("SELECT id FROM bets")).scalars())
    ledger.close()
    assert report.problems == [], report.problems[:3]
    assert answers["taken"] == bet_ids, "bets were lost or doubled"
    assert not tables["left"], f"tables wait for an acknowledgement: {tables['left']}"
    return {
        "settled_ms": ranks(tables["settled"]),
        "drained_s": round(drained, 1),
        "verified": report.counts["settlements"],
    }


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description="Load an estate of hosts.")
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--bettors", type=int, default=2, help="at each table")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--bet-seconds", type=float, default=2)
    parser.add_argument("--pause", type=float, default=0, help="of a bettor, between two bets")
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--lease-s", type=int, default=3)
    parser.add_argument("--no-kill", dest="kill", action="store_false")
    return parser.parse_args(argv)


def figures(
    argv: Sequence[str] = ("--tables", "2", "--seconds", "5", "--bet-seconds", "1"),
) -> list[dict[str, object]]:
    """Measure a small estate: name, value, unit, target, verdict; none without PostgreSQL."""
    if postgresql.binaries() is None:
        return []
    options = parse(argv)
    results = measure(options, options.tables[0])
    named = f"{options.hosts} hosts, {results['tables']} tables"
    bets = max(results["bets"], 1)
    per_bet = 1000 * results["host_cpu_s"] / bets, 1000 * results["db_cpu_s"] / bets
    return [
        reported(name, value, unit)
        for name, value, unit in (
            (f"{named}: bets over HTTP", results["bets_s"], "bets/s"),
            (f"{named}: such a bet, 99 of 100 within", results["bet_ms"][2], "ms"),
            (f"{named}: number to settled and published, median", results["settled_ms"][0], "ms"),
            (f"{named}: processor of the hosts over bets, idling too", round(per_bet[0], 2), "ms"),
            (f"{named}: processor of the database likewise", round(per_bet[1], 2), "ms"),
            (f"{named}: a killed host's tables taken over", results["takeover_s"], "s"),
        )
    ]


def main() -> None:
    """Run for each number of tables; one line of JSON each."""
    options = parse()
    for tables in options.tables:
        print(json.dumps(measure(options, tables)), flush=True)


if __name__ == "__main__":
    main()
