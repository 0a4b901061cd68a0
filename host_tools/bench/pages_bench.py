"""What a page of the console costs as the ledger grows: CPU of 50,000 rounds to that of 1,000.

A ledger of some hundred played rounds is multiplied: each row of play again, with later keys and
times. Its chain does not match these rows, and no page reads it.

    python -m host_tools.bench.pages_bench                       every page, with its milliseconds
    python -m host_tools.bench.pages_bench 1000 100000 1000000   the table of docs/CAPACITY.md

With `--folder` the ledgers stay there and are measured again; 1,000,000 rounds take 4 GB.
"""

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import httpx
from sqlalchemy import Column, Table

from host_tools.bench.figure import judged, reported
from host_tools.bench.verify_bench import played
from host_tools.tests.served import Host
from tabletools.money import people_queries
from tabletools.reports.follower import Follower
from tabletools.store import Store, SystemClock
from tabletools.store.clock import NS
from tabletools.store.schema.base import METADATA

PLAYED = 250
FEW, MANY = 1_000, 50_000
"""To build a ledger of 100,000 takes 18 s of processor time more, of the 6 min of `make bench`."""
MOST_TIMES = 2
"""Costs with MANY rounds, in costs with FEW. A page that is full costs 1.5 times a short one."""
_ATTEMPTS = 5
# What is there once however long a table plays.
_ONCE = {
    *("accounts", "alembic_version", "boots", "chain", "devices", "idempotency_keys", "leases"),
    *("pins", "removals", "table_states", "tables", "terms", "user_keys", "users"),
}
USERS = {"Ann": "supervisor", "Olga": "auditor"}
PAGES = (
    "/v1/tables",
    "/v1/tables/1",
    "/v1/rounds",
    "/v1/rounds?table=1&most=1",
    "/v1/rounds?outcome=17",
    "/v1/rounds?outcome=99",
    "/v1/rounds?verdict=unexpected",
    "/v1/rounds/{round}",
    "/v1/rounds/{round}/bets",
    "/v1/rounds?before={round}",
    "/v1/bets/{bet}/receipt",
    "/v1/stakes",
    "/v1/late-bets",
    "/v1/late-bets/waiting",
    "/v1/alarms",
    "/v1/alarms?standing=false",
    "/v1/alarm-rules",
    "/v1/needs",
    "/v1/accounts",
    "/v1/accounts/{account}",
    "/v1/accounts/{account}/movements",
    "/v1/accounts/{account}/statement?days=366",
    "/v1/movements/1/receipt",
    "/v1/takings?day={day}",
    "/v1/takings?day={day}&by=dealer",
    "/v1/takings?day={day}&days=62&by=day",
    "/v1/takings.csv?day={day}&days=62",
    "/v1/cash-places",
    "/v1/held-payouts",
    "/v1/maintenance",
    "/v1/daily-checks",
    "/v1/devices",
    "/v1/seats",
    "/v1/users",
    "/v1/offers",
    "/v1/where/R1",
    "/v1/tables/1/dealer",
    "/v1/tables/1/thrower",
    "/v1/audit",
    "/v1/tables/1/audit",
    "/v1/tables/1/audit.svg",
    "/v1/sinks",
    "/v1/ready",
    "/metrics",
)


class Cost(NamedTuple):
    """What one request of a page costs: CPU of the process with its client, and the answer."""

    cpu_ms: float
    size: int


def grow(place: str, times: int) -> None:
    """Multiply the rows of play in a ledger: each gets times - 1 later copies."""
    with closing(sqlite3.connect(place)) as db:
        db.execute("PRAGMA synchronous=OFF")
        db.execute(
            "CREATE TEMP TABLE copies AS WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL"
            f" SELECT k + 1 FROM n WHERE k < {times - 1}) SELECT k FROM n"
        )
        tables = [table for table in METADATA.sorted_tables if table.name not in _ONCE]
        spans = {table.name: _span(db, table) for table in tables}
        for table in tables:
            db.execute(f"CREATE TEMP TABLE old_{table.name} AS SELECT * FROM main.{table.name}")
            values = ", ".join(_value(table, column, spans) for column in table.columns)
            names = ", ".join(column.name for column in table.columns)
            db.execute(
                f"INSERT INTO main.{table.name} ({names})"
                f" SELECT {values} FROM old_{table.name} o, copies ORDER BY k"
            )
        db.commit()
        db.execute("ANALYZE")


def _key(table: Table) -> str | None:
    """Return the column of the key that the database assigns, if a table has one."""
    columns = list(table.primary_key.columns)
    return columns[0].name if len(columns) == 1 and not columns[0].foreign_keys else None


def _span(db: sqlite3.Connection, table: Table) -> int:
    key = _key(table)
    query = f"SELECT coalesce(max({key}), 0) FROM main.{table.name}"
    return 0 if key is None else int(db.execute(query).fetchone()[0])


