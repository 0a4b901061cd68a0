"""What has to hold in a night, a function each; it yields what is wrong, in words.

The models are written a second time here: what the tables truly made, what players received, what
the ends of the sinks had. `OFTEN` is looked at every two seconds, `NOW_AND_THEN` every few minutes
and at the end, `AT_THE_END` once all faults have ended and everything had time to recover.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from hil_tests.night.causes import Causes
from hil_tests.night.far_ends import ManagementSystem
from hil_tests.night.line import digest_of
from hil_tests.night.night_roles import Outcome, won
from hil_tests.night.night_tables import NightTable
from hil_tests.night.staff import Players, outcome_of
from tabletools.evidence import alarms, rounds
from tabletools.link import Keys
from tabletools.store.schema.evidence import OPEN
from tabletools.table.verify import check

SECOND_US = 1_000_000
LATEST_US = 1_250_000
"""A bet may be accepted so long after no-more-bets: a table is stale after a second."""
EXPLAINED_US = 90 * SECOND_US
"""An alarm comes so long after its cause has ended at most."""
ARRIVED_US = 90 * SECOND_US
"""What a table sent is in the ledger after so long, once all faults have ended."""


class Settled(NamedTuple):
    """A settlement since the last look. by_table: by its own word, not by a ruling.

    stake_cents: of the bets it settled.
    """

    row: int
    round: int
    device: int
    number: int
    generation: int
    outcome: Outcome
    is_void: bool
    by_table: bool
    stake_cents: int


class Alarm(NamedTuple):
    """An alarm since the last look. device, round, number: None where it is of no round."""

    id: int
    kind: str
    table: str
    text: str
    device: int | None
    round: int | None
    number: int | None


_SETTLED = """
SELECT s.rowid, s.round_id, r.device, r.number, s.generation, s.outcome, s.is_void, s.first_user,
    s.stake_cents
FROM round_settlements s JOIN rounds r ON r.id = s.round_id WHERE s.rowid > :seen ORDER BY s.rowid
"""
_ALARMS = """
SELECT a.id, a.kind, a.text, a.device, r.id, r.number
FROM alarms a LEFT JOIN rounds r ON r.id = a.round_id WHERE a.id > :seen ORDER BY a.id
"""


@dataclass
class View:
    """A night as the invariants see it. settled, alarms: those since the last look.

    deposits_cents: what each player brought. calm_us: when all faults ended. settled_us: when the
    newest round ended that a table settled itself. late: bets accepted long after no-more-bets.
    """

    tables: Mapping[int, NightTable]
    players: Players
    systems: Sequence[ManagementSystem]
    causes: Causes
    keys: Keys
    deposits_cents: int
    calm_us: int
    now_us: int = 0
    settled: list[Settled] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
    settled_us: dict[str, int] = field(default_factory=dict)
    late: list[int] = field(default_factory=list)
    _rows: dict[str, int] = field(default_factory=dict)

    def look(self, db: Connection, now_us: int) -> None:
        """Read what is new."""
        self.now_us = now_us
        names = {table.device: table.name for table in self.tables.values()}
        self.settled = [
            Settled._make(
                (
                    *row[:5],
                    json.loads(row.outcome),
                    bool(row.is_void),
                    row.first_user is None,
                    row.stake_cents,
                )
            )
            for row in self.new(db, "settled", _SETTLED)
        ]
        self.alarms = [
            Alarm._make((*row[:2], names.get(row.device, ""), *row[2:]))
            for row in self.new(db, "alarms", _ALARMS)
        ]

    def new(self, db: Connection, name: str, query: str) -> list[Any]:
        """Return the rows since this was asked for last; the first column of each only rises."""
        rows = db.execute(text(query), {"seen": self._rows.get(name, 0)}).all()
        if rows:
            self._rows[name] = rows[-1][0]
        return list(rows)


Invariant = Callable[[View, Connection], Iterator[str]]


# --- rounds and bets -------------------------------------------------------------------------


def settled_as_it_fell(view: View, _db: Connection) -> Iterator[str]:
    """A table's own word settles a round that ended, by what truly fell."""
    for case in view.settled:
        table = view.tables[case.device]
        truth = table.truth.get(case.number)
        if not case.by_table:
            continue
        if truth is None or truth.ended_us is None:
            yield f"round {case.number} of {table.name} was settled and never ended"
            continue
        view.settled_us[table.name] = truth.ended_us
        wanted = outcome_of(table, case.number, truth)
        if case.is_void != truth.is_void or (not case.is_void and case.outcome != wanted):
            yield f"round {case.number} of {table.name}: {case.outcome}, true is {wanted}"


