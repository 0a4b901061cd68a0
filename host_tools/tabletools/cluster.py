"""Work on many processors with Dask: in processes of this machine, or by the workers of a cluster.

Processes of this machine speak TLS with a certificate made for them, so that no other user here
can give them work. Dask's configuration says how a cluster is reached (`tls://`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tabletools.errors import UNREACHABLE, ToolError

if TYPE_CHECKING:
    from distributed import Client, Future

Workers: TypeAlias = "Client"
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
        raise ToolError(what, where="distributed", step=step) from error
    if address is None:
        try:
            local = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=_NOWHERE_ELSE,
                worker_dashboard_address=_NOWHERE_ELSE,
                security=True,
            )
        except AssertionError as error:  # what it raises when its thread does not start in 10 s
            step = "try again when other programs leave this machine time"
            raise ToolError(
                "the processes for this did not start", where="this machine", step=step
            ) from error
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


def done(
    client: Client, work: Callable[[Job], Result], jobs: Iterable[Job], name: Callable[[Job], str]
) -> Iterator[Result]:
    """Yield the result of each job, in the order of the jobs: as one processor would.

    Both are transferred: work is a function of a module, a job and its result are plain data. The
    jobs of a worker that dies are done by others. name: of a job, if all that have it die, which
    raises ToolError, as does a lost scheduler.
    """
    from distributed import as_completed

    waiting = enumerate(jobs)
    most = _WAITING * max(1, len(client.scheduler_info()["workers"]))
    places: dict[Future[Any], tuple[int, str]] = {}

    def begin(some: Iterable[tuple[int, Job]]) -> list[Future[Any]]:
        begun = {client.submit(work, job, pure=False): (place, name(job)) for place, job in some}
        places.update(begun)
        return list(begun)

    ended, following = as_completed(begin(islice(waiting, most))), 0
    results: dict[int, Result] = {}
    for future in ended:
        place, what = places.pop(future)
        results[place] = _result(future, what)
        for fresh in begin(islice(waiting, 1)):
            ended.add(fresh)
        while following in results:
            yield results.pop(following)
            following += 1


def _result(future: Future[Any], what: str) -> Any:
    """Return the result of a job. Raises ToolError unless there is one."""
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        return future.result()
    except KilledWorker as error:
        raise ToolError(
            "the workers died again and again",
            where=what,
            cause="it needs more memory than a worker has, or the system ends workers",
            step="look at the log of the workers; nothing was changed, so it can be done again",
        ) from error
    except (CancelledError, CommClosedError) as error:
        raise ToolError(
            "the scheduler was lost",
            where=what,
            cause=str(error),
            step="start the cluster, and the command again",
            exit_code=UNREACHABLE,
        ) from error
