"""Work on one state of a database in several processes.

Each process reads in a separate transaction. Every transaction that writes adds an entry to the
chain, so processes that see the same newest entry see the same state.
"""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from typing import Any, Self

from sqlalchemy import Connection

from tabletools.store import chain
from tabletools.store.database import Store
from tabletools.store.errors import StoreError

_TRIES = 200
_AGAIN, _GO = "again", "go"


class Processes:
    """A pool of processes that run work(db, job). A context manager; raises StoreError."""

    def __init__(self, place: str, count: int, work: Callable[[Connection, Any], Any]) -> None:
        context = multiprocessing.get_context("fork")
        self._pipes: list[Pipe[Any, Any]] = []
        self._processes = []
        for _ in range(max(1, count)):
            ours, theirs = context.Pipe()
            self._pipes.append(ours)
            arguments = (place, work, theirs)
            self._processes.append(context.Process(target=_serve, args=arguments, daemon=True))

    def __enter__(self) -> Self:
        for process in self._processes:
            process.start()
        try:
            _synchronise(self._pipes)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.terminate()
            process.join()

    def map(self, jobs: Iterable[Any]) -> Iterator[Any]:
        """Yield the result of each job in the order in which they finish. Raises StoreError."""
        waiting, free = list(jobs), list(self._pipes)
        busy: set[Pipe[Any, Any]] = set()
        waiting.reverse()
        while waiting or busy:
            while waiting and free:
                pipe = free.pop()
                pipe.send(waiting.pop())
                busy.add(pipe)
            ready = set(wait(list(busy)))
            for pipe in busy & ready:
                busy.remove(pipe)
                free.append(pipe)
                yield _receive(pipe)


def _synchronise(pipes: list[Pipe[Any, Any]]) -> None:
    """Restart transactions until every process reads the same state."""
    heads = [_receive(pipe) for pipe in pipes]
    for _ in range(_TRIES):
        newest = max(heads)
        late = [place for place, head in enumerate(heads) if head != newest]
        if not late:
            for pipe in pipes:
                pipe.send(_GO)
            return
        for place in late:
            pipes[place].send(_AGAIN)
        for place in late:
            heads[place] = _receive(pipes[place])
    what = "the processes could not agree on one state of the database"
    raise StoreError(what, "it changes too quickly", "use one worker, or verify a backup")


def _receive(pipe: Pipe[Any, Any]) -> Any:
    message = pipe.recv()
    if isinstance(message, Exception):
        raise message
    return message


def _serve(place: str, work: Callable[[Connection, Any], Any], pipe: Pipe[Any, Any]) -> None:
    try:
        store = Store.open_any(place, reads=True)
        order = _AGAIN
        while order == _AGAIN:
            with store.read() as db:
                pipe.send(chain.head(db).seq)
                order = pipe.recv()
                if order == _GO:
                    while True:
                        pipe.send(work(db, pipe.recv()))
    except EOFError:
        return  # the parent closed the pipe: there is no more work
    except StoreError as error:
        pipe.send(StoreError(error.what, error.cause, error.step))
    except Exception as error:
        trace = "".join(traceback.format_exception(error))
        pipe.send(RuntimeError(f"a worker process failed: {trace}"))