def no_payout_on_a_known_number(view: View, db: Connection) -> Iterator[str]:
    """No bet wins that was placed after no more bets."""
    query = "SELECT bet_id FROM settlements WHERE round_id = :key AND generation = :generation"
    for case in view.settled:
        table = view.tables[case.device]
        truth = table.truth.get(case.number)
        closed_us = None if truth is None else truth.closed_us
        key = {"key": case.round, "generation": case.generation}
        for (bet,) in db.execute(text(f"{query} AND win_cents > 0"), key):
            placed = view.players.accepted.get(bet)
            if placed is not None and closed_us is not None and placed.placed_us > closed_us:
                late_us = placed.placed_us - closed_us
                yield f"bet {bet} of {table.name} came {late_us} us after no more bets, and won"


def held_results_are_ruled(view: View, _db: Connection) -> Iterator[str]:
    """Where no record says what a round came to, two users do, and nothing is paid before."""
    for case in view.settled:
        table = view.tables[case.device]
        if table.role.is_ruled and case.by_table and not case.is_void:
            yield f"round {case.number} of {table.name} was settled, and nobody had ruled on it"


def undone_by_two(view: View, _db: Connection) -> Iterator[str]:
    """No table gives stakes back after no more bets: two users rule, whatever made it void."""
    for found in view.settled:
        table = view.tables[found.device]
        truth = table.truth.get(found.number)
        if found.by_table and found.stake_cents and truth is not None and truth.is_undone:
            yield f"round {found.number} of {table.name}, void after no more bets, was settled"


def held_voids_are_alarms(view: View, _db: Connection) -> Iterator[str]:
    """An alarm of a void after no more bets is of one that truly was."""
    for found in view.alarms:
        if found.kind == alarms.VOID_HELD and not _is_undone(view, found):
            yield f"alarm {found.id} at {found.table}, {found.kind}: {found.text}"


def _is_undone(view: View, found: Alarm) -> bool:
    """Whether the round of an alarm truly became void after no more bets."""
    if found.device is None or found.number is None:
        return False
    truth = view.tables[found.device].truth.get(found.number)
    return truth is not None and truth.is_undone


def paid_by_the_odds(view: View, db: Connection) -> Iterator[str]:
    """Every bet that a result decides wins what the odds say, to the cent."""
    query = """
    SELECT b.id, b.slip, s.stake_cents, s.win_cents FROM settlements s
    JOIN bets b ON b.id = s.bet_id WHERE s.round_id = :key AND s.generation = :generation"""
    for case in view.settled:
        if case.is_void or "void" in case.outcome:
            continue
        key = {"key": case.round, "generation": case.generation}
        for bet, slip, stake, win in db.execute(text(query), key):
            wanted = stake * won(json.loads(slip), case.outcome)
            if win != wanted:
                yield f"bet {bet}, {stake} cents on {slip}, won {win} cents and not {wanted}"


def bets_close(view: View, db: Connection) -> Iterator[str]:
    """No bet that came long after no-more-bets is in play, once the ledger knows of that.

    Before that it may be: a frame was lost. Then it waits for a ruling.
    """
    for bet, device, number in view.new(db, "bets", """
            SELECT b.id, r.device, r.number FROM bets b JOIN rounds r ON r.id = b.round_id
            WHERE b.id > :seen AND b.carried_from IS NULL ORDER BY b.id"""):  # fmt: skip
        placed, truth = view.players.accepted[bet], view.tables[device].truth[number]
        ends = [end_us for end_us in (truth.closed_us, truth.ended_us) if end_us is not None]
        late_us = placed.placed_us - min(ends, default=placed.placed_us)
        if placed.standing == "valid" and late_us > LATEST_US:
            view.late.append(bet)
    query = """
    SELECT 1 FROM bets b JOIN rounds r ON r.id = b.round_id
    LEFT JOIN referrals f ON f.bet_id = b.id
    WHERE b.id = :bet AND (r.closed IS NOT NULL OR r.ended IS NOT NULL) AND f.bet_id IS NULL"""
    for bet in view.late:
        if db.execute(text(query), {"bet": bet}).first() is not None:
            yield f"bet {bet} was accepted more than {LATEST_US} us after no more bets"


