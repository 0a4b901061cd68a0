"""Verify rounds: every result settled once, every line as `rules.settlement` computes it."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, bindparam, exists, func, select, text

from tabletools import roles
from tabletools.evidence import (
    Terms,
    alarms,
    round_records,
    second_readings,
    voids,
)
from tabletools.evidence import rounds as rounds_of
from tabletools.evidence.records import FRAMES, RecordId, frame_rows
from tabletools.evidence.rounds import BELIEVED, PENDING, ROWS, RoundRow, rows_of
from tabletools.evidence.tables import terms_at
from tabletools.games import POKER_ROOM
from tabletools.money import meters
from tabletools.money.referring import is_referred
from tabletools.roles import Played, Record
from tabletools.roles.frame_record import FrameRow, decoded
from tabletools.rules.citation import is_one_paragraph
from tabletools.rules.declared import replaced
from tabletools.rules.settlement import Settlement, Unbalanced, totals, verify_pool
from tabletools.rules.violation import RuleViolation
from tabletools.store import books, removals
from tabletools.store.errors import LedgerRejection
from tabletools.store.rows import all_rows
from tabletools.store.schema.books import ledger_lines, outbox, postings
from tabletools.store.schema.evidence import faults, frames
from tabletools.store.schema.play import (
    bets,
    results,
    round_settlements,
    rounds,
    rulings,
    withdrawals,
)
from tabletools.table import dealer_entries, game_rounds, settling, wheel_lines
from tabletools.table.game_rounds import RoundResult
from tabletools.table.judging import ResultFacts, objections_to
from tabletools.table.slips import StoredBet
from tabletools.table.state import TableAccounts
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


# Built once: SQLAlchemy takes longer to build such a query than SQLite to execute it.
_IN_PLAY = (
    select(
        bets.c.id,
        bets.c.account_id,
        bets.c.slip,
        bets.c.stake_cents,
        bets.c.state,
        bets.c.carried_from.is_not(None),
    )
    .where(
        bets.c.round_id == bindparam("round"),
        ~exists().where(withdrawals.c.bet_id == bets.c.id),
        ~is_referred() | exists().where(rulings.c.bet_id == bets.c.id, rulings.c.is_valid == 1),
    )
    .order_by(bets.c.id)
)
_EARLIER = rounds.alias("earlier").c
# An earlier round of the device is pending and has stakes: they may stay in play for the next
# round, so that is not settled before.
_IS_HELD = select(
    exists().where(
        _EARLIER.device == bindparam("device"),
        _EARLIER.number < bindparam("number"),
        _EARLIER.settled == 0,
        _EARLIER.verdict == PENDING,
        exists().where(
            bets.c.round_id == _EARLIER.id, ~exists().where(withdrawals.c.bet_id == bets.c.id)
        ),
    )
)
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


class _Result(NamedTuple):
    """The stored result of a round. counts: whether its frame does. outcome: JSON."""

    round: int
    frame: int
    outcome: str
    counts: int


class _Generation(NamedTuple):
    """A stored settlement of a round. sums: number of bets, then the cents of `Totals`."""

    round: int
    generation: int
    posting: int
    outcome: str
    is_void: bool
    is_ruled: bool
    at_ns: int
    sums: tuple[int, ...]

    @property
    def event(self) -> str:
        """The key of its event."""
        return f"round-{self.round}-{self.generation}"

    @classmethod
    def of(cls, row: Row[Any]) -> "_Generation":
        """Return a row of _GENERATIONS."""
        key, generation, posting, outcome, is_void, first_user, at_ns, *sums = row
        is_ruled = first_user is not None
        return cls(key, generation, posting, outcome, bool(is_void), is_ruled, at_ns, tuple(sums))


_COL = round_settlements.c
_GENERATIONS = select(
    _COL.round_id,
    _COL.generation,
    _COL.posting_id,
    _COL.outcome,
    _COL.is_void,
    _COL.first_user,
    _COL.at_ns,
    _COL.bets,
    _COL.stake_cents,
    _COL.win_cents,
    _COL.back_cents,
    _COL.live_cents,
    _COL.lost_cents,
)


@dataclass(frozen=True)
class _Stored:
    """The rows of other tables about a range of rounds.

    frames: that opened, closed or ended them. faulted: device and boot of every fault.
    results: with `counts` of their frames. generations: settlements in order. events: keys of
    the published ones, of those that retention did not remove: it may have before removed_ns.
    terms, levels of meters: read so far; slip_games: bets compiled so far, by row of the terms.
    """

    frames: Mapping[int, FrameRow]
    faulted: Collection[tuple[int, int]]
    results: Mapping[int, _Result]
    generations: Mapping[int, Sequence[_Generation]]
    events: Collection[str]
    removed_ns: int
    terms: dict[int, Terms] = field(default_factory=dict)
    levels: meters.Levels = field(default_factory=meters.Levels)
    slip_games: dict[int, game_rounds.SlipGame] = field(default_factory=dict)

    def terms_at(self, db: Connection, number: int) -> Terms:
        """Return the terms of a row."""
        if number not in self.terms:
            self.terms[number] = terms_at(db, number)
        return self.terms[number]

    def place(self, key: int | None) -> RecordId | None:
        """Return boot and counter of a record, None if it does not exist."""
        row = None if key is None else self.frames.get(key)
        return None if row is None else row.place

    def game_of(self, db: Connection, row: RoundRow) -> Played:
        """Return what was played by the terms of a round."""
        if row.terms is None:
            return Played(None)
        return round_records.played_by(self.terms_at(db, row.terms))


def _read_range(db: Connection, first: int, last: int) -> _Stored:
    fault_col, result_col = faults.c, results.c
    query = select(result_col.round_id, result_col.frame_id, result_col.outcome, frames.c.counts)
    query = query.join(frames, frames.c.id == result_col.frame_id)
    by_round = (
        _Result(*row) for row in db.execute(query.where(result_col.round_id.between(first, last)))
    )
    settled = _GENERATIONS.where(_COL.round_id.between(first, last))
    generations: dict[int, list[_Generation]] = {}
    for row in db.execute(settled.order_by(_COL.round_id, _COL.generation)):
        generations.setdefault(row.round_id, []).append(_Generation.of(row))
    names = [each.event for rows in generations.values() for each in rows]
    announced = select(outbox.c.event_id).where(outbox.c.event_id.in_(names))
    return _Stored(
        _frames(db, first, last),
        {
            (device, boot)
            for device, boot in db.execute(select(fault_col.device, fault_col.boot).distinct())
        },
        {each.round: each for each in by_round},
        generations,
        set(db.execute(announced).scalars()),
        removals.of_table(db, outbox).before_ns,
    )


def _frames(db: Connection, first: int, last: int) -> dict[int, FrameRow]:
    """Return the records that opened, closed or ended the rounds of a range, by key."""
    col, by_key = rounds.c, dict[int, FrameRow]()
    for column in (col.opened, col.closed, col.ended):
        query = FRAMES.join(rounds, frames.c.id == column).where(col.id.between(first, last))
        by_key.update((row.id, row) for row in frame_rows(db, query))
    return by_key


def _stake_sums(first: int, last: int) -> _SumsQuery:
    """What was bet in each round of a range."""
    col = bets.c
    return (
        select(col.round_id, col.account_id, func.sum(col.stake_cents))
        .outerjoin(withdrawals, withdrawals.c.bet_id == col.id)
        .where(
            col.round_id.between(first, last),
            col.carried_from.is_(None),
            withdrawals.c.bet_id.is_(None),
        )
        .group_by(col.round_id, col.account_id)
        .order_by(col.round_id)
    )


def _posting_sums(first: int, last: int) -> _SumsQuery:
    """What postings moved in each round of a range."""
    line, posted = ledger_lines.c, postings.c.round_id
    return (
        select(posted, line.account_id, func.sum(line.amount_cents))
        .join(postings, postings.c.id == line.posting_id)
        .where(posted.between(first, last))
        .group_by(posted, line.account_id)
        .order_by(posted)
    )


def problems(db: Connection, first: int, last: int) -> Iterator[str]:
    """Yield what is wrong with the rounds whose keys are from first to last."""
    with (
        closing(_Sums(db, _stake_sums(first, last))) as staked,
        closing(_Sums(db, _posting_sums(first, last))) as moved,
    ):
        yield from _problems(db, first, last, staked, moved)


def _problems(db: Connection, first: int, last: int, staked: _Sums, moved: _Sums) -> Iterator[str]:
    accounts = db.execute(text(_HOUSES)).all()
    houses = {int(row[0]): TableAccounts(*row[1:4]) for row in accounts}
    rakes = {int(row[0]): row[4] for row in accounts if row[4] is not None}
    stopped: dict[int, bool] = {}
    stored = _read_range(db, first, last)
    wanted = ROWS.where(rounds.c.id.between(first, last)).order_by(rounds.c.id)
    for row in rows_of(db, wanted):
        key, device = row.id, row.device
        if device not in stopped:
            stopped[device] = alarms.stopped(db, device) is not None
        wrong = [*_results(db, row, stored, is_stopped=stopped[device])]
        if row.table in houses:
            assert row.terms is not None
            house = houses[row.table]
            if stored.terms_at(db, row.terms).game == POKER_ROOM:
                house = house._replace(bank=rakes.get(row.table, house.bank))
            newest = settling.settled_lines(db, key, row.settled) if row.settled else None
            in_settlements, grown = _generations(db, row, stored, newest, house)
            settled = _moved_by(house, newest, grown) if newest else {}
            wrong += in_settlements
            wrong += _money(house, staked.of(key), settled, moved.of(key))
        yield from (f"round {key} (device {device} number {row.number}): {t}" for t in wrong)


def stray(db: Connection) -> Iterator[str]:
    """Yield settlements of a generation that their round does not have."""
    for bet, generation in db.execute(text(_STRAY)):
        yield f"bet {bet}: settled in generation {generation}, which its round does not have"


def _results(db: Connection, row: RoundRow, stored: _Stored, *, is_stopped: bool) -> Iterator[str]:
    """A valid result is justified, is that of its frame, and is settled unless the device is
    stopped, or the round is held for an earlier one.
    """
    result, outcome, is_by_dealer = stored.results.get(row.id), None, False
    if row.verdict == BELIEVED and row.ended is not None:
        ending = stored.frames[row.ended]
        ended = round_records.with_parts(db, row, ending)
        if ending.type != ROUND_VOID:
            objections = _objections(db, row, stored, ended)
            if ending.type == second_readings.RESULT:
                by_host = second_readings.objection_to(db, row, ended[0])
                objections += [by_host] if by_host else []
            for text in objections:
                yield f"its result was accepted, but {text}"
        if row.terms is not None and not round_records.lacks_records(db, row, ending):
            ended = second_readings.with_host_faces(db, row, ended[0]), ended[1]
            outcome, is_by_dealer = _outcome(db, row, stored, ended)
    if result is None:
        # Whether two users rule on hands that a dealer entered depends on bets that may be gone.
        is_ruled = is_by_dealer or (_is_undone(db, row, stored) and _had_bets(db, row.id))
        if outcome is not None and not is_ruled:
            yield "it has a result that was never stored"
        return
    if outcome != json.loads(result.outcome) or result.frame != row.ended:
        yield "its result is not that of the frame that ended it"
    if not result.counts:
        yield "its result comes from a frame that does not count"
    is_open = row.table is not None and not row.settled and not is_stopped
    place = {"device": row.device, "number": row.number}
    if is_open and not db.execute(_IS_HELD, place).scalar_one():
        yield "its result was never settled"


def _is_undone(db: Connection, row: RoundRow, stored: _Stored) -> bool:
    """Whether a round became void after no more bets, and its terms hold that for two users."""
    if row.ended is None:
        return wheel_lines.is_late_void(db, row.id)
    ending, closing = stored.frames[row.ended], stored.frames.get(row.closed or 0)
    if ending.type != ROUND_VOID or row.terms is None:
        return False
    void, options = decoded(ending), stored.terms_at(db, row.terms).options
    opening = stored.frames.get(row.opened or 0)
    is_late = voids.is_late(
        None if closing is None else closing.payload,
        ending.payload,
        is_of_later_boot=opening is not None and opening.boot != ending.boot,
    )
    return is_late and not voids.is_automatic(options, void)


def _had_bets(db: Connection, key: int) -> bool:
    query = select(bets.c.id).where(bets.c.round_id == key).limit(1)
    return db.execute(query).first() is not None


def _objections(db: Connection, row: RoundRow, stored: _Stored, ended: _Ended) -> list[str]:
    """The objections to a result, judged again from the records."""
    opened, closed, end = (stored.place(key) for key in (row.opened, row.closed, row.ended))
    assert end is not None
    opening = None if row.opened is None else decoded(stored.frames[row.opened])
    also = roles.objections(stored.game_of(db, row), opening, *ended)
    is_faulted = (row.device, end[0]) in stored.faulted
    active = rounds_of.active_faults(db, row.device, end) if is_faulted else ()
    return objections_to(ResultFacts(opened, closed, end, active, "; ".join(also)))


def _outcome(
    db: Connection, row: RoundRow, stored: _Stored, ended: _Ended
) -> tuple[Mapping[str, object] | None, bool]:
    """The outcome according to the records of a round, None where they do not decide it; and
    whether its dealer entered the hands."""
    played, entries = stored.game_of(db, row), dict[str, dealer_entries.Entry]()
    if dealer_entries.may_decide(played.game, ended[0]):
        entries = dealer_entries.of_round(db, row.id)
    try:
        if dealer_entries.HANDS not in entries:
            return roles.outcome_of(played, *ended), False
        assert row.terms is not None
        terms, staked = stored.terms_at(db, row.terms), dealer_entries.staked_of(db, entries)
        return dealer_entries.outcome_of(terms, entries, ended, staked), True
    except RuleViolation:
        return None, False


def _generations(
    db: Connection, row: RoundRow, stored: _Stored, newest: _Lines | None, house: TableAccounts
) -> tuple[list[str], Mapping[int, int]]:
    """Return problems, and how the newest generation changes the meters, cents by account.

    newest: the bets and lines of the newest generation, if the round is settled.
    """
    generations = stored.generations.get(row.id, ())
    problems, grown = [*_kept(db, row, stored, generations)], dict[int, int]()
    if not generations:
        return problems, grown
    assert row.terms is not None
    terms = stored.terms_at(db, row.terms)
    meters_of = _Meters.of(db, row, terms, house, generations[0].posting)
    for each in generations:
        if newest is None or each.generation != row.settled:
            lines = settling.settled_lines(db, row.id, each.generation)
        else:
            lines = newest
            if lines[0] != _in_play(db, row.id):
                text = "does not settle exactly the bets in play"
                problems.append(f"generation {each.generation} {text}")
        levels = meters_of.levels_at(db, each, stored.levels)
        game = stored.slip_games.setdefault(row.terms, game_rounds.SlipGame(terms))
        wrong, grown = _settle_again(each, lines, game, levels, grown)
        problems += wrong
        problems += meters_of.problems(db, each, grown)
        if each.event not in stored.events and each.at_ns >= stored.removed_ns:
            problems.append(f"generation {each.generation} was never announced")
    return problems, grown


def _in_play(db: Connection, key: int) -> list[StoredBet]:
    """Return the bets a round settles: not withdrawn, and ruled valid if they came late."""
    new = tuple.__new__
    return [new(StoredBet, row) for row in all_rows(db, _IN_PLAY, {"round": key})]


def _kept(
    db: Connection, row: RoundRow, stored: _Stored, generations: Sequence[_Generation]
) -> Iterator[str]:
    """All generations exist, and at most one was decided by the table."""
    numbers = [each.generation for each in generations]
    # Not a list of what there should be: the row may say any number.
    if numbers != [*range(1, len(numbers) + 1)] or len(numbers) != row.settled:
        yield f"settled {row.settled} times, {len(generations)} settlements are kept"
    by_table = [each for each in generations if not each.is_ruled]
    if len(by_table) > 1:
        yield "settled by its result more than once"
    if by_table and by_table[0].outcome != _result_text(db, row, stored):
        yield "settled by another result than it has"
    if by_table and by_table[0].is_void and row.terms is not None:
        _count, cents, *_ = by_table[0].sums
        # Terms without the option are of a release that held no void.
        is_ruled_by = voids.AUTOMATIC in stored.terms_at(db, row.terms).options
        if cents and is_ruled_by and _is_undone(db, row, stored):
            yield f"void after no more bets: {cents} cents were returned, and no two users ruled"


class _Meters(NamedTuple):
    """The meters of a round's jackpot. first: posting of its first settlement."""

    accounts: Mapping[str, int]
    round: int
    first: int

    @classmethod
    def of(
        cls, db: Connection, row: RoundRow, terms: Terms, house: TableAccounts, first: int
    ) -> "_Meters":
        """Return the meters of a round."""
        assert row.table is not None
        accounts = meters.accounts_of(db, row.table, terms, house.currency)
        return cls(accounts, row.id, first)

    def levels_at(
        self, db: Connection, generation: _Generation, known: meters.Levels
    ) -> meters.Meters:
        """Return them as a generation found them. known: sums of earlier rounds."""
        return {
            name: meters.before(db, account, self.round, self.first, generation.posting, known)
            for name, account in self.accounts.items()
        }

    def problems(
        self, db: Connection, generation: _Generation, grown: Mapping[int, int]
    ) -> Iterator[str]:
        """What a generation posted to them equals what is computed."""
        lines = books.lines_of(db, generation.posting) if self.accounts else {}
        for name, account in self.accounts.items():
            had, wanted = lines.get(account, 0), grown.get(account, 0)
            if had != wanted:
                text = f"moved meter {name} by {had} cents, its settlement says {wanted}"
                yield f"generation {generation.generation} {text}"


