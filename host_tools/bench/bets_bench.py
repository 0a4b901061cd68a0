"""Bets over HTTP: a whole host, its table on a TCP port, and terminals in a process of their own.

Host and terminals share the cores of this machine. Every bet that counts is on the disk.
They are compared with `bare_host.py`, FastAPI with one INSERT, by the same terminals in turn: the
rest is what a ledger adds to that, on a slow or busy machine too. Single bets come in two ways: as
fast as each terminal is answered, which gives the rate a host reaches, and at a share of the
peer's rate, at random moments that do not wait for the host, which gives the time that a bet then
takes. PostgreSQL is a private cluster with its usual durability; without it there are no figures
of it.
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
TERMINALS = 20
TURNS, SECONDS = 3, 1.0
WINDOWS, LEAST = 5, 200
"""Turns of bets at random, each of so many bets at least: its 99th of 100 is the third slowest."""
A_SLIP = 25
SHARE = 0.3
"""Of the rate of the peer, at which bets arrive at random."""
SINGLE_TIMES, SLIPS_TIMES, P99_TIMES = 0.5, 3, 6
"""Least rates, of single bets and of bets in slips, and longest time of a bet, to the peer's."""
WARM_S = 0.3
MANY, ALONE, MOST_TIMES = 20_000, 100, 1.5


@contextmanager
def seat_players(place, terminals):
    """A floor with an open round and its host; the tokens of terminals with rich players."""
    floor = Floor(place, follows_apart=True)
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


@contextmanager
def bare(place):
    """The port of the peer, with a database of its own."""
    with subprocess.Popen(
        [sys.executable, str(BARE), place], stdout=subprocess.PIPE, text=True
    ) as peer:
        try:
            yield int(peer.stdout.readline())
        finally:
            peer.terminate()


def load(port, tokens, seconds, first, a_slip=0, a_second=0):
    """Have terminals place bets at a port; returns what `bets_load` reports."""
    job = {
        "port": port,
        "tokens": tokens,
        "seconds": seconds,
        "a_slip": a_slip,
        "first": first,
        "a_second": a_second,
    }
    done = subprocess.run(
        [sys.executable, str(LOAD)],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = json.loads(done.stdout)
    assert not answers["refused"], answers["refused"]
    return answers


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
    return [pit.request(player, "straight", 500, numbers=[str(place % 37)]) for place in places]


def _placing_ms(pit, player):
    """Ms of processor time of a bet in a transaction of its own; a quarter of them took less."""
    spent = []
    for request in _requests(pit, player, ALONE):
        begun = time.process_time()
        [answer] = place_all(pit.ledger, pit.lease, [request], reading=pit.reading)
        spent.append((time.process_time() - begun) * 1000)
        assert not isinstance(answer, Exception), answer
    return statistics.quantiles(spent, n=4)[0]


def measure(place, name, peer, seconds=SECONDS) -> Iterator[dict[str, object]]:
    """Yield the figures of one database. peer: of the same kind, empty."""
    with seat_players(place, TERMINALS) as (floor, tokens), bare(peer) as bare_port:
        port = int(floor.host.url.rpartition(":")[2])
        for each in (port, bare_port):
            load(each, tokens, WARM_S, "warm")
        single, slips, steady = [], [], []
        for turn in range(TURNS):
            single.append(both(port, bare_port, tokens, seconds, f"single {turn}"))
            slips.append(load(port, tokens, seconds, f"slip {turn}", A_SLIP))
        a_second = max(1, round(SHARE * statistics.median(_rate(peer) for _, peer in single)))
        window_s = max(seconds, LEAST / a_second)
        for turn in range(WINDOWS):
            steady.append(both(port, bare_port, tokens, window_s, f"steady {turn}", a_second))
    rates = [(_rate(own), _rate(peer)) for own, peer in single]
    # Of each side the middle one: a moment in which the machine did something else is in neither.
    own_ms, peer_ms = (statistics.median(map(_p99_ms, side)) for side in zip(*steady, strict=True))
    slip_rates = [(_rate(own), peer) for own, (_, peer) in zip(slips, rates, strict=True)]
    yield _least(f"{name}: single bets", _ratio(rates), SINGLE_TIMES)
    yield reported(f"{name}: single bets over HTTP", _middle(rates), "bets/s")
    yield _least(f"{name}: bets in slips of {A_SLIP}", _ratio(slip_rates), SLIPS_TIMES)
    yield reported(f"{name}: slips of {A_SLIP} over HTTP", _middle(slip_rates), "bets/s")
    at_rate = f"{name}: a bet at {a_second} a second, 99 of 100 within"
    yield _most(f"{at_rate}, times the peer", own_ms / peer_ms, P99_TIMES)
    yield reported(at_rate, round(own_ms), "ms")


def both(port, peer, tokens, seconds, first, a_second=0):
    """Load a host and its peer with single bets, one after the other."""
    return [load(each, tokens, seconds, first, a_second=a_second) for each in (port, peer)]


def _rate(answers):
    return answers["bets"] / answers["seconds"]


def _p99_ms(answers):
    return answers["ms"][len(answers["ms"]) * 99 // 100]


def _ratio(pairs):
    return statistics.median(own / peer for own, peer in pairs)


def _middle(pairs):
    return round(statistics.median(own for own, _ in pairs))


def _least(name, ratio, target):
    name = f"{name}, times the peer's"
    return judged(name, round(ratio, 2), "times", f">= {target:g}", is_met=ratio >= target)


def _most(name, ratio, target):
    return judged(name, round(ratio, 2), "times", f"<= {target:g}", is_met=ratio <= target)


def figures(seconds=SECONDS, bets=MANY):
    """Measure and return the figures: name, value, unit, target, verdict."""
    with tempfile.TemporaryDirectory() as folder:
        ledger, peer = (str(Path(folder) / name) for name in ("ledger", "bare"))
        results = list(measure(ledger, "SQLite", peer, seconds))
        first, last = many_open(str(Path(folder) / "many"), bets)
    name = f"a bet beside {bets} of its player, times the first"
    results.append(_most(name, last / first, MOST_TIMES))
    if postgresql.binaries() is None:
        return results
    cluster = postgresql.Cluster(is_durable=True)
    try:
        place, peer = (cluster.url(cluster.new_database()) for _ in range(2))
        return results + list(measure(place, "PostgreSQL", peer, seconds))
    finally:
        cluster.remove()


if __name__ == "__main__":
    for figure in figures():
        print(figure)
