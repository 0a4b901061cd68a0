"""Reads the ledger on and maintains the read model: one follower at a time, in its own process."""

import threading
from collections.abc import Callable

from sqlalchemy import Connection

from tabletools.money.outbox_queries import SinkLock
from tabletools.reports import fallen, model, rounds, rules, service, statements, takings
from tabletools.reports.feeds import Feed, Part, next_part
from tabletools.store import Store, StoreError
from tabletools.store.clock import NS

LOCK = "reports"
PAUSE_S = 0.2
"""Between looks for something new."""
JUDGE_NS = 10 * NS
"""Between two looks at the rules that users set."""
_FAILED_S = 1.0
Fold = Callable[[Connection, Connection, Part], None]


def _fold_records(ledger: Connection, db: Connection, part: Part) -> None:
    fallen.fold(ledger, db, part)
    service.fold(ledger, db, part)


def _fold_settled(ledger: Connection, db: Connection, part: Part) -> None:
    rounds.fold_settled(ledger, db, part)
    takings.fold(ledger, db, part)
    statements.fold(ledger, db, part)


FEEDS: tuple[tuple[Feed, Fold], ...] = (
    (fallen.FEED, _fold_records),
    (rounds.SETTLED, _fold_settled),
    (rounds.REFUSED, rounds.fold_refused),
)


class Follower:
    """Maintains the read model of a ledger while it has the lock. `close` it."""

    def __init__(self, ledger: Store) -> None:
        self._ledger = ledger
        self._model = model.Model.open(ledger)
        self._lock = SinkLock(ledger, LOCK)
        self._is_prepared = False
        self._judged_ns = -JUDGE_NS
        self.rows = 0
        """Rows of the ledger folded so far."""

    def close(self) -> None:
        """End it; another follower may go on."""
        self._lock.release()
        self._model.close()

    def rebuild(self) -> bool:
        """Empty the read model, to be built again; False if another follower maintains it."""
        if not self._lock.take():
            return False
        with self._model.write() as db:
            self._model.rebuild(db)
        return True

    def step(self) -> bool:
        """Fold the next part of each feed in one transaction; returns whether there is more.

        Raises StoreError.
        """
        if not self._lock.take():
            return False
        with self._ledger.read() as ledger:
            if not self._is_prepared:
                self._model.prepare(ledger)
                self._is_prepared = True
            with self._model.read() as db:
                parts = [self._part(ledger, db, feed) for feed, _ in FEEDS]
                has_unread = fallen.has_unread(db)
            if has_unread or any(part.last > part.after for part in parts):
                with self._model.write() as db:
                    self._fold(ledger, db, parts)
        has_more = any(part.has_more for part in parts)
        if not has_more:
            self._judge()
        return has_more

    def _judge(self) -> None:
        """Look at the rules, every ten seconds and only where nothing is left to fold."""
        now_ns = self._ledger.clock.mono_ns()
        if now_ns - self._judged_ns < JUDGE_NS:
            return
        self._judged_ns = now_ns
        with self._model.read() as db:
            rules.look(self._ledger, db)

    def _part(self, ledger: Connection, db: Connection, feed: Feed) -> Part:
        after = model.position(db, feed.name)
        return next_part(ledger, feed, after, self._ledger.clock.wall_ns())

    def _fold(self, ledger: Connection, db: Connection, parts: list[Part]) -> None:
        for (feed, fold), part in zip(FEEDS, parts, strict=True):
            fold(ledger, db, part)
            if part.last > part.after:
                model.note_position(db, feed.name, part.last)
                self.rows += part.last - part.after
        model.note_source(db, ledger)

    def run(self, stop: threading.Event, say: Callable[[str, dict[str, object]], None]) -> None:
        """Follow until stopped. say: called with (event, facts) when the ledger fails."""
        failing = False
        while not stop.is_set():
            try:
                has_more = self.step()
                failing = False
            except StoreError as error:
                self._is_prepared, has_more = False, False
                if not failing:
                    say("reports_failed", {"why": str(error)})
                failing = True
            if not has_more:
                stop.wait(_FAILED_S if failing else PAUSE_S)
