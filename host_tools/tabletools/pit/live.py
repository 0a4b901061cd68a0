"""The live state of one table: its facts, and their changes in one order.

A new watcher gets the whole state first; one that reconnects within the stored events gets those
it missed. Safe to use from any thread.
"""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from tabletools.decode import LiveState, labels
from tabletools.explain import BY_NUMBER, as_record
from tabletools.store import Clock

Facts = dict[str, Any]
MOST_EVENTS = 500
"""Number of stored events for reconnecting watchers: some four minutes of heartbeats."""
_NOTHING = object()


def facts_of(state: LiveState) -> Facts:
    """Return the facts that watchers get of the state of a table.

    Fields have the names of the wire; the words of a role come besides, null for other roles.
    """
    names = (
        "seal",
        "boot",
        "board",
        "firmware",
        "role",
        "phase",
        "layout",
        "progress",
        "machine_direction",
        "machine_drpm",
        "closed_by",
        "unacknowledged",
        "edges_lost",
        "fault_count",
        "machine",
    )
    known = [code for code in sorted(state.faults) if code in BY_NUMBER]
    facts = {name: getattr(state, name) for name in names}
    return facts | {
        "number": state.round,
        "dealt": state.dealt_in_order,
        "faults": [as_record(BY_NUMBER[code]) for code in known],
        **labels(facts, state.role),
    }


class LiveEvent(NamedTuple):
    """One event. id: of the run of the host and its number. kind: snapshot or changed."""

    id: str
    kind: str
    data: Facts


Watcher = Callable[[LiveEvent], None]


class LiveTable:
    """The facts of one table. run: a word of this run of the host, for the ids of events."""

    def __init__(self, facts: Facts, run: str, clock: Clock) -> None:
        self._facts = dict(facts)
        self._run = run
        self._clock = clock
        self._number = 0
        self._past: deque[tuple[int, LiveEvent]] = deque(maxlen=MOST_EVENTS)
        self._watchers: list[Watcher] = []
        self._lock = threading.Lock()

    @property
    def facts(self) -> Facts:
        """A copy of the state."""
        with self._lock:
            return dict(self._facts)

    @property
    def is_held(self) -> bool:
        """Whether this host owns the table."""
        return bool(self.facts["held"])

    @property
    def is_online(self) -> bool:
        """Whether the table answers."""
        return bool(self.facts["link"] == "online")

    @property
    def is_silent(self) -> bool:
        """Whether this host owns the table, and it does not answer."""
        return self.is_held and not self.is_online

    @property
    def is_betting(self) -> bool:
        """Whether bets are open."""
        return bool(self.facts["bets_open"])

    @property
    def round_number(self) -> int:
        """The round of the table as it counts, 0 for none."""
        return int(self.facts["number"] or 0)

    def say(self, **facts: Any) -> None:
        """Set facts to their present values; watchers receive those that changed."""
        with self._lock:
            known = self._facts
            changed = {n: v for n, v in facts.items() if known.get(n, _NOTHING) != v}
            if not changed:
                return
            known.update(changed)
            self._number += 1
            data = {"at_ns": self._clock.wall_ns(), "changed": changed}
            event = LiveEvent(self._id(), "changed", data)
            self._past.append((self._number, event))
            for watcher in self._watchers:
                watcher(event)

    def listen(self, watcher: Watcher, last: str = "") -> list[LiveEvent]:
        """Send every event from now on to `watcher`; returns the first events of the watcher.

        last: id of the last event it had. watcher: called while other threads wait; it must not
        block.
        """
        with self._lock:
            self._watchers.append(watcher)
            missed = self._missed_events(last)
            if missed is not None:
                return missed
            data = {"at_ns": self._clock.wall_ns(), "state": dict(self._facts)}
            return [LiveEvent(self._id(), "snapshot", data)]

    def leave(self, watcher: Watcher) -> None:
        """Send no more events to `watcher`."""
        with self._lock:
            self._watchers.remove(watcher)

    def _id(self) -> str:
        return f"{self._run}-{self._number}"

    def _missed_events(self, last: str) -> list[LiveEvent] | None:
        """The events after one, None if they are not all stored."""
        run, _, number = last.rpartition("-")
        if run != self._run or not number.isdecimal() or int(number) > self._number:
            return None
        oldest = self._past[0][0] if self._past else self._number + 1
        if int(number) < oldest - 1:
            return None
        return [event for place, event in self._past if place > int(number)]
