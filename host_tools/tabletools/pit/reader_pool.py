"""The processes in which a host reads pictures: no table waits for the interpreter meanwhile.

Throws of several tables are read beside each other. About half of a throw's time its camera is
waited for, so two processes a core leave no core idle; each has 150 MB.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import Any

from tabletools import child_process

PROCESSES = min(2 * (os.cpu_count() or 1), 8)
"""At most; one starts with a job for which no other is free."""


class ReaderPool(Executor):
    """Does jobs in processes that start with the first of them, and again after one died."""

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
            self._pool = ProcessPoolExecutor(PROCESSES, context, child_process.begin)
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes after their jobs."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait, cancel_futures=cancel_futures)