def _value(table: Table, column: Column[object], spans: dict[str, int]) -> str:
    """Return the value of a column in copy k, as SQL."""
    targets = [link.column.table.name for link in column.foreign_keys]
    if column.name == "outbox_id":
        targets = ["outbox"]
    if column.name == _key(table):
        targets = [table.name]
    for target in targets:
        if target in spans:
            return f"o.{column.name} + k * {spans[target]}"
    if (table.name, column.name) in (
        ("rounds", "number"),
        ("frames", "round"),
        ("traces", "round"),
    ):
        return f"o.{column.name} + k * {spans['rounds']}"
    if column.name == "boot":
        return "o.boot + k"
    if column.name.endswith("_ns"):
        return f"o.{column.name} + k * {spans['rounds'] * 60_000_000_000}"
    if (table.name, column.name) == ("outbox", "data"):
        round_ = f"json_extract(o.data, '$.round') + k * {spans['rounds']}"
        return f"json_set(o.data, '$.round', {round_})"
    if column.name == "event_id":
        return "o.event_id || '-' || k"
    return f"o.{column.name}"


def costs(place: str) -> dict[str, Cost | None]:
    """Return what each page costs; None for one that is not answered with 200."""
    build_model(place)
    with ExitStack() as stack:
        host = stack.enter_context(Host(place, clock=EndClock(place)))
        with host.ledger.read() as db:
            is_new = not people_queries.has_users(db)
        for name, role in USERS.items() if is_new else ():
            host.user(name, role)
        clients = [host.login(name) for name in USERS]
        keys = _keys(clients[0])
        return {page: _cost(clients, page.format_map(keys)) for page in PAGES}


def _keys(client: httpx.Client) -> dict[str, object]:
    """Return what the pages name: the newest round and its bet, an account, the first day."""
    newest = client.get("/v1/rounds?most=1").json()["rounds"][0]["id"]
    bet = client.get(f"/v1/rounds/{newest}/bets").json()["bets"][0]["id"]
    account = client.get("/v1/accounts?most=1").json()["accounts"][0]["id"]
    opened = client.get("/v1/rounds?most=1&before=2").json()["rounds"][0]["opened_at"]
    return {"round": newest, "bet": bet, "account": account, "day": opened[:10]}


class EndClock(SystemClock):
    """A minute after the last round when the bench began: copies have later times than now."""

    def __init__(self, place: str) -> None:
        super().__init__()
        with closing(sqlite3.connect(place)) as db:
            [last_ns] = db.execute("SELECT max(at_ns) FROM postings").fetchone()
        self._ahead_ns = max(last_ns + 60 * NS - time.time_ns(), 0)

    def wall_ns(self) -> int:
        """Return UTC in nanoseconds since 1970."""
        return super().wall_ns() + self._ahead_ns


def build_model(place: str) -> None:
    """Build the read model of a ledger, as far as it is missing."""
    with closing(Store.open(place)) as ledger, closing(Follower(ledger)) as follower:
        while follower.step():
            pass


def _cost(clients: list[httpx.Client], path: str) -> Cost | None:
    """Return the least of several requests, by the first user who may see the page."""
    for client in clients:
        if client.get(path).status_code == 200:
            spent = []
            for _ in range(_ATTEMPTS):
                begun = time.process_time()
                size = len(client.get(path).content)
                spent.append(time.process_time() - begun)
            return Cost(min(spent) * 1000, size)
    return None


def measured(folder: Path, *counts: int) -> dict[str, list[Cost]]:
    """Return what each page costs with so many rounds, in the order of the numbers."""
    by_page: dict[str, list[Cost]] = {page: [] for page in PAGES}
    for rounds in counts:
        place = folder / f"{rounds}.ledger"
        if not place.exists():
            part = folder / f"{rounds}.part"
            played(str(part), PLAYED)
            grow(str(part), rounds // PLAYED)
            part.rename(place)
        for page, cost in costs(str(place)).items():
            assert cost is not None, page
            by_page[page].append(cost)
    return by_page


def times(page: list[Cost]) -> float:
    """Return the costs with most rounds, in costs with fewest."""
    return page[-1].cpu_ms / page[0].cpu_ms


def table(counts: Sequence[int], pages: dict[str, list[Cost]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    heads = [f"{count:,} rounds" for count in counts]
    yield f"| page | {' | '.join(heads)} | times |"
    yield f"|---|{'---|' * (len(counts) + 1)}"
    for page, all_costs in pages.items():
        cells = [f"{cost.cpu_ms:.1f} ms" for cost in all_costs]
        yield f"| `{page}` | {' | '.join(cells)} | {times(all_costs):.1f} |"


def figures(few: int = FEW, many: int = MANY) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    with tempfile.TemporaryDirectory() as folder:
        pages = measured(Path(folder), few, many)
    worst = max(pages, key=lambda page: times(pages[page]))
    ratio = round(times(pages[worst]), 1)
    name = f"{len(pages)} pages, {many} rounds to {few}, the worst ({worst})"
    return [
        judged(name, ratio, "times", f"<= {MOST_TIMES}", is_met=ratio <= MOST_TIMES),
        reported("the same page", round(pages[worst][-1].cpu_ms, 1), "ms of CPU"),
    ]


def main() -> None:
    """Print every page with its costs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="*", default=[FEW, MANY])
    parser.add_argument("--folder", type=Path, help="where the ledgers stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        print("\n".join(table(options.rounds, measured(folder, *options.rounds))))


if __name__ == "__main__":
    main()
