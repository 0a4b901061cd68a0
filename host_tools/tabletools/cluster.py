"""Work on many processors with Dask: in processes of this machine, or by the workers of a cluster.

Processes of this machine speak TLS with a certificate made for them, so that no other user here
can give them work. Dask's configuration says how a cluster is reached (`tls://`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from tabletools.errors import ToolError

if TYPE_CHECKING:
    from distributed import Client

Job = TypeVar("Job")
Result = TypeVar("Result")

_NOWHERE_ELSE = "127.0.0.1:0"
WITHIN_S = 10
"""Seconds for a cluster and its first worker to answer."""
_WAITING = 3
"""Jobs per worker that are sent ahead: more would only fill its memory."""


def release() -> str:
    """Return the release of this program, here or on a worker."""
    return version("tablewire")


@contextmanager
def connected(address: str | None, workers: int) -> Iterator[Client]:
    """Reach a cluster by its address, or start this many processes here. Raises ToolError."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        what, step = "Dask is not installed", "pip install 'tablewire[cluster]'"
        raise ToolError(what, where="replay --all", step=step) from error
    if address is None:
        local = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address=_NOWHERE_ELSE,
            worker_dashboard_address=_NOWHERE_ELSE,
            security=True,
        )
        with local, Client(local) as client:
            yield client
        return
    try:
        client = Client(address, timeout=WITHIN_S)
    except (OSError, ValueError, TypeError) as error:
        step = "check the address, and that the scheduler runs: dask scheduler"
        raise ToolError(
            "the cluster does not answer", where=address, cause=str(error), step=step
        ) from error
    with client:
        _verify_workers(client, address)
        yield client


def _verify_workers(client: Client, address: str) -> None:
    """Raise ToolError unless there are workers, all with this release."""
    try:
        client.wait_for_workers(1, timeout=WITHIN_S)
        releases = set(client.run(release).values())
    except TimeoutError as error:
        step = "start some: dask worker " + address
        raise ToolError("the cluster has no worker", where=address, step=step) from error
    except ImportError as error:
        releases = {str(error)}
    if releases != {release()}:
        raise ToolError(
            "the workers run another release",
            where=address,
            limit=f"release {release()}",
            cause=", ".join(sorted(releases)),
            step="install this release of tablewire where they run",
        )


def done(client: Client, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
    """Yield the result of each job, in the order in which they finish.

    Both are transferred: work is a function of a module, a job and its result are plain data.
    """
    from distributed import as_completed

    waiting = iter(jobs)
    most = _WAITING * max(1, len(client.scheduler_info()["workers"]))
    begun = [client.submit(work, job, pure=False) for job in islice(waiting, most)]
    ended = as_completed(begun)
    for future in ended:
        yield future.result()
        for job in islice(waiting, 1):
            ended.add(client.submit(work, job, pure=False))
