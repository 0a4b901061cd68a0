"""Bets over HTTP: a whole host, its table on a TCP port, and terminals in a process of their own.

Host and terminals share the cores of this machine. Every bet that counts is on the disk.
Single bets are compared with `bare_host.py`, FastAPI with one INSERT, by the same terminals in the
same run: the rest is what a ledger adds to that. They come in two ways: as fast as each terminal
is answered, which gives the rate a host reaches, and at the rate it has to reach, at random
moments that do not wait for it, which gives the time that a bet then takes.
PostgreSQL is a private cluster with its usual durability; without it its figures are left out.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from host_tools.bench.figure import judged, reported
from host_tools.tests import postgresql
from host_tools.tests.pit import Pit
from host_tools.tests.served import Floor
from tabletools.table.betting import place_all

LOAD = Path(__file__).with_name("bets_load.py")
BARE = Path(__file__).with_name("bare_host.py")
LEAST_OF_BARE = 0.5
TERMINALS = 20
SECONDS = 4.0
A_SLIP = 25
P99_MS = {"SQLite": 50}
WARM_S = 0.3
MANY, ALONE, MOST_TIMES = 20_000, 100, 1.5
SINGLE = {"SQLite": 600, "PostgreSQL": 300}
SLIPS = {"SQLite": 5000, "PostgreSQL": 2500}


@contextmanager
def seated(place, terminals):
    """A floor with an open round and its host; the tokens of terminals with rich players."""
    floor = Floor(place)
    try:
        supervisor = floor.host.login("Sue")
        clients = [
            floor.host.terminal(supervisor, floor.table, f"p{number}", cents=10**9)
            for number in range(terminals)
        ]
        floor.open()
        yield floor, [each.headers["Authorization"].partition(" ")[2] for each in clients]
    finally:
        floor.close()


def load(floor, tokens, seconds, a_slip, first, a_second=0):
    """Have terminals place bets; returns what `bets_load` reports."""
    return load_at(
        int(floor.host.url.rpartition(":")[2]), tokens, seconds, a_slip, first, a_second
    )


def bare(place, tokens, seconds):
    """Bets a second at the peer, with a database of its own."""
    with subprocess.Popen(
        [sys.executable, str(BARE), place], stdout=subprocess.PIPE, text=True
    ) as peer:
        try:
            port = int(peer.stdout.readline())
            load_at(port, tokens, WARM_S, 0, "warm")
            return _rate(load_at(port, tokens, seconds, 0, "bare"))
        finally:
            peer.terminate()


def load_at(port, tokens, seconds, a_slip, first, a_second=0):
    """Have terminals place bets at a port."""
    job = {"port": port, "tokens": tokens, "seconds": seconds, "a_slip": a_slip, "first": first,
           "a_second": a_second}  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(LOAD)], input=json.dumps(job), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def many_open(place, bets):
    """Processor time of a bet, ms: the first ones of a round, and beside so many of its player.

    In one process and one transaction each, so that neither network nor load is in it.
    """
    pit = Pit(place)
    try:
        pit.open(1)
        player = pit.player("rich", 10**11)
        first = _placing_ms(pit, player)
        for start in range(0, bets, 500):
            requests = _requests(pit, player, min(500, bets - start), start)
            answers = place_all(pit.ledger, pit.lease, requests, reading=pit.reading)
            refused = [answer for answer in answers if isinstance(answer, Exception)]
            assert not refused, refused[0].what
        return first, _placing_ms(pit, player)
    finally:
        pit.ledger.close()


def _requests(pit, player, count, start=0):
    places = range(start, start + count)
    return [pit.request(player, "straight", 500, numbers=[str(at % 37)]) for at in places]


def _placing_ms(pit, player):
    """Ms of processor time of a bet in a transaction of its own; a quarter of them took less."""
    spent = []
    for request in _requests(pit, player, ALONE):
        begun = time.process_time()
        [answer] = place_all(pit.ledger, pit.lease, [request], reading=pit.reading)
        spent.append((time.process_time() - begun) * 1000)
        assert not isinstance(answer, Exception), answer
    return statistics.quantiles(spent, n=4)[0]


def measured(place, name, peer, seconds=SECONDS) -> Iterator[dict[str, object]]:
    """Yield the figures of one database. peer: of the same kind, empty."""
    with seated(place, TERMINALS) as (floor, tokens):
        load(floor, tokens, WARM_S, 0, "warm")
        single = load(floor, tokens, seconds, 0, "single")
        steady = load(floor, tokens, seconds, 0, "steady", SINGLE[name])
        many = load(floor, tokens, seconds, A_SLIP, "slip")
    peers = bare(peer, tokens, seconds)
    for found in single, steady, many:
        assert not found["refused"], found["refused"]
    yield _least(f"{name}: single bets over HTTP", _rate(single), "bets/s", SINGLE[name])
    ratio = f"{name}: single bets, to FastAPI and one INSERT"
    yield _least(ratio, round(_rate(single) / peers, 2), "times", LEAST_OF_BARE)
    yield _figure(f"{name}: such a bet, 99 of 100 within", _p99_ms(single), "ms")
    at_rate = f"{name}: a bet at {SINGLE[name]} a second, 99 of 100 within"
    yield _figure(at_rate, _p99_ms(steady), "ms", P99_MS.get(name))
    yield _least(f"{name}: slips of {A_SLIP} over HTTP", _rate(many), "bets/s", SLIPS[name])


def _rate(found):
    return round(found["bets"] / found["seconds"])


def _p99_ms(found):
    return round(found["ms"][len(found["ms"]) * 99 // 100])


def _least(name, value, unit, target):
    return judged(name, value, unit, target, is_met=value >= target)


def _figure(name, value, unit, target=None):
    """target: the most it may be."""
    if target is None:
        return reported(name, value, unit)
    return judged(name, value, unit, target, is_met=value <= target)


def figures(seconds=SECONDS, bets=MANY):
    """Measure and return the figures: name, value, unit, target, verdict."""
    with tempfile.TemporaryDirectory() as folder:
        ledger, peer = (str(Path(folder) / name) for name in ("ledger", "bare"))
        found = list(measured(ledger, "SQLite", peer, seconds))
        first, last = many_open(str(Path(folder) / "many"), bets)
    name = f"a bet beside {bets} of its player, times the first"
    found.append(_figure(name, round(last / first, 2), "times", MOST_TIMES))
    if postgresql.binaries() is None:
        return found
    cluster = postgresql.Cluster(is_durable=True)
    try:
        place, peer = (cluster.url(cluster.new_database()) for _ in range(2))
        return found + list(measured(place, "PostgreSQL", peer, seconds))
    finally:
        cluster.remove()


if __name__ == "__main__":
    for figure in figures():
        print(figure)
