"""Traces of rounds: their size, how many fit the device, how fast they are replayed: by one
process, and as `tabletool replay --all` does it.
"""

import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from distributed import Client

from hil_tests.decisions import decided_table
from host_tools.bench.figure import reported
from tableemulator.machines.roulette.physical_wheel import Geometry
from tabletools import cluster
from tabletools.cli.replay_all import pieces_of
from tabletools.cli.replay_all import replayed as replayed_all
from tabletools.evidence.stored_traces import Traces
from tabletools.replay import UNPROVEN, replayed
from tabletools.store import Store
from tabletools.table import verify_traces
from tablewire.messages import TRACE_CHUNK
from tablewire.sender import Sender

SPINS = 12
TABLES = (("single", "array"), ("double", "head"), ("double", "both"))
SEED = 5
REPEATED = 10
"""How often each trace is given out to several processes."""


class Scaling(NamedTuple):
    """Traces replayed: so many a second; CPU of one in the workers."""

    rate: float
    worker_ms: float


def traces(noise: str, spins: int) -> list[bytes]:
    """The traces of healthy spins at one table of each kind."""
    recordings = []
    for wheel, sensor in TABLES:
        table = decided_table(Geometry(wheel, sensor), SEED, noise=noise)
        for _ in range(spins):
            data = table.controller.trace(table.spin().ended.round)
            assert data is not None
            recordings.append(data)
    return recordings


def figures(spins: int = SPINS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    by_noise = {noise: traces(noise, spins) for noise in ("healthy", "worn")}
    start = time.perf_counter()
    verdicts = {
        noise: [replayed(data)[2] for data in recordings] for noise, recordings in by_noise.items()
    }
    rate = sum(map(len, by_noise.values())) / (time.perf_counter() - start)
    rows = [reported("rounds replayed", round(rate), "a second")]
    for noise, recordings in by_noise.items():
        sizes = sorted(map(len, recordings))
        cut = sum(verdict.word == UNPROVEN for verdict in verdicts[noise])
        rows += [
            reported(f"trace of a round, {noise} lines, median", sizes[len(sizes) // 2], "bytes"),
            reported(f"trace of a round, {noise} lines, longest", sizes[-1], "bytes"),
            reported(f"rounds too long for it, {noise} lines", cut, f"of {len(sizes)}"),
        ]
    with TemporaryDirectory() as folder:
        place = Path(folder) / "traces"
        _store(place, by_noise["healthy"] * REPEATED)
        one, two = (replayed_by(workers, place) for workers in (1, 2))
        return rows + _scaling(one, two, sent_ms(place))


def _scaling(one: Scaling, two: Scaling, reader_ms: float) -> list[dict[str, object]]:
    """What more workers bring; CPU is comparable on a busy machine, the rates are not."""
    worker_ms = (one.worker_ms + two.worker_ms) / 2
    return [
        reported("replay --all, processes: 1", round(one.rate), "a second"),
        reported("replay --all, processes: 2", round(two.rate), "a second"),
        reported("the second process brings", round(two.rate / one.rate, 2), "times"),
        reported("the same traces, CPU of two to that of one", _ratio(two, one), "times"),
        reported("a trace in a process that replays", round(worker_ms, 1), "ms of CPU"),
        reported("a trace in the one that reads and schedules", round(reader_ms, 2), "ms of CPU"),
        reported("processes that one program keeps busy", round(worker_ms / reader_ms), ""),
    ]


def _ratio(two: Scaling, one: Scaling) -> float:
    return round(two.worker_ms / one.worker_ms, 2)


def _store(place: Path, recordings: list[bytes]) -> None:
    """Make a database with these traces, each of a round of its own."""
    with closing(Store.open(place)) as store:
        traces = Traces(store)
        for number, data in enumerate(recordings, 1):
            traces.keep(1, number, _frames(data), None)


def _frames(data: bytes) -> bytes:
    sender = Sender(1, 1)
    starts = range(0, len(data), 192)
    parts = [(1, start, len(data), data[start : start + 192]) for start in starts]
    return b"".join(sender.build(TRACE_CHUNK, part) for part in parts)


def replayed_by(workers: int, place: Path) -> Scaling:
    """Replay all by so many processes; what starting them takes is left out."""
    with (
        closing(Store.open_existing(place, reads=True)) as store,
        cluster.connected(None, workers) as client,
    ):
        client.wait_for_workers(workers)
        client.run(_warm)
        begun_s, before_s = time.perf_counter(), _worker_s(client)
        done = replayed_all(client, store.read).words.total()
        rate = done / (time.perf_counter() - begun_s)
        return Scaling(rate, 1000 * (_worker_s(client) - before_s) / done)


def sent_ms(place: Path) -> float:
    """Return the CPU of this process for a trace: it is read and sent to a worker that counts."""
    with (
        closing(Store.open_existing(place, reads=True)) as store,
        cluster.connected(None, 1) as client,
    ):
        client.wait_for_workers(1)
        with store.read() as db:
            first, last = verify_traces.span(db)
        begun_s = time.process_time()
        pieces = (piece for _ in range(3) for piece in pieces_of(store.read, first, last))
        count = sum(cluster.done(client, len, pieces, lambda piece: ""))
        return 1000 * (time.process_time() - begun_s) / count


def _warm() -> None:
    """Import what a replay needs."""
    verify_traces.judge_all([])


def _worker_s(client: Client) -> float:
    """Return the CPU that the workers have used."""
    return sum(client.run(time.process_time).values())
