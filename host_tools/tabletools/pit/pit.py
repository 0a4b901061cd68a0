"""A whole running host: one ledger, its tables, each with a thread and a bet queue."""

import re
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tabletools import authority
from tabletools.decode import LiveState
from tabletools.evidence import claim, let_go
from tabletools.evidence import tables as casino
from tabletools.money import people_queries, play_queries
from tabletools.pit.assignments import TableAssignment, ledger_facts, place_of, release_of
from tabletools.pit.bet_queue import BetQueue
from tabletools.pit.host import TableHost
from tabletools.pit.host_context import HostContext, TableUnavailable
from tabletools.pit.live import LiveTable, facts_of
from tabletools.pit.orders import ANSWER_S, Order, values_of
from tabletools.pit.settings import Settings, TableSettings
from tabletools.pit.wheel_host import WheelHost
from tabletools.store import (
    Actor,
    Connection,
    Lease,
    LedgerRejection,
    Store,
    StoreError,
    audit,
    people,
)
from tabletools.table.intake import Intake
from tablewire.codec import Frame
from tablewire.messages import BETS_CLOSED, CLOSE_CAUSE_COMMAND, REFUSAL, REFUSAL_WRONG_PHASE

HOUSE = Actor("host")


class Seat(NamedTuple):
    """One table of this host."""

    place: TableAssignment
    host: TableHost
    queue: BetQueue
    live: LiveTable


class Pit:
    """Tables of one host by their number in the ledger. holder: its name in leases."""

    def __init__(
        self, context: HostContext, settings: Settings, *, over: threading.Event | None = None
    ) -> None:
        """over: set when the host stops; tables wait on it. Raises ToolError for a table that the

        ledger refuses.
        """
        self.context = context
        self.ledger: Store = context.ledger
        self.settings = settings
        self.over = over or threading.Event()
        run = secrets.token_hex(4)
        self.seats = {
            seat.place.table: seat
            for seat in (self._seat(table, run) for table in settings.tables)
        }
        self._threads = [
            threading.Thread(target=seat.host.run, name=seat.place.name, daemon=True)
            for seat in self.seats.values()
        ]

    def start(self) -> None:
        """Start to serve the tables."""
        for seat in self.seats.values():
            seat.queue.start()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Release the tables; the players' sessions at them end."""
        self.over.set()
        for seat in self.seats.values():
            seat.queue.stop()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        self.context.readers.shutdown(cancel_futures=True)
        self._close_sessions()
        self.ledger.close()

    def seat(self, table: int) -> Seat:
        """Return a table of this host. Raises LedgerRejection, TableUnavailable."""
        seat = self.seats.get(table)
        if seat is None:
            with self.ledger.read() as db:
                play_queries.table_row(db, table)
            what = f"table {table} does not belong to this host"
            raise TableUnavailable("table_not_held", what, "ask the host that owns it")
        return seat

    def lease(self, table: int) -> Lease:
        """Return the lease of a table to write under. Raises TableUnavailable."""
        return self.seat(table).host.attended()

    @contextmanager
    def ruling(self, table: int) -> Iterator[Lease]:
        """The lease of a table for one ruling; borrowed if no host owns the table any more.

        Raises TableUnavailable, LedgerRejection while another host owns it.
        """
        if table in self.seats:
            yield self.lease(table)
            return
        lease = claim(self.ledger, table, f"{self.context.holder} {secrets.token_hex(4)}")
        try:
            yield lease
        finally:
            let_go(self.ledger, lease)

    def close_bets(self, table: int, who: Actor) -> None:
        """Close the bets by hand. Raises TableUnavailable, LedgerRejection, StoreError."""
        intake = self._intake(table)
        intake.close("dealer")
        now_ns = self.ledger.clock.wall_ns()
        self.ledger.run(lambda db: audit.note(db, who, "bets_closed", f"table {table}", now_ns))

    def order(self, table: int, order: Order, who: Actor) -> Frame:
        """Send an order to a table; returns the frame that answers it.

        Raises LedgerRejection for an order that is unknown, and for a void after no more bets that
        is no correction by two users; TableUnavailable, StoreError.
        """
        values = values_of(order.name, order.values)
        self.lease(table)
        now_ns = self.ledger.clock.wall_ns()
        is_early_void = self.ledger.run(lambda db: _note_order(db, table, order, who, now_ns))
        if order.name == "close_bets" or is_early_void:
            self._intake(table).close(
                "dealer"
            )  # first here: whatever the table does, no more bets are accepted
        if is_early_void:
            # Its bets_closed may be on its way here: the table decides which was first.
            closed = self._answer(table, "close_bets", (), order.number)
            if closed.type == REFUSAL and closed.values[2] != REFUSAL_WRONG_PHASE:
                return closed
            if closed.type != BETS_CLOSED or closed.values[0] != CLOSE_CAUSE_COMMAND:
                raise _correction_refusal("the table closed its bets before the void arrived")
        return self._answer(table, order.name, values, order.number)

    def _answer(self, table: int, name: str, values: tuple[int, ...], number: int) -> Frame:
        host = self.seat(table).host
        answer = host.orders.give(name, values, number)
        try:
            return answer.result(ANSWER_S)
        except TimeoutError:
            answer.cancel()
            what = f"table {host.place.name} did not answer {name} within {ANSWER_S:g} s"
            step = (
                "see what it shows before the order is given again: it may have been carried out"
            )
            raise TableUnavailable("table_silent", what, step) from None

    def release(self, table: int, who: Actor, why: str) -> None:
        """Release a stopped device. Raises TableUnavailable, LedgerRejection, StoreError."""
        self._intake(table).release(self.seat(table).place.device, who, why)

    def _intake(self, table: int) -> Intake:
        """Return the intake of a table."""
        self.lease(table)
        intake = self.seat(table).host.intake
        assert intake is not None
        return intake

    def _seat(self, table: TableSettings, run: str) -> Seat:
        place = place_of(self.ledger, table, release_of(self.settings, table))
        terms = place.terms
        facts = {
            "table": place.table,
            "name": place.name,
            "device": place.device,
            "game": terms.game,
            "rules": terms.rules,
            "variant": terms.variant,
            "held": False,
            "link": "closed",
            "trouble": None,
            "refused": None,
            **facts_of(LiveState()),
            **ledger_facts(self.ledger, place),
        }
        live = LiveTable(facts, run, self.ledger.clock)
        kind = WheelHost if place.status_line else TableHost
        host = kind(self.context, place, live, self.over)
        return Seat(place, host, BetQueue(self.context, host), live)

    def _close_sessions(self) -> None:
        try:
            for table in self.seats:
                with self.ledger.read() as db:
                    sessions = people_queries.sessions_of(db, table=table)
                for row in sessions:
                    people.close_session(self.ledger, row.id, "host_ended", HOUSE)
        except (StoreError, LedgerRejection):
            return  # they expire


