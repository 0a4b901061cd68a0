"""From the outbox to sinks: each on a separate thread, each fed by one process at a time.

At least once, in order of each table: an event is delivered only when the sink has confirmed it,
and its id never changes, so that a consumer that stores ids gets each event exactly once.
A sink that fails delays no other. Knows no protocol.
"""

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tabletools.cms.origin import Origin
from tabletools.cms.outgoing_event import OutgoingEvent, outgoing_event
from tabletools.cms.sink_status import SinkStatus, Status, status_of
from tabletools.money import outbox_queries
from tabletools.money.outbox_queries import NEVER_NS, Failure, TableState
from tabletools.store import Store

NS = 1_000_000_000
_UNNAMED = Origin()
POLL_S = 0.2
STATES_S = 0.5
# Pauses before a sink that is down is tried again, doubling.
PAUSE_FIRST_S, PAUSE_LONGEST_S = 0.5, 30.0
RETRY_S = (1.0, 5.0, 30.0, 120.0, 300.0)  # the last one repeats

Say = Callable[[str, dict[str, object]], None]


@dataclass
class DeliveryResult:
    """Result of sending events. failed: number and why. down: why the sink is down, if so.

    interrupted: the event in flight when the sink went down, if it was a single one.
    """

    delivered: list[int] = field(default_factory=list)
    failed: dict[int, str] = field(default_factory=dict)
    down: str = ""
    interrupted: int | None = None


class Sink(Protocol):
    """A destination of events. name: under which the ledger stores deliveries; it never changes.

    in_waves: events of one `send` are all of different tables. most: events at a time.
    retry_s: pauses before a failed event is tried again. is_patient: tried without end; else given
    up after the last pause.
    """

    name: str
    in_waves: bool
    most: int
    retry_s: Sequence[float]
    is_patient: bool

    def send(self, events: Sequence[OutgoingEvent]) -> DeliveryResult:
        """Send events, in order; failures of the sink are returned, not raised."""

    def tick(self, states: Sequence[TableState] | None) -> str:
        """Called while there is nothing to send; returns why the sink is down, or nothing.

        states: of the tables, from time to time.
        """

    def close(self) -> None:
        """Release all resources."""


class SinkWorker:
    """One sink of one ledger.

    jitter: 0 to 1, spreads the retries. hold: creates the lock of a sink.
    """

    def __init__(
        self,
        ledger: Store,
        sink: Sink,
        *,
        origin: Origin = _UNNAMED,
        jitter: Callable[[], float] = random.random,
        hold: Callable[[Store, str], outbox_queries.SinkLock] = outbox_queries.SinkLock,
        say: Say = lambda event, facts: None,
    ) -> None:
        self.sink = sink
        self.status = Status()
        self._ledger = ledger
        self._origin = origin
        self._jitter = jitter
        self._say = say
        self._hold = hold(ledger, sink.name)
        self._after = 0
        self._next_try = 0.0
        self._next_states = 0.0
        self._pause = PAUSE_FIRST_S
        self._suspects: set[int | None] = set()  # table of the event at which the sink went down

    def run_once(self, now: float) -> int:
        """Send what is due; returns how many events the sink accepted. now: monotonic, seconds.

        Raises StoreError.
        """
        if now < self._next_try:
            return 0
        self.status.waits = not self._hold.take()
        if self.status.waits:
            self._next_try = now + PAUSE_FIRST_S
            return 0
        due = outbox_queries.due(
            self._ledger, self.sink.name, after=self._after, most=self.sink.most
        )
        if not due.events:
            if due.is_clear:
                self._nothing_up_to(due.newest)
            self._note_down(self._tick(now), now)
            return 0
        sent = self._send([outgoing_event(event, self._origin) for event in due.events])
        self._suspect(sent, {event.number: event.table for event in due.events})
        self._keep(sent, {event.number: event.attempts for event in due.events})
        if due.is_next:
            noted = {*sent.delivered, *sent.failed}
            numbers = [event.number for event in due.events]
            left = min((number for number in numbers if number not in noted), default=None)
            self._nothing_up_to(numbers[-1] if left is None else left - 1)
        self._note_down(sent.down, now)
        return len(sent.delivered)

    def state(self) -> SinkStatus:
        """Return the state of the sink. Raises StoreError."""
        return status_of(self._ledger, self.sink.name, self.status, self._after)

    def close(self) -> None:
        """Release the sink, so that another process can feed it."""
        self.sink.close()
        self._hold.release()

    def failed(self, error: Exception, now: float) -> None:
        """Pause after a failure of the ledger or this program, as if the sink were down."""
        self._note_down(f"{type(error).__name__}: {error}", now)

    def _send(self, events: Sequence[OutgoingEvent]) -> DeliveryResult:
        """Send all, except events of a table after one that failed."""
        total = DeliveryResult()
        halted: set[int | None] = set()
        events = sorted(events, key=lambda one: one.table in self._suspects)
        for wave in waves(events) if self.sink.in_waves else [list(events)]:
            going = [one for one in wave if one.table not in halted]
            if not going:
                continue
            sent = self.sink.send(going)
            total.delivered += sent.delivered
            total.failed |= sent.failed
            total.down = sent.down
            if sent.down:
                total.interrupted = sent.interrupted
                break
            had = set(sent.delivered)
            halted |= {one.table for one in going if one.number not in had}
        return total

    def _suspect(self, sent: DeliveryResult, tables: dict[int, int | None]) -> None:
        """Distinguish a sink that is down from an event that makes it fail.

        An outage is no event's failure: waiting events are sent as soon as the sink is back. An
        event in flight when the sink went down is suspect: the other tables are sent before it,
        and if they were accepted, the event itself has failed.
        """
        if not sent.down:
            self._suspects = set()
        elif sent.interrupted is not None:
            self._suspects = {tables[sent.interrupted]}
            if sent.delivered:
                sent.failed[sent.interrupted] = sent.down

    def _keep(self, sent: DeliveryResult, attempts: dict[int, int]) -> None:
        now_ns = self._ledger.clock.wall_ns()
        failures = [
            Failure(number, error, self._again_ns(attempts[number], now_ns))
            for number, error in sent.failed.items()
        ]
        outbox_queries.note(self._ledger, self.sink.name, sent.delivered, failures)
        self.status.count(len(sent.delivered), len(failures))
        if failures or sent.delivered:
            self.status.error = failures[-1].error if failures else ""
        for one in failures:
            given_up = one.again_ns == NEVER_NS
            facts = {"sink": self.sink.name, "number": one.number, "why": one.error}
            self._say("event_given_up" if given_up else "event_failed", facts)

    def _again_ns(self, attempts: int, now_ns: int) -> int:
        """When a failed event is tried again. attempts: those before this one."""
        pauses = self.sink.retry_s
        if attempts >= len(pauses) and not self.sink.is_patient:
            return NEVER_NS
        pause = pauses[min(attempts, len(pauses) - 1)]
        return now_ns + int(pause * (1 + self._jitter() / 5) * NS)

    def _tick(self, now: float) -> str:
        if now < self._next_states:
            return self.sink.tick(None)
        self._next_states = now + STATES_S
        with self._ledger.read() as db:
            return self.sink.tick(outbox_queries.states(db))

    def _note_down(self, down: str, now: float) -> None:
        if bool(down) != bool(self.status.down):
            facts: dict[str, object] = {"sink": self.sink.name}
            if down:
                facts["why"] = down
            self._say("sink_down" if down else "sink_up", facts)
        self.status.down = down
        if not down:
            self._pause, self._next_try = PAUSE_FIRST_S, 0.0
            return
        self._next_try = now + self._pause * (1 + self._jitter() / 5)
        self._pause = min(2 * self._pause, PAUSE_LONGEST_S)

    def _nothing_up_to(self, newest: int) -> None:
        """Skip events that were noted: as delivered, or to be tried again, which are found."""
        self._after = max(newest, self._after)


