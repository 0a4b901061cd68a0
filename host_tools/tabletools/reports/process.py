"""The process that maintains the read model: no table waits for the interpreter meanwhile."""

import json
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tabletools import child_process
from tabletools.background import in_background
from tabletools.reports.follower import Follower
from tabletools.store import Store

_AGAIN_S = 1.0
_END_S = 3.0
Say = Callable[[str, dict[str, object]], None]


@contextmanager
def following(ledger: Store, say: Say) -> Iterator[None]:
    """Have a process maintain the read model of a ledger; another is started when it dies.

    say: called with (event, facts) when it died.
    """
    place = ledger.engine.url.render_as_string(hide_password=False)
    with in_background(lambda ending: _keep(place, ending, say), "reports"):
        yield


def _keep(place: str, ending: threading.Event, say: Say) -> None:
    context = multiprocessing.get_context("spawn")
    while not ending.is_set():
        process = context.Process(target=_follow, args=(place,), name="reports", daemon=True)
        process.start()
        while process.is_alive() and not ending.wait(0.2):
            pass
        if not ending.is_set():
            say("reports_died", {"exit_code": process.exitcode})
            ending.wait(_AGAIN_S)
            continue
        process.terminate()
        process.join(_END_S)
        if process.is_alive():
            process.kill()
            process.join()


def _follow(place: str) -> None:
    child_process.begin()
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    ledger = Store.open_existing(place)
    follower = Follower(ledger)
    try:
        follower.run(stop, _say)
    finally:
        follower.close()
        ledger.close()


def _say(event: str, facts: dict[str, object]) -> None:
    print(json.dumps({"event": event, **facts}), file=sys.stderr, flush=True)