_RUNS = re.compile(r"( [0-9a-f]{8})+$")


def holder(host_name: str = "") -> str:
    """Return a unique name for this run of a host; `host_of` it is the name of the host."""
    return f"{host_name or socket.gethostname()} {secrets.token_hex(4)}"


def host_of(holder: str) -> str:
    """Return the host that owns tables under a name, of any of its runs and claims."""
    return _RUNS.sub("", holder)


def _note_order(db: Connection, table: int, order: Order, who: Actor, now_ns: int) -> bool:
    """Store who gave an order; returns whether it is a void while bets are open.

    Raises LedgerRejection for a void of closed bets by a single user.
    """
    detail = {"order": order.name, "round": order.number, "values": dict(order.values)}
    is_void = order.name == "void_round"
    acts = {"void_round": authority.VOID, "clear_fault": authority.CLEAR_FAULT}
    people.verify_may(db, who, acts.get(order.name, authority.ORDER))
    if not is_void or (order.correction is None and casino.state_of(db, table).bets_open):
        audit.note(db, who, "ordered", f"table {table}", now_ns, **detail)
        return is_void
    if order.correction is None:
        raise _correction_refusal("bets are closed")
    users, reason, evidence = order.correction
    decided = people.two_deciding(db, users, reason, authority.VOID)
    if not evidence.strip():
        step = "say who saw what happened and which recording shows it"
        raise LedgerRejection(
            "evidence_needed", "a void after no more bets needs evidence", step, "evidence"
        )
    audit.note_both(
        db,
        decided,
        "ordered",
        f"table {table}",
        now_ns,
        **detail,
        reason=reason,
        evidence=evidence,
    )
    return False


def _correction_refusal(why: str) -> LedgerRejection:
    what = f"{why}: the void is now a correction, which two users decide"
    step = "name the second user, the reason and the evidence"
    return LedgerRejection("two_users_needed", what, step, "second")
