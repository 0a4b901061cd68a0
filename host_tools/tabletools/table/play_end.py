"""The end of play at a table: the last shoe, round or fifteen minutes (hc2023, hc2011 1:1(11)).

A dealer or a supervisor announces it, and either may withdraw it. What is being played goes on to
its result; after that no round opens bets. A last round that is void is spun again, so the next
one is the last. Stakes that stay in play are decided by further rounds, in which nothing is bet.
"""

import json
from collections.abc import Callable, Mapping

from sqlalchemy import Select, and_, func, insert, select

from tabletools.store import audit
from tabletools.store.audit import Actor
from tabletools.store.clock import NS
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.schema.evidence import frames
from tabletools.store.schema.play import play_ends, results, round_settlements, rounds
from tabletools.table import shell
from tabletools.table.shell import Turn
from tablewire.card_shoe import SHOE_REPORT

SHOE, ROUND, MINUTES, WITHDRAWN = "shoe", "round", "minutes", "withdrawn"
LAST_NS = 15 * 60 * NS
"""The last fifteen minutes."""
OVER = {
    SHOE: "last_shoe_played",
    ROUND: "last_round_played",
    MINUTES: "last_minutes_over",
}
"""Why bets do not open after the end, by kind."""
ENDED = "play_ended"
ANNOUNCED = "tablewire.play.ending"
# shoe_report: a new shoe was declared, or one that goes on; the others end it.
NEW, _CONTINUED = 1, 2


def announce(ledger: Store, lease: Lease, kind: str, who: Actor) -> None:
    """Announce the end of play. kind: SHOE, ROUND or MINUTES; another one replaces it.

    The round that is being played is the last, or else the next one; the shoe that is being dealt.
    Raises LedgerRejection, LostLease, StoreError.
    """

    def write(turn: Turn) -> None:
        before = turn.shared.play_end
        if before is not None and before[0] == kind:
            what = f"the last {_kind_text(kind)} of table {turn.shared.name} was announced already"
            raise LedgerRejection("play_end_announced", what, "withdraw it first", "last")
        _add(turn, kind, _BOUNDS[kind](turn), who)

    shell.run(ledger, lease, write)


def withdraw(ledger: Store, lease: Lease, who: Actor) -> None:
    """Withdraw the announcement; bets open again with the next round.

    Raises LedgerRejection, LostLease, StoreError.
    """

    def write(turn: Turn) -> None:
        if turn.shared.play_end is None:
            what = f"no end of play is announced at table {turn.shared.name}"
            raise LedgerRejection("play_end_none", what, "see the page of the table", "last")
        _add(turn, WITHDRAWN, None, who)

    shell.run(ledger, lease, write)


def _kind_text(kind: str) -> str:
    return "fifteen minutes" if kind == MINUTES else kind


def _add(turn: Turn, kind: str, bound: int | None, who: Actor) -> None:
    db, now_ns = turn.db, turn.now_ns
    values = {"table_id": turn.table, "kind": kind, "bound": bound}
    values |= {"user_id": who.user, "at_ns": now_ns}
    row = int(
        db.execute(insert(play_ends).values(**values).returning(play_ends.c.id)).scalar_one()
    )
    last = None if kind == WITHDRAWN else kind
    audit.note(db, who, "play_end", f"table {turn.table}", now_ns, last=last)
    data = {"table": turn.table, "last": last, "user": who.name}
    event = OutboxEvent(f"play-end-{row}", ANNOUNCED, f"table/{turn.table}", data, turn.table)
    enqueue(db, event, now_ns)


def _bound_of_shoe(turn: Turn) -> int:
    """Return the newest frame, where a shoe is being dealt. Raises LedgerRejection."""
    newest = _reports(turn).order_by(frames.c.id.desc()).limit(1)
    report = turn.db.execute(newest).one_or_none()
    if report is None or _event_of(report.payload) not in (NEW, _CONTINUED):
        what = f"no shoe is being dealt at table {turn.shared.name}"
        step = "declare the last shoe first, or announce the last round"
        raise LedgerRejection("no_shoe", what, step, "last")
    return int(turn.db.execute(select(func.max(frames.c.id))).scalar_one())


def _reports(turn: Turn) -> Select[tuple[str]]:
    """Return the query of the payloads of the reports of the shoe that count."""
    col = frames.c
    return select(col.payload).where(
        col.device == turn.shared.device, col.type == SHOE_REPORT, col.counts == 1
    )


def _event_of(payload: str) -> int:
    return int(json.loads(payload)["event"])


def _bound_of_minutes(turn: Turn) -> int:
    return turn.now_ns + LAST_NS


_BOUNDS: Mapping[str, Callable[[Turn], int]] = {
    SHOE: _bound_of_shoe,
    ROUND: Turn.newest_over,
    MINUTES: _bound_of_minutes,
}


def why_over(turn: Turn, opened: int | None = None) -> str:
    """Why the announced end of play has come, empty if it has not or none is announced.

    opened: the round that would open bets, None for one after all others.
    """
    if turn.shared.play_end is None:
        return ""
    kind, bound = turn.shared.play_end
    if kind == MINUTES:
        return OVER[kind] if turn.now_ns >= bound else ""
    turn.flush()
    is_over = _is_new_shoe(turn, bound) if kind == SHOE else _is_round_over(turn, bound, opened)
    return OVER[kind] if is_over else ""


def _is_new_shoe(turn: Turn, bound: int) -> bool:
    """Whether another shoe was declared since the last one was announced."""
    reports = turn.db.execute(_reports(turn).where(frames.c.id > bound)).scalars()
    return any(_event_of(payload) == NEW for payload in reports)


def _is_round_over(turn: Turn, bound: int, opened: int | None) -> bool:
    """Whether a round after the bound came before this one, and was not void."""
    newest = and_(
        round_settlements.c.round_id == rounds.c.id,
        round_settlements.c.generation == rounds.c.settled,
    )
    is_void = func.coalesce(round_settlements.c.is_void, results.c.is_void, 0)
    query = (
        select(rounds.c.id)
        .outerjoin(results, results.c.round_id == rounds.c.id)
        .outerjoin(round_settlements, newest)
        .where(rounds.c.table_id == turn.table, rounds.c.id > bound, is_void == 0)
    )
    if opened is not None:
        query = query.where(rounds.c.id < opened)
    return turn.db.execute(query.limit(1)).first() is not None


def refusal(turn: Turn, why: str) -> LedgerRejection:
    """Return the refusal of a bet after the end of play. why: of `why_over`."""
    what = f"play at table {turn.shared.name} has ended: {why.replace('_', ' ')}"
    step = "no further round accepts bets; stakes in play are still decided"
    return LedgerRejection(ENDED, what, step)