class Sinks:
    """All sinks of one ledger. `run_once` for one thread, `run` for one thread a sink.

    jitter, hold: see SinkWorker. say: called with (event, facts) for a log: sink_down, sink_up,
    event_failed, event_given_up.
    """

    def __init__(
        self,
        ledger: Store,
        sinks: Sequence[Sink],
        *,
        origin: Origin = _UNNAMED,
        jitter: Callable[[], float] = random.random,
        hold: Callable[[Store, str], outbox_queries.SinkLock] = outbox_queries.SinkLock,
        say: Say = lambda event, facts: None,
    ) -> None:
        verify_apart(sinks)
        self.feeds = [
            SinkWorker(ledger, sink, origin=origin, jitter=jitter, hold=hold, say=say)
            for sink in sinks
        ]
        self._ledger = ledger

    @property
    def names(self) -> list[str]:
        """The names under which the ledger stores deliveries."""
        return [feed.sink.name for feed in self.feeds]

    def run_once(self, now: float) -> int:
        """Send what is due to each sink; returns how many events were accepted."""
        return sum(self._step(feed, now) for feed in self.feeds)

    def run(self, stop: threading.Event) -> None:
        """Feed every sink until stop is set, each on a separate thread; then close them."""
        threads = [
            threading.Thread(target=self._follow, args=(feed, stop), name=feed.sink.name)
            for feed in self.feeds
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def states(self) -> list[SinkStatus]:
        """Return the state of each sink. Raises StoreError."""
        return [feed.state() for feed in self.feeds]

    def down(self) -> list[str]:
        """Return the sinks that are down; without a database query."""
        feeds = [feed for feed in self.feeds if feed.status.is_down and not feed.status.waits]
        return [feed.sink.name for feed in feeds]

    def close(self) -> None:
        """Release every sink; only after `run_once`, because `run` does it itself."""
        for feed in self.feeds:
            feed.close()

    def _follow(self, feed: SinkWorker, stop: threading.Event) -> None:
        try:
            while not stop.is_set():
                if not self._step(feed, self._now()):
                    stop.wait(POLL_S)
        finally:
            feed.close()

    def _step(self, feed: SinkWorker, now: float) -> int:
        try:
            return feed.run_once(now)
        except Exception as error:  # of one sink: the others continue, and this one tries again
            feed.failed(error, now)
            return 0

    def _now(self) -> float:
        return self._ledger.clock.mono_ns() / NS


def verify_apart(sinks: Sequence[Sink]) -> None:
    """Raise ValueError for two sinks of one name: what one was sent, the other would miss."""
    names = [sink.name for sink in sinks]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two sinks have the same name, {name}: name each address once")


def waves(events: Sequence[OutgoingEvent]) -> Iterator[list[OutgoingEvent]]:
    """Yield events in waves with at most one of a table each, in order of each table."""
    groups: list[list[OutgoingEvent]] = []
    places: dict[int | None, int] = {}
    for one in events:
        place = places.get(one.table, 0)
        places[one.table] = place + 1
        if place == len(groups):
            groups.append([])
        groups[place].append(one)
    yield from groups
