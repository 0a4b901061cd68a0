"""The process in which a host reads pictures: no table waits for the interpreter meanwhile."""

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import Any

from tabletools import child_process


class ReaderProcess(Executor):
    """Does one job after the other in a process that starts with the first, and after it died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a function called there; what it takes and returns is pickled."""
        with self._lock:
            if self._pool is not None:
                try:
                    return self._pool.submit(fn, *args, **kwargs)
                except BrokenExecutor:
                    self._pool.shutdown(wait=False)
            # Spawned: a fork would have the locks of the host's threads, and none to release them.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, context, child_process.begin)
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the process after its job."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait, cancel_futures=cancel_futures)