def settled_once(_view: View, db: Connection) -> Iterator[str]:
    """The table's word settles a round once, each bet once; a ruling takes the place of it."""
    query = """
    SELECT round_id, count(*) FROM round_settlements WHERE first_user IS NULL
    GROUP BY round_id HAVING count(*) > 1"""
    for key, count in db.execute(text(query)):
        yield f"round {key} was settled {count} times by its table"
    query = """
    SELECT p.round_id, count(*), max(r.settled) FROM postings p JOIN rounds r ON r.id = p.round_id
    WHERE p.kind = 'settlement' GROUP BY p.round_id HAVING count(*) <> max(r.settled)"""
    for key, count, settled in db.execute(text(query)):
        yield f"round {key} was settled {settled} times, and its money moved {count} times"


def settled_or_held(view: View, db: Connection) -> Iterator[str]:
    """Every stake of a round that ended was settled, or waits for people with an alarm."""
    query = """
    SELECT b.id, r.device, r.number FROM bets b JOIN rounds r ON r.id = b.round_id
    LEFT JOIN withdrawals w ON w.bet_id = b.id LEFT JOIN rulings u ON u.bet_id = b.id
    LEFT JOIN settlements s ON s.bet_id = b.id AND s.generation = r.settled
    WHERE w.bet_id IS NULL AND s.bet_id IS NULL AND coalesce(u.is_valid, 1) = 1
        AND NOT EXISTS (SELECT 1 FROM alarms a WHERE a.round_id = r.id)"""
    for bet, device, number in db.execute(text(query)):
        truth = view.tables[device].truth[number]
        if truth.ended_us is not None and truth.ended_us < view.now_us - ARRIVED_US:
            yield f"bet {bet} of round {number}, which ended, was neither settled nor held"


def books_balance(view: View, db: Connection) -> Iterator[str]:
    """Every player has what he brought, less stakes, and what his bets came to, to the cent."""
    query = """
    SELECT a.name, a.balance_cents,
        coalesce((SELECT sum(b.stake_cents) FROM bets b
            LEFT JOIN withdrawals w ON w.bet_id = b.id LEFT JOIN rulings u ON u.bet_id = b.id
            WHERE b.account_id = a.id AND b.carried_from IS NULL AND w.bet_id IS NULL
                AND coalesce(u.is_valid, 1) = 1), 0),
        coalesce((SELECT sum(s.win_cents + s.back_cents) FROM settlements s
            JOIN bets b ON b.id = s.bet_id JOIN rounds r ON r.id = s.round_id
            WHERE b.account_id = a.id AND s.generation = r.settled), 0)
    FROM accounts a WHERE a.kind = 'player'"""
    for name, balance, staked, returned in db.execute(text(query)):
        wanted = view.deposits_cents - staked + returned
        if balance != wanted:
            yield f"{name} has {balance} cents, and {wanted} by his bets"
    [total] = db.execute(text("SELECT sum(balance_cents) FROM accounts")).scalars()
    if total:
        yield f"all accounts add up to {total} cents"


# --- evidence --------------------------------------------------------------------------------


def nothing_forged_counts(view: View, db: Connection) -> Iterator[str]:
    """Every record that counts was sent by its table, byte for byte."""
    for row, device, boot, counter, raw in view.new(db, "frames", """
            SELECT id, device, boot, counter, raw FROM frames
            WHERE id > :seen AND counts = 1 ORDER BY id"""):  # fmt: skip
        table = view.tables.get(device)
        if table is None or digest_of(raw) not in table.line.digests:
            yield f"frame {row}, boot {boot} counter {counter}: no table sent it"


def no_record_lost(view: View, db: Connection) -> Iterator[str]:
    """Every record of a table is in the ledger, once."""
    query = "SELECT device, boot, counter FROM frames WHERE counts = 1"
    rows = Counter(map(tuple, db.execute(text(query))))
    for table in view.tables.values():
        for (boot, counter), sent_us in table.records.items():
            count = rows[table.device, boot, counter]
            if count > 1 or (not count and sent_us < view.now_us - ARRIVED_US):
                yield f"record {counter} of boot {boot} of {table.name} is there {count} times"


def evidence_verifies(_view: View, db: Connection) -> Iterator[str]:
    """`ledger verify` finds nothing: sums, settlements derived again, evidence, chain."""
    yield from check(db).problems


def tags_and_traces_verify(view: View, db: Connection) -> Iterator[str]:
    """`ledger verify --keys` finds nothing: every tag, every trace played again as well."""
    yield from check(db, view.keys).problems


# --- events ----------------------------------------------------------------------------------


def events_arrive_in_order(view: View, _db: Connection) -> Iterator[str]:
    """Each end of a sink has the events of a table in their order, and none again for nothing."""
    for system in view.systems:
        yield from system.problems


