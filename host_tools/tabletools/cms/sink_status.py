"""State of a sink: what its worker notes, and what is reported."""

from dataclasses import dataclass
from typing import NamedTuple

from tabletools.money import outbox_queries
from tabletools.store import Store

NS = 1_000_000_000
UP, DOWN, STANDBY = "up", "down", "standby"


REFUSALS = 3
"""From so many failures in a row on, with nothing delivered between, a sink is down."""


@dataclass
class Status:
    """Noted by its worker. waits: another process feeds the sink. error: of the last event."""

    sent: int = 0
    failed: int = 0
    failed_in_a_row: int = 0
    down: str = ""
    waits: bool = False
    error: str = ""

    @property
    def is_down(self) -> bool:
        """Whether the sink is unreachable, or refuses one event after the other."""
        return bool(self.down) or self.failed_in_a_row >= REFUSALS

    def count(self, delivered: int, failed: int) -> None:
        """Count what came of sending events."""
        self.sent += delivered
        self.failed += failed
        self.failed_in_a_row = 0 if delivered else self.failed_in_a_row + failed


class SinkStatus(NamedTuple):
    """Reported state: up, down (unreachable, or the last REFUSALS events failed), or standby while
    another process feeds the sink.

    sent, failed: of this process. waiting: undelivered events, None on standby; oldest_s: age of
    the oldest of them. dead: events that were given up. error: why it is down, or why the last
    event failed.
    """

    name: str
    state: str
    sent: int
    failed: int
    waiting: int | None = None
    oldest_s: float = 0.0
    dead: int = 0
    error: str = ""


def status_of(ledger: Store, sink: str, status: Status, after: int) -> SinkStatus:
    """Return the state of a sink. after: its events up to this number are delivered.

    Raises StoreError.
    """
    if status.waits:
        return SinkStatus(sink, STANDBY, status.sent, status.failed)
    left = outbox_queries.backlog(ledger, sink, after=after)
    now_ns = ledger.clock.wall_ns()
    age_ns = 0 if left.oldest_ns is None else max(0, now_ns - left.oldest_ns)
    return SinkStatus(
        sink,
        DOWN if status.is_down else UP,
        status.sent,
        status.failed,
        left.waiting,
        age_ns / NS,
        left.dead,
        status.down or status.error,
    )
