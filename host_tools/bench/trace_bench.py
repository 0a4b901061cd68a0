"""Traces of rounds: their size, how many fit the device, how fast they are replayed: by one
process, and as `tabletool replay --all` does it.
"""

import time

from hil_tests.decisions import decided_table
from host_tools.bench.figure import reported
from tableemulator.machines.roulette.physical_wheel import Geometry
from tabletools import cluster
from tabletools.replay import UNPROVEN, replayed
from tabletools.roles import Played
from tabletools.table.verify_traces import Job, judge_all
from tablewire.messages import TRACE_CHUNK
from tablewire.sender import Sender

SPINS = 12
TABLES = (("single", "array"), ("double", "head"), ("double", "both"))
SEED = 5
REPEATED = 10
"""How often each trace is given out to several processes."""


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
    healthy = by_noise["healthy"]
    jobs = [_job(number, data) for number, data in enumerate(healthy * REPEATED)]
    return rows + [replayed_by(workers, jobs) for workers in (1, 2)]


def _job(number: int, data: bytes) -> Job:
    sender = Sender(1, 1)
    parts = [
        (1, start, len(data), data[start : start + 192]) for start in range(0, len(data), 192)
    ]
    raw = b"".join(sender.build(TRACE_CHUNK, part) for part in parts)
    return Job(number, 1, 1, raw, None, Played(None))


def replayed_by(workers: int, jobs: list[Job]) -> dict[str, object]:
    """Replay them by so many processes; what starting them takes is left out."""
    pieces = [jobs[first : first + 25] for first in range(0, len(jobs), 25)]
    with cluster.connected(None, workers) as client:
        list(cluster.done(client, judge_all, pieces[:workers]))
        start = time.perf_counter()
        done = sum(len(some) for some in cluster.done(client, judge_all, pieces))
        rate = done / (time.perf_counter() - start)
    return reported(f"replay --all, processes: {workers}", round(rate), "a second")
