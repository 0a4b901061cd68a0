"""What needs a person, at each table and in the house, computed in one place.

Every list and card is ordered by it: by priority, then by how long it has been so.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, convert

from tabletools.api.app_state import AppState
from tabletools.api.roles import may
from tabletools.evidence import alarms
from tabletools.evidence.alarms import HIGH, MEDIUM, URGENT
from tabletools.money import payouts, people_queries
from tabletools.money.people_queries import AlarmSearch
from tabletools.pit.live import Facts
from tabletools.store import Connection
from tabletools.store.clock import NS
from tabletools.table import unsettled_stakes
from tabletools.table.unsettled_stakes import OpenStake

LONG_OPEN_NS = 600 * NS
"""Bets that are open for longer than ten minutes need a look."""
_MOST = 500
_UNSHELVED = AlarmSearch(is_shelved=False, most=_MOST)


class Need(NamedTuple):
    """Something that needs a person. table: None: in the house. alarm: its number, if it is one.

    page: of the console, where it is dealt with. cents, currency: what is at stake, if known.
    """

    table: int | None
    priority: int
    kind: str
    text: str
    since_ns: int
    page: str
    alarm: int | None = None
    cents: int | None = None
    currency: str | None = None
    code: int | None = None
    """Of a fault."""


def needs(app: AppState, role: str) -> list[Need]:
    """Return what needs a person, as far as a role may see it: the most urgent first, then the
    oldest.
    """
    now_ns = app.ledger.clock.wall_ns()
    seats = app.pit.seats
    states = {table: seat.live.facts for table, seat in seats.items()}
    offline = [table for table, seat in seats.items() if seat.live.is_silent]
    with app.ledger.read() as db:
        stakes = _waiting(db, now_ns, offline) if may(role, "bets.see") else []
        held = payouts.rows(db, is_open=True, most=_MOST) if may(role, "accounts.see") else []
        active = people_queries.alarm_rows(db, now_ns, _UNSHELVED)
    raised = [*_first_up(active)]
    faults = {(alarm.table_id, alarm.code) for alarm in raised if alarm.kind == alarms.FAULT}
    listed = [
        *map(_of_alarm, raised),
        *map(_of_stakes, stakes),
        *map(_of_payout, held),
        *(
            need
            for table, facts in states.items()
            for need in _of_state(table, facts, table in offline, now_ns)
            if (table, need.code) not in faults
        ),
    ]
    return sorted(listed, key=lambda need: (need.priority, need.since_ns))


class _Alarm(Struct):
    id: int
    table_id: int | None
    kind: str
    text: str
    at_ns: int
    priority: int | None
    first_up: int | None
    code: int | None
    acknowledged_ns: int | None


def _first_up(rows: Sequence[Mapping[str, Any]]) -> Iterator[_Alarm]:
    """Yield the alarms that wait for a user: of one cause at a table only the first."""
    known = [convert(row, _Alarm) for row in rows]
    waiting = {alarm.id: alarm for alarm in known if alarm.acknowledged_ns is None}
    for alarm in waiting.values():
        first = None if alarm.first_up is None else waiting.get(alarm.first_up)
        if first is None or first.table_id != alarm.table_id:
            yield alarm


def _of_alarm(alarm: _Alarm) -> Need:
    priority = alarm.priority or alarms.KINDS[alarm.kind].priority
    number, page = alarm.id, "#/alarms"
    return Need(alarm.table_id, priority, alarm.kind, alarm.text, alarm.at_ns, page, number)


def _waiting(db: Connection, now_ns: int, offline: Sequence[int]) -> list[OpenStake]:
    """Return the stakes that need a person: not those of a round that is about to be settled."""
    rows = unsettled_stakes.stakes(db, now_ns, offline)
    return [
        row
        for row in rows
        if row.why in _STAKES and not unsettled_stakes.is_early(db, row, now_ns)
    ]


_STAKES = {
    unsettled_stakes.WAITS: (URGENT, "stakes_wait", "stakes wait for the outcome of a round"),
    unsettled_stakes.LATE: (HIGH, "late_bets_wait", "late bets wait for a ruling"),
}


def _of_stakes(row: OpenStake) -> Need:
    priority, kind, text = _STAKES[row.why]
    page = f"#/round/{row.round_id}" if row.why == unsettled_stakes.WAITS else "#/rulings"
    return Need(row.table_id, priority, kind, text, row.since_ns, page, cents=row.stake_cents)


class _Payout(Struct):
    player: str
    amount_cents: int
    currency: str
    at_ns: int


def _of_payout(row: Mapping[str, Any]) -> Need:
    held = convert(row, _Payout)
    text = f"a payout to {held.player} waits for a release by two"
    need = Need(None, HIGH, "payout_waits", text, held.at_ns, "#/payouts")
    return need._replace(cents=held.amount_cents, currency=held.currency)


class _Refused(Struct):
    what: str


class _Fault(Struct):
    code: int
    cause: str


class _Live(Struct):
    stopped: str | None
    refused: _Refused | None
    link: str
    faults: list[_Fault]
    bets_open: bool
    since_ns: int


def _of_state(table: int, facts: Facts, is_silent: bool, now_ns: int) -> Iterator[Need]:
    """Yield what the live state of a table shows."""
    live = convert(facts, _Live)
    page, since_ns = f"#/table/{table}", live.since_ns
    if live.stopped:
        yield Need(table, URGENT, "stopped", live.stopped, since_ns, page)
    if live.refused:
        yield Need(table, HIGH, "refused", live.refused.what, since_ns, page)
    elif is_silent:
        yield Need(table, HIGH, "link", f"the link is {live.link}", since_ns, page)
    for fault in live.faults:
        need = Need(table, HIGH, "fault_active", f"{fault.code}: {fault.cause}", since_ns, page)
        yield need._replace(code=fault.code)
    if live.bets_open and now_ns - since_ns > LONG_OPEN_NS:
        yield Need(table, MEDIUM, "long_open", "bets are open for long", since_ns, page)
