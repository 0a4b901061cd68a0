"""Retention by a running host: one host of a ledger removes old rows, a little at a time."""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager

from tabletools.background import in_background
from tabletools.money.retention import Ages, Blocked, Retention
from tabletools.pit.settings import Settings
from tabletools.store import Store, StoreError

Say = Callable[[str, dict[str, object]], None]
_LOOK_S = 60.0
_STEP_S = 0.25
"""Between two steps: a step holds up the bets of SQLite for some 20 ms."""


@contextmanager
def retaining(
    ledger: Store, settings: Settings, sinks: Collection[str], say: Say
) -> Iterator[None]:
    """Remove old rows while a host runs. sinks: names of those that it feeds.

    say: called with (event, facts) when removal fails, or an event holds it up.
    """
    retention = Retention(ledger, Ages(settings.event_days, settings.request_days), sinks)
    with (
        closing(retention),
        in_background(lambda over: _run(retention, over, say), "retention"),
    ):
        yield


def _run(retention: Retention, over: threading.Event, say: Say) -> None:
    pause_s, failing, blocked = _LOOK_S, False, None
    while not over.wait(pause_s):
        pause_s = _LOOK_S
        try:
            step = retention.step()
        except StoreError as error:
            if not failing:
                say("retention_failed", {"why": str(error)})
            failing = True
            continue
        failing = False
        if step.blocked != blocked and step.blocked is not None and step.blocked.sink:
            say("retention_blocked", _facts(step.blocked))
        blocked = step.blocked
        if step.has_more:
            pause_s = _STEP_S


def _facts(blocked: Blocked) -> dict[str, object]:
    return {"event_number": blocked.event, "not_delivered_to": blocked.sink}
