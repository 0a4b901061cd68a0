"""The ledger: rounds and bets a second, durable, and one round of 20,000 bets, on both databases.

Every figure is of whole transactions that are on the disk. The settlement of the round is compared
with a peer, a transaction that stores as many rows of plain values in the same database, before
and after. PostgreSQL is a private cluster of the system's own binaries with its usual durability;
without them its figures are left out.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from host_tools.bench.figure import judged, reported
from host_tools.tests import postgresql
from host_tools.tests.pit import Pit
from tabletools.games import roulette
from tabletools.money import play_queries
from tabletools.store.schema.play import settlements
from tabletools.table.betting import BetRequest, place_all

BETS = 20_000
PLAYERS = 2000
MOST_TIMES = {"SQLite": 20, "PostgreSQL": 30}
_TURNS = 2
_STAKES = 500, 1000, 2500
_COLUMNS = [column.name for column in settlements.columns]
_MARKS = ", ".join("?" * len(_COLUMNS))


def requests(pit: Pit, players: list[int], count: int, seed: int) -> list[BetRequest]:
    """Return requests for bets of every kind, of these players in turn."""
    source = random.Random(seed)
    rules = roulette.rules_of("hc2023", "french")
    places = [place for kind in rules.odds for place in rules.wheel.positions[kind]]
    wanted = []
    for number in range(count):
        place = source.choice(places)
        more = {"numbers": list(place.numbers)} if place.index is None else {"index": place.index}
        player = players[number % len(players)]
        wanted.append(pit.request(player, place.kind, source.choice(_STAKES), **more))
    return wanted


def _seconds(start: float) -> float:
    return time.perf_counter() - start


def plain_rows(pit: Pit, count: int) -> float:
    """Store so many rows of a settlement in a table of their own; returns seconds."""
    rows = [(n, 1, 1, '{"pocket":"17"}', 500, 0, 0, 0, 500, None, "loses") for n in range(count)]
    names = ", ".join(_COLUMNS)
    with pit.ledger.engine.connect() as db:
        driver = db.connection.driver_connection
        driver.execute("DROP TABLE IF EXISTS plain")
        driver.execute(f"CREATE TABLE plain ({', '.join(f'{name} TEXT' for name in _COLUMNS)})")
        driver.commit()
        begun = time.perf_counter()
        if pit.ledger.is_sqlite:
            driver.execute("BEGIN IMMEDIATE")
            driver.executemany(f"INSERT INTO plain VALUES ({_MARKS})", rows)
        else:
            with driver.cursor().copy(f"COPY plain ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        driver.commit()
        return _seconds(begun)


def big_round(pit: Pit, players: list[int], bets: int) -> tuple[float, float]:
    """Settle one round of so many bets; returns bets placed a second, and seconds to settle."""
    pit.open(1)
    asked = requests(pit, players, bets, seed=2)
    start = time.perf_counter()
    for first in range(0, bets, 500):
        answers = place_all(pit.ledger, pit.lease, asked[first : first + 500], reading=pit.reading)
        refused = [answer for answer in answers if isinstance(answer, Exception)]
        assert not refused, refused[0].what
    placed = bets / _seconds(start)
    pit.close(1)
    start = time.perf_counter()
    pit.end(1, 17)
    took = _seconds(start)
    verify_settled(pit, 1, bets)
    return placed, took


def verify_settled(pit: Pit, number: int, bets: int) -> None:
    """Raise AssertionError unless so many bets of a round came to something."""
    with pit.ledger.read() as db:
        whole = play_queries.round_whole(db, pit.key(number))
    assert whole is not None
    assert whole["bet_count"] == bets, whole["bet_count"]


def single_bets(pit: Pit, players: list[int], count: int) -> list[float]:
    """Place bets one by one, each in a transaction of its own; returns the seconds of each."""
    pit.open(2)
    took = []
    for request in requests(pit, players, count, seed=3):
        start = time.perf_counter()
        [answer] = place_all(pit.ledger, pit.lease, [request], reading=pit.reading)
        took.append(_seconds(start))
        assert not isinstance(answer, Exception), answer
    pit.close(2)
    pit.end(2, 17)
    verify_settled(pit, 2, count)
    return took


def rounds_a_second(pit: Pit, players: list[int], count: int) -> float:
    """Play rounds of ten bets in one transaction; returns rounds a second."""
    start = time.perf_counter()
    for number in range(3, 3 + count):
        pit.open(number)
        asked = requests(pit, players, 10, seed=number)
        place_all(pit.ledger, pit.lease, asked, reading=pit.reading)
        pit.close(number)
        pit.end(number, number % 37)
    rate = count / _seconds(start)
    verify_settled(pit, 2 + count, 10)
    return rate


def measure(place: str, name: str, bets: int) -> Iterator[dict[str, object]]:
    """Yield the figures of one database."""
    pit = Pit(place)
    try:
        players = [pit.player(f"p{number}", 100_000_000) for number in range(PLAYERS)]
        rows = [plain_rows(pit, bets) for _ in range(_TURNS)]
        placed, settled = big_round(pit, players, bets)
        rows += [plain_rows(pit, bets) for _ in range(_TURNS)]
        one_by_one = single_bets(pit, players, max(20, bets // 50))
        rounds = rounds_a_second(pit, players, max(5, bets // 200))
    finally:
        pit.ledger.close()
    whole, target = f"{name}: a round of {bets} bets settled", MOST_TIMES[name]
    ratio = round(settled / statistics.median(rows), 1)
    yield judged(
        f"{whole}, times its rows", ratio, "times", f"<= {target}", is_met=ratio <= target
    )
    yield reported(whole, round(settled, 3), "s")
    yield reported(f"{name}: bets placed, 500 in a transaction", round(placed), "bets/s")
    rate = round(len(one_by_one) / sum(one_by_one))
    yield reported(f"{name}: bets placed, each in its own", rate, "bets/s")
    slow = round(1000 * statistics.quantiles(one_by_one, n=100)[98], 1)
    yield reported(f"{name}: such a bet, 99 of 100 within", slow, "ms")
    yield reported(f"{name}: rounds of 10 bets, 4 transactions each", round(rounds), "rounds/s")


def figures(bets: int = BETS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    with tempfile.TemporaryDirectory() as folder:
        results = list(measure(str(Path(folder) / "ledger"), "SQLite", bets))
    if postgresql.binaries() is None:
        return results
    cluster = postgresql.Cluster(is_durable=True)
    try:
        return results + list(measure(cluster.url(cluster.new_database()), "PostgreSQL", bets))
    finally:
        cluster.remove()


if __name__ == "__main__":
    for figure in figures():
        print(figure)