_ALARM_CLEARED = "tablewire.alarm.cleared"
"""Sent as often as the cause of an alarm was over; the ledger keeps the last time."""
_BY_ID = ("table", "dealer", "thrower", "bet", "device", "day", "offer")
"""First word of events whose only row is that of the outbox."""


def everything_is_delivered_once(view: View, db: Connection) -> Iterator[str]:
    """Each settlement, alarm, opening and closing is in one event at each end of a sink."""
    wanted = _events(db)
    for system in view.systems:
        delivered = Counter(
            _tells_of(event) for event in system.had if event["type"] != _ALARM_CLEARED
        )
        for what in (wanted - delivered).keys() | (delivered - wanted).keys():
            yield f"{system.name}: {' '.join(map(str, what))} is delivered {delivered[what]} times"


def _events(db: Connection) -> Counter[tuple[Any, ...]]:
    """What has to be delivered: (type, number of it, ...)."""
    events: list[tuple[Any, ...]] = []
    query = "SELECT round_id, generation, stake_cents, win_cents FROM round_settlements"
    for key, generation, stake, win in db.execute(text(query)):
        kind = "settled" if generation == 1 else "corrected"
        events.append((f"round.{kind}", key, generation, stake, win))
    for kind, column in (("round.opened", "opened"), ("bets.closed", "closed")):
        query = f"SELECT id FROM rounds WHERE {column} IS NOT NULL AND table_id IS NOT NULL"
        events += [(kind, key) for (key,) in db.execute(text(query))]
    rows = "SELECT id, acknowledged_ns FROM alarms"
    for key, acknowledged_ns in db.execute(text(rows)):
        events.append(("alarm.raised", key))
        if acknowledged_ns is not None:
            events.append(("alarm.acknowledged", key))
    for kind, ident in db.execute(text("SELECT type, event_id FROM outbox")):
        if kind.removeprefix("tablewire.").partition(".")[0] in _BY_ID:
            events.append((kind.removeprefix("tablewire."), ident))
    return Counter(events)


def _tells_of(event: Mapping[str, Any]) -> tuple[Any, ...]:
    kind, data = event["type"].removeprefix("tablewire."), event["data"]
    if kind.partition(".")[0] in _BY_ID:
        return kind, event["id"]
    if kind.startswith("alarm."):
        return kind, data["alarm"]
    if "generation" in data:
        names = ("round", "generation", "stake_cents", "win_cents")
        return kind, *(data[name] for name in names)
    return kind, data["round"]


# --- alarms ----------------------------------------------------------------------------------

_LINE, _HOST, _TABLE, FORGED = ("line",), ("host", "disk"), ("fault",), ("forged", "replayed")
CAUSES: dict[str, tuple[str, ...]] = {
    alarms.LINK_LOST: _LINE + _HOST + _TABLE + FORGED,
    alarms.LINK_STALE: _LINE + _HOST + _TABLE + FORGED,
    alarms.FAULT: (*_TABLE, *FORGED, *_LINE, *_HOST, "staff"),
    alarms.UNEXPECTED: _TABLE + FORGED,
    alarms.CONFIGURATION: _TABLE + _LINE + _HOST,
    alarms.PICTURE: _TABLE + FORGED + _LINE + _HOST + ("clock",),  # and see _is_unread
    alarms.TAMPER: FORGED,
    alarms.BOOT_FELL: _TABLE + FORGED,
    alarms.PROGRAM: _TABLE,
    alarms.UNENDED: (*_LINE, *_HOST, *_TABLE, *FORGED, "ruled"),
    alarms.LATE_BET: _LINE + _HOST + _TABLE + FORGED,  # and see _has_late_bet
    alarms.CLOCK_STEP: ("clock", *_HOST),
    alarms.DEVICE_CLOCK: _TABLE + _LINE + _HOST,
}
"""What explains an alarm, by its kind. No cause of a night explains the kinds left out."""
_REFUSALS = ("ambiguous", "unreadable", "cocked", "cut_off", "count_wrong")
"""Of a picture of dice by the host; faces other than the table's are none of them."""


FOR_PEOPLE = (alarms.LATE_BET, *alarms.SETTLED)
"""Over when two users have ruled, which may come after the calm of a night."""