def _result_text(db: Connection, row: RoundRow, stored: _Stored) -> str | None:
    """Return what the table reported, by a record or by a status line that its terms trust."""
    result = stored.results.get(row.id)
    return wheel_lines.reported_outcome(db, row) if result is None else result.outcome


def _is_same(stored: Settlement, again: Settlement) -> bool:
    """Whether a stored line is what settling again gives.

    Version 1.0 stored one paragraph, the main one, without what it pays: any paragraph alone is
    accepted here, and the shadow says where it was another.
    """
    if is_one_paragraph(stored.citation):
        return replaced(stored, citation=again.citation) == again
    return stored == again


def _settle_again(
    settled: _Generation,
    stored: _Lines,
    game: game_rounds.SlipGame,
    won_from: meters.Meters,
    before: Mapping[int, int],
) -> tuple[list[str], dict[int, int]]:
    """Settle a generation again and compare every line of it; return problems and meter lines.

    stored: its bets and lines. game: by its terms. won_from: the meters as it found them. before:
    how the generation before changed them.
    """
    generation, (staked, stored_lines) = settled.generation, stored
    outcome, is_void = json.loads(settled.outcome), settled.is_void
    levels = meters.levels(won_from)
    try:
        came = game_rounds.settled(
            game.terms, staked, outcome, is_void=is_void, meters=levels, by_slip=game
        )
    except LedgerRejection as refused:
        return [f"generation {generation} cannot be settled again: {refused.what}"], {}
    problems, lines = [*_imbalances(generation, stored_lines, came)], came.lines
    pairs = zip(staked, stored_lines, lines, strict=True)
    wrong = [bet.id for bet, a, b in pairs if not _is_same(a, b)]
    if wrong:
        text = f"bets {wrong[:5]} have another result when settled again"
        problems.append(f"generation {generation}: {text}")
    if (len(lines), *totals(lines)) != settled.sums:
        problems.append(f"generation {generation}: its sums are not those of its lines")
    return problems, meters.growth(won_from, came.meters, before)


def _moved_by(house: TableAccounts, newest: _Lines, grown: Mapping[int, int]) -> dict[int, int]:
    """Return the account lines of the newest settlement of a round."""
    staked, lines = newest
    return settling.lines_of(house, staked, lines, totals(lines), grown)


def _imbalances(
    generation: int, stored_lines: Sequence[Settlement], came: RoundResult
) -> Iterator[str]:
    """What holds in any game: a stake is returned, lost or in play, once; and nobody wins from
    another player more than the two matched. came: the round settled again."""
    for line in stored_lines:
        parts = (line.back, line.live, line.lost)
        if sum(parts) != line.stake or min(line.win, *parts) < 0:
            text = f"bet {line.id} of {line.stake} cents is accounted for as {sum(parts)}"
            yield f"generation {generation}: {text}"
    if came.pool is not None:
        try:
            verify_pool(came.pool, stored_lines)
        except Unbalanced as wrong:
            yield f"generation {generation}: {wrong}"


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
