"""Rounds derived again: every result settled once, every line as `tabletools.settle` says it."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, RowMapping, func, select, text

from tabletools.evidence import alarms
from tabletools.evidence.judge import BELIEVED
from tabletools.evidence.tables import terms_at
from tabletools.money import games, settling, wheel_lines
from tabletools.money.outcomes import outcome_of
from tabletools.money.settling import House
from tabletools.rules.refusal import Refusal
from tabletools.settle import totals
from tabletools.store.errors import Refused
from tabletools.store.schema.books import ledger_lines, outbox, postings
from tabletools.store.schema.evidence import frames
from tabletools.store.schema.play import bets, results, round_settlements, rounds, withdrawals

_HOUSES = """
SELECT e.table_id, e.id, h.id, e.currency FROM accounts e
JOIN accounts h ON h.table_id = e.table_id AND h.kind = 'house' WHERE e.kind = 'escrow'
"""
_STRAY = """
SELECT s.bet_id, s.generation FROM settlements s LEFT JOIN round_settlements r
ON r.round_id = s.round_id AND r.generation = s.generation WHERE r.round_id IS NULL
"""


def problems(db: Connection, first: int, last: int) -> Iterator[str]:
    """Yield what is wrong with the rounds whose keys are from first to last."""
    houses = {int(row[0]): House(*row[1:]) for row in db.execute(text(_HOUSES))}
    stopped: dict[int, bool] = {}
    wanted = select(rounds.c.id).where(rounds.c.id.between(first, last)).order_by(rounds.c.id)
    keys = db.execute(wanted).scalars().all()
    for key in keys:
        row = db.execute(select(rounds).where(rounds.c.id == key)).mappings().one()
        device = row["device"]
        if device not in stopped:
            stopped[device] = alarms.stopped(db, device) is not None
        told = [*_results(db, row, is_stopped=stopped[device])]
        if row["table_id"] in houses:
            told += _generations(db, row)
            told += _money(db, row, houses[row["table_id"]])
        yield from (f"round {key} (device {device} number {row['number']}): {t}" for t in told)


def stray(db: Connection) -> Iterator[str]:
    """Yield settlements of a generation that their round does not have."""
    for bet, generation in db.execute(text(_STRAY)):
        yield f"bet {bet}: settled in generation {generation}, which its round does not have"


def _results(db: Connection, row: RowMapping, *, is_stopped: bool) -> Iterator[str]:
    """A believed result is that of its frame, and is settled unless the device is stopped."""
    query = select(results, frames.c.counts)
    query = query.join(frames, frames.c.id == results.c.frame_id)
    found = db.execute(query.where(results.c.round_id == row["id"])).one_or_none()
    is_settled = row["verdict"] == BELIEVED and row["terms_id"] is not None
    outcome = _outcome(db, row) if is_settled else None
    if found is None:
        if outcome is not None:
            yield "it has a result that was never kept"
        return
    if outcome != json.loads(found.outcome) or found.frame_id != row["ended"]:
        yield "its result is not that of the frame that ended it"
    if not found.counts:
        yield "its result is of a frame that counts for nothing"
    if row["table_id"] is not None and not row["settled"] and not is_stopped:
        yield "its result was never settled"


def _outcome(db: Connection, row: RowMapping) -> Mapping[str, object] | None:
    """What the records of a round come to, None where they do not say."""
    try:
        return outcome_of(db, row, row["ended"])
    except Refusal:
        return None


def _generations(db: Connection, row: RowMapping) -> Iterator[str]:
    at = round_settlements.c
    query = select(round_settlements).where(at.round_id == row["id"]).order_by(at.generation)
    rows = db.execute(query).all()
    if [found.generation for found in rows] != list(range(1, row["settled"] + 1)):
        yield f"settled {row['settled']} times, {len(rows)} settlements are kept"
    by_table = [found for found in rows if found.first_user is None]
    if len(by_table) > 1:
        yield "settled by its result more than once"
    if by_table and by_table[0].outcome != _result_text(db, row):
        yield "settled by another result than it has"
    for found in rows:
        yield from _derived(db, row, found._mapping)
        event = select(outbox.c.id).where(
            outbox.c.event_id == f"round-{row['id']}-{found.generation}"
        )
        if db.execute(event).first() is None:
            yield f"nothing was told of generation {found.generation}"


def _result_text(db: Connection, row: RowMapping) -> str | None:
    """What the table told: by its record, or by a status line that its terms trust."""
    query = select(results.c.outcome).where(results.c.round_id == row["id"])
    found: str | None = db.execute(query).scalar_one_or_none()
    return wheel_lines.told_outcome(db, row) if found is None else found


def _derived(
    db: Connection, row: RowMapping, found: Mapping[str, Any] | RowMapping
) -> Iterator[str]:
    """Settle a generation again and compare every line of it."""
    generation = found["generation"]
    staked, kept = settling.settled_lines(db, row["id"], generation)
    if generation == row["settled"] and staked != settling.in_play(db, row["id"]):
        yield f"generation {generation} does not settle exactly the bets in play"
    terms = terms_at(db, row["terms_id"])
    outcome, is_void = json.loads(found["outcome"]), bool(found["is_void"])
    try:
        lines = games.settled(terms, staked, outcome, is_void=is_void)
    except Refused as refused:
        yield f"generation {generation} cannot be settled again: {refused.what}"
        return
    wrong = [bet.id for bet, a, b in zip(staked, kept, lines, strict=True) if a != b]
    if wrong:
        yield f"generation {generation}: bets {wrong[:5]} come to something else when settled"
    sums = (len(lines), *totals(lines))
    names = ("bets", "stake_cents", "win_cents", "back_cents", "live_cents", "lost_cents")
    if sums != tuple(found[name] for name in names):
        yield f"generation {generation}: its sums are not those of its lines"


def _money(db: Connection, row: RowMapping, house: House) -> Iterator[str]:
    """The lines of a round are those its bets and its last settlement ask for."""
    wanted: Counter[int] = Counter()
    at, of = bets.c, withdrawals.c
    query = (
        select(at.account_id, func.sum(at.stake_cents))
        .outerjoin(withdrawals, of.bet_id == at.id)
        .where(at.round_id == row["id"], at.carried_from.is_(None), of.bet_id.is_(None))
        .group_by(at.account_id)
    )
    for account, cents in db.execute(query):
        wanted[int(account)] -= int(cents)
        wanted[house.escrow] += int(cents)
    if row["settled"]:
        staked, lines = settling.settled_lines(db, row["id"], row["settled"])
        for account, cents in settling.lines_of(house, staked, lines).items():
            wanted[account] += cents
    line = ledger_lines.c
    rows = db.execute(
        select(line.account_id, func.sum(line.amount_cents))
        .join(postings, postings.c.id == line.posting_id)
        .where(postings.c.round_id == row["id"])
        .group_by(line.account_id)
    )
    actual = {int(account): int(cents) for account, cents in rows}
    for account in sorted(set(wanted) | set(actual)):
        moved = actual.get(account, 0)
        if moved != wanted[account]:
            yield f"account {account} moved by {moved} cents, its bets say {wanted[account]}"