def every_alarm_has_a_cause(view: View, db: Connection) -> Iterator[str]:
    """Something that was done to the pit explains each alarm."""
    for alarm in view.alarms:
        if alarm.kind == alarms.LATE_BET and _has_late_bet(view, alarm):
            continue
        if alarm.kind in (alarms.VOID_HELD, alarms.UNENDED) and _is_undone(view, alarm):
            continue
        if alarm.kind in (alarms.PICTURE, alarms.UNENDED) and _is_unread(alarm, db):
            continue
        until_us = view.causes.until_us(CAUSES.get(alarm.kind, ()), alarm.table)
        if until_us < 0 or until_us < view.now_us - EXPLAINED_US:
            yield f"alarm {alarm.id} at {alarm.table}, {alarm.kind}: {alarm.text}"


def _is_unread(alarm: Alarm, db: Connection) -> bool:
    """Whether the host could not read the dice of a round: some it refuses without a cause."""
    query = text("SELECT text FROM alarms WHERE round_id = :round AND kind = :kind")
    texts = db.execute(query, {"round": alarm.round, "kind": alarms.PICTURE}).scalars()
    return any(each.endswith(_REFUSALS) for each in texts)


def _has_late_bet(view: View, alarm: Alarm) -> bool:
    """Whether a bet of the round came after no more bets, or too near before it."""
    if alarm.device is None or alarm.number is None:
        return False
    closed_us = view.tables[alarm.device].truth[alarm.number].closed_us
    placed = [bet.placed_us for bet in view.players.accepted.values() if bet.round == alarm.round]
    return closed_us is not None and any(placed_us > closed_us - LATEST_US for placed_us in placed)


def alarms_clear(view: View, db: Connection) -> Iterator[str]:
    """Once its cause has ended no fault is active, no device stopped, no alarm left active."""
    for device, table in view.tables.items():
        if (stopped := alarms.stopped(db, device)) is not None:
            yield f"{table.name} is stopped: {stopped}"
        newest = max(table.records, default=(0, 0))
        known = rounds.active_faults(db, device, (newest[0], newest[1] + 1))
        if set(known) != table.faults:
            yield f"{table.name}: faults {known} are active, in truth {sorted(table.faults)}"
        # Dishonest staff goes on to order what leaves a fault: load_shoe while a shoe is in play.
        recent_us = view.causes.until_us((*_TABLE, *FORGED, "staff"), table.name)
        if table.faults and recent_us < view.now_us - EXPLAINED_US:
            yield f"{table.name}: faults {sorted(table.faults)} never cleared"
    columns = "id, kind, text, device, code, acknowledged_ns"
    query = f"SELECT {columns} FROM alarms WHERE {OPEN} ORDER BY id"
    truly = {(device, code) for device, table in view.tables.items() for code in table.faults}
    active = [
        (row.id, row.kind, row.text)
        for row in db.execute(text(query))
        if (row.acknowledged_ns is None or row.kind not in FOR_PEOPLE)
        and (row.device, row.code) not in truly
    ]
    fresh = {alarm.id for alarm in view.alarms}
    for key, kind, message in active:
        if key not in fresh:
            yield f"alarm {key} still stands, {kind}: {message}"


def every_table_recovers(view: View, _db: Connection) -> Iterator[str]:
    """Once all faults have ended every table plays, accepts bets, and settles by itself if it can.

    A table that closed bets twice in the calm must have accepted a bet there.
    """
    bets = Counter(
        bet.table for bet in view.players.accepted.values() if bet.placed_us > view.calm_us
    )
    for table in view.tables.values():
        closed_us = [
            truth.closed_us for truth in table.truth.values() if truth.closed_us is not None
        ]
        offered = sum(closing_us > view.calm_us + EXPLAINED_US for closing_us in closed_us)
        if offered > 1 and not bets[table.name]:
            yield f"{table.name} accepted no bet in {offered} rounds"
        if not any((truth.ended_us or 0) >= view.calm_us for truth in table.truth.values()):
            yield f"{table.name} ended no round"
        elif not table.role.is_ruled and view.settled_us.get(table.name, 0) < view.calm_us:
            yield f"{table.name} settled no round by itself"


OFTEN: tuple[Invariant, ...] = (
    held_results_are_ruled, undone_by_two, held_voids_are_alarms, settled_as_it_fell,
    paid_by_the_odds, no_payout_on_a_known_number,
    bets_close, nothing_forged_counts, every_alarm_has_a_cause, events_arrive_in_order,
)  # fmt: skip
NOW_AND_THEN: tuple[Invariant, ...] = (settled_once, books_balance, evidence_verifies)
RECOVERED: tuple[Invariant, ...] = (settled_or_held, no_record_lost, alarms_clear)
AT_THE_END: tuple[Invariant, ...] = (everything_is_delivered_once, tags_and_traces_verify)
