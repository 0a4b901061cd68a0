"""Verify rounds: every result settled once, every line as `tabletools.settle` computes it."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import Connection, RowMapping, Select, func, select, text

from tabletools import roles, round_outcome
from tabletools.evidence import Terms, alarms, round_records, round_validity, second_readings
from tabletools.evidence import rounds as rounds_of
from tabletools.evidence.round_validity import BELIEVED, Facts
from tabletools.evidence.tables import terms_at
from tabletools.money import books, games, meters
from tabletools.money.games import StoredBet
from tabletools.roles import Played, Record
from tabletools.rules.violation import RuleViolation
from tabletools.settle import Settlement, totals
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.books import ledger_lines, outbox, postings
from tabletools.store.schema.evidence import faults, frames
from tabletools.store.schema.play import bets, results, round_settlements, rounds, withdrawals
from tabletools.table import settling, wheel_lines
from tabletools.table.state import TableAccounts
from tablewire.dice_tray import DICE_RESULT
from tablewire.messages import ROUND_VOID

_HOUSES = """
SELECT e.table_id, e.id, h.id, e.currency, r.id FROM accounts e
JOIN accounts h ON h.table_id = e.table_id AND h.kind = 'house'
LEFT JOIN accounts r ON r.table_id = e.table_id AND r.kind = 'rake' WHERE e.kind = 'escrow'
"""
_STRAY = """
SELECT s.bet_id, s.generation FROM settlements s LEFT JOIN round_settlements r
ON r.round_id = s.round_id AND r.generation = s.generation WHERE r.round_id IS NULL
"""


_MANY = 1000
_SumsQuery = Select[tuple[int, int, int]]
_Lines = tuple[list[StoredBet], list[Settlement]]
_Ended = tuple[Record, Sequence[Record]]
"""The record that ended a round, and all records of the round if they matter."""


class _Sums:
    """Sums of a query, (round, account, cents) by round: one round is in memory at a time."""

    def __init__(self, db: Connection, query: _SumsQuery) -> None:
        self._rows = db.execute(query, execution_options={"yield_per": _MANY})
        self._groups = groupby(self._rows, key=lambda row: row[0])
        self._next = next(self._groups, None)

    def of(self, key: int) -> dict[int, int]:
        """Return cents by account. key: of rounds in rising order."""
        while self._next is not None and self._next[0] < key:
            self._next = next(self._groups, None)
        if self._next is None or self._next[0] != key:
            return {}
        return {int(account): int(cents) for _, account, cents in self._next[1]}

    def close(self) -> None:
        """Discard the rows that were not read."""
        self._rows.close()


@dataclass(frozen=True)
class _Stored:
    """The rows of other tables about a range of rounds.

    frames: that opened, closed or ended them. faulted: device and boot of every fault.
    results: with `counts` of their frames. generations: settlements in order. events: keys of
    the published ones. terms, levels of meters: read so far.
    """

    frames: Mapping[int, RowMapping]
    faulted: Collection[tuple[int, int]]
    results: Mapping[int, RowMapping]
    generations: Mapping[int, Sequence[RowMapping]]
    events: Collection[str]
    terms: dict[int, Terms] = field(default_factory=dict)
    levels: meters.Levels = field(default_factory=meters.Levels)

    def terms_at(self, db: Connection, number: int) -> Terms:
        """Return the terms of a row."""
        if number not in self.terms:
            self.terms[number] = terms_at(db, number)
        return self.terms[number]

    def place(self, key: int | None) -> round_validity.RecordId | None:
        """Return boot and counter of a record, None if it does not exist."""
        found = None if key is None else self.frames.get(key)
        return None if found is None else (found["boot"], found["counter"])

    def played(self, db: Connection, row: RowMapping) -> Played:
        """Return what was played by the terms of a round."""
        if row["terms_id"] is None:
            return Played(None)
        return round_records.played_by(self.terms_at(db, row["terms_id"]))


def _stored(db: Connection, first: int, last: int) -> _Stored:
    of, at = round_settlements.c, faults.c
    query = select(results, frames.c.counts).join(frames, frames.c.id == results.c.frame_id)
    kept = db.execute(query.where(results.c.round_id.between(first, last))).mappings()
    settled = select(round_settlements).where(of.round_id.between(first, last))
    generations: dict[int, list[RowMapping]] = {}
    for row in db.execute(settled.order_by(of.round_id, of.generation)).mappings():
        generations.setdefault(row["round_id"], []).append(row)
    names = [_event(row) for rows in generations.values() for row in rows]
    announced = select(outbox.c.event_id).where(outbox.c.event_id.in_(names))
    return _Stored(
        _frames(db, first, last),
        {(device, boot) for device, boot in db.execute(select(at.device, at.boot).distinct())},
        {row["round_id"]: row for row in kept},
        generations,
        set(db.execute(announced).scalars()),
    )


def _frames(db: Connection, first: int, last: int) -> dict[int, RowMapping]:
    """Return the records that opened, closed or ended the rounds of a range, by key."""
    at, found = rounds.c, dict[int, RowMapping]()
    for column in (at.opened, at.closed, at.ended):
        query = (
            select(frames).join(rounds, frames.c.id == column).where(at.id.between(first, last))
        )
        found.update((row["id"], row) for row in db.execute(query).mappings())
    return found


def _staked(first: int, last: int) -> _SumsQuery:
    """What was bet in each round of a range."""
    at = bets.c
    return (
        select(at.round_id, at.account_id, func.sum(at.stake_cents))
        .outerjoin(withdrawals, withdrawals.c.bet_id == at.id)
        .where(
            at.round_id.between(first, last), at.carried_from.is_(None),
            withdrawals.c.bet_id.is_(None),
        )
        .group_by(at.round_id, at.account_id)
        .order_by(at.round_id)
    )  # fmt: skip


def _moved(first: int, last: int) -> _SumsQuery:
    """What postings moved in each round of a range."""
    line, posted = ledger_lines.c, postings.c.round_id
    return (
        select(posted, line.account_id, func.sum(line.amount_cents))
        .join(postings, postings.c.id == line.posting_id)
        .where(posted.between(first, last))
        .group_by(posted, line.account_id)
        .order_by(posted)
    )


def _event(generation: RowMapping) -> str:
    return f"round-{generation['round_id']}-{generation['generation']}"


def problems(db: Connection, first: int, last: int) -> Iterator[str]:
    """Yield what is wrong with the rounds whose keys are from first to last."""
    with (
        closing(_Sums(db, _staked(first, last))) as staked,
        closing(_Sums(db, _moved(first, last))) as moved,
    ):
        yield from _problems(db, first, last, staked, moved)


def _problems(db: Connection, first: int, last: int, staked: _Sums, moved: _Sums) -> Iterator[str]:
    known = db.execute(text(_HOUSES)).all()
    houses = {int(row[0]): TableAccounts(*row[1:4]) for row in known}
    rakes = {int(row[0]): row[4] for row in known if row[4] is not None}
    stopped: dict[int, bool] = {}
    stored = _stored(db, first, last)
    wanted = select(rounds).where(rounds.c.id.between(first, last)).order_by(rounds.c.id)
    for row in db.execute(wanted).mappings().all():
        key, device = row["id"], row["device"]
        if device not in stopped:
            stopped[device] = alarms.stopped(db, device) is not None
        found = [*_results(db, row, stored, is_stopped=stopped[device])]
        if row["table_id"] in houses:
            house = houses[row["table_id"]]
            if stored.terms_at(db, row["terms_id"]).game == games.POKER_ROOM:
                house = house._replace(bank=rakes.get(row["table_id"], house.bank))
            newest = settling.settled_lines(db, key, row["settled"]) if row["settled"] else None
            wrong, grown = _generations(db, row, stored, newest, house)
            found += wrong
            settled = settling.lines_of(house, *newest, grown) if newest else {}
            found += _money(house, staked.of(key), settled, moved.of(key))
        yield from (f"round {key} (device {device} number {row['number']}): {t}" for t in found)


def stray(db: Connection) -> Iterator[str]:
    """Yield settlements of a generation that their round does not have."""
    for bet, generation in db.execute(text(_STRAY)):
        yield f"bet {bet}: settled in generation {generation}, which its round does not have"


def _results(
    db: Connection, row: RowMapping, stored: _Stored, *, is_stopped: bool
) -> Iterator[str]:
    """A valid result is justified, is that of its frame, and is settled unless the device is
    stopped, or the round is held for an earlier one.
    """
    found, outcome = stored.results.get(row["id"]), None
    if row["verdict"] == BELIEVED and row["ended"] is not None:
        ending = stored.frames[row["ended"]]
        ended = round_records.with_parts(db, row, ending)
        if ending["type"] != ROUND_VOID:
            objections = _objections(db, row, stored, ended)
            if ending["type"] == DICE_RESULT:
                found_by_host = second_readings.objection_to(db, row, ended[0])
                objections += [found_by_host] if found_by_host else []
            for text in objections:
                yield f"its result was accepted, but {text}"
        if row["terms_id"] is not None and not round_records.lacks_records(db, row, ending):
            ended = second_readings.completed(db, row, ended[0]), ended[1]
            outcome = _outcome(stored.played(db, row), ended)
    if found is None:
        if outcome is not None:
            yield "it has a result that was never stored"
        return
    if outcome != json.loads(found["outcome"]) or found["frame_id"] != row["ended"]:
        yield "its result is not that of the frame that ended it"
    if not found["counts"]:
        yield "its result comes from a frame that does not count"
    is_open = row["table_id"] is not None and not row["settled"] and not is_stopped
    if is_open and not settling.is_held(db, row):
        yield "its result was never settled"


def _objections(db: Connection, row: RowMapping, stored: _Stored, ended: _Ended) -> list[str]:
    """The objections to a result, judged again from the records."""
    opened, closed, end = (stored.place(row[name]) for name in ("opened", "closed", "ended"))
    assert end is not None
    opening = None if opened is None else round_records.decoded(stored.frames[row["opened"]])
    also = roles.objections(stored.played(db, row), opening, *ended)
    is_faulted = (row["device"], end[0]) in stored.faulted
    active = rounds_of.active_faults(db, row["device"], end) if is_faulted else ()
    return round_validity.problems(Facts(opened, closed, end, active, False, "; ".join(also)))


def _outcome(played: Played, ended: _Ended) -> Mapping[str, object] | None:
    """The outcome according to the records of a round, None where they do not decide it."""
    try:
        return round_outcome.outcome_of(played, *ended)
    except RuleViolation:
        return None


def _generations(
    db: Connection, row: RowMapping, stored: _Stored, newest: _Lines | None, house: TableAccounts
) -> tuple[list[str], Mapping[int, int]]:
    """Return problems, and how the newest generation changes the meters, cents by account.

    newest: the bets and lines of the newest generation, if the round is settled.
    """
    found = stored.generations.get(row["id"], ())
    problems, grown = [*_kept(db, row, stored, found)], dict[int, int]()
    if not found:
        return problems, grown
    terms = stored.terms_at(db, row["terms_id"])
    meters_of = _Meters.of(db, row, terms, house, found[0]["posting_id"])
    for each in found:
        if newest is None or each["generation"] != row["settled"]:
            lines = settling.settled_lines(db, row["id"], each["generation"])
        else:
            lines = newest
            if lines[0] != settling.in_play(db, row["id"]):
                text = "does not settle exactly the bets in play"
                problems.append(f"generation {each['generation']} {text}")
        wrong, grown = _derived(each, lines, terms, meters_of.at(db, each, stored.levels), grown)
        problems += wrong
        problems += meters_of.problems(db, each, grown)
        if _event(each) not in stored.events:
            problems.append(f"generation {each['generation']} was never announced")
    return problems, grown


def _kept(
    db: Connection, row: RowMapping, stored: _Stored, found: Sequence[RowMapping]
) -> Iterator[str]:
    """All generations exist, and at most one was decided by the table. found: those stored."""
    if [each["generation"] for each in found] != [*range(1, len(found) + 1)] or (
        len(found) != row["settled"]
    ):
        yield f"settled {row['settled']} times, {len(found)} settlements are kept"
    by_table = [each for each in found if each["first_user"] is None]
    if len(by_table) > 1:
        yield "settled by its result more than once"
    if by_table and by_table[0]["outcome"] != _result_text(db, row, stored):
        yield "settled by another result than it has"


class _Meters(NamedTuple):
    """The meters of a round's jackpot. first: posting of its first settlement."""

    accounts: Mapping[str, int]
    round: int
    first: int

    @classmethod
    def of(
        cls, db: Connection, row: RowMapping, terms: Terms, house: TableAccounts, first: int
    ) -> "_Meters":
        """Return the meters of a round."""
        accounts = meters.accounts_of(db, row["table_id"], terms, house.currency)
        return cls(accounts, row["id"], first)

    def at(self, db: Connection, generation: RowMapping, known: meters.Levels) -> meters.Meters:
        """Return them as a generation found them. known: sums of earlier rounds."""
        until = generation["posting_id"]
        return {
            name: meters.before(db, account, self.round, self.first, until, known)
            for name, account in self.accounts.items()
        }

    def problems(
        self, db: Connection, generation: RowMapping, grown: Mapping[int, int]
    ) -> Iterator[str]:
        """What a generation posted to them equals what is computed."""
        lines = books.lines_of(db, generation["posting_id"]) if self.accounts else {}
        for name, account in self.accounts.items():
            had, wanted = lines.get(account, 0), grown.get(account, 0)
            if had != wanted:
                text = f"moved meter {name} by {had} cents, its settlement says {wanted}"
                yield f"generation {generation['generation']} {text}"


def _result_text(db: Connection, row: RowMapping, stored: _Stored) -> str | None:
    """Return what the table reported, by a record or by a status line that its terms trust."""
    found = stored.results.get(row["id"])
    return wheel_lines.reported_outcome(db, row) if found is None else str(found["outcome"])


def _derived(
    found: RowMapping,
    stored: _Lines,
    terms: Terms,
    won_from: meters.Meters,
    before: Mapping[int, int],
) -> tuple[list[str], dict[int, int]]:
    """Settle a generation again and compare every line of it; return problems and meter lines.

    stored: its bets and lines. won_from: the meters as it found them. before: how the generation
    before changed them.
    """
    generation, (staked, kept) = found["generation"], stored
    outcome, is_void = json.loads(found["outcome"]), bool(found["is_void"])
    levels = meters.levels(won_from)
    try:
        came = games.settled(terms, staked, outcome, is_void=is_void, meters=levels)
    except LedgerRejection as refused:
        return [f"generation {generation} cannot be settled again: {refused.what}"], {}
    problems, lines = [], came.lines
    wrong = [bet.id for bet, a, b in zip(staked, kept, lines, strict=True) if a != b]
    if wrong:
        text = f"bets {wrong[:5]} have another result when settled again"
        problems.append(f"generation {generation}: {text}")
    sums = (len(lines), *totals(lines))
    names = ("bets", "stake_cents", "win_cents", "back_cents", "live_cents", "lost_cents")
    if sums != tuple(found[name] for name in names):
        problems.append(f"generation {generation}: its sums are not those of its lines")
    return problems, meters.posted(won_from, came.meters, before)


def _money(
    house: TableAccounts,
    staked: Mapping[int, int],
    settled: Mapping[int, int],
    moved: Mapping[int, int],
) -> Iterator[str]:
    """The lines of a round are those that its bets and its newest settlement require.

    Cents by account. staked: by its bets. settled: what that settlement moves. moved: its lines.
    """
    wanted = Counter(settled)
    for account, cents in staked.items():
        wanted[account] -= cents
        wanted[house.escrow] += cents
    for account in sorted(set(wanted) | set(moved)):
        cents = moved.get(account, 0)
        if cents != wanted[account]:
            yield f"account {account} moved by {cents} cents, its bets say {wanted[account]}"
