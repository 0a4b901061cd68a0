"""Read the state of a table from the database: once a lease, and after a transaction that failed.

Works on an open transaction.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Select,
    bindparam,
    exists,
    func,
    or_,
    select,
    text,
)

from tabletools.evidence.records import FRAMES, frame_rows
from tabletools.evidence.rounds import BELIEVED, PENDING, ROWS, RoundRow, by_key, find, rows_of
from tabletools.evidence.tables import device_of, state_of, terms_at
from tabletools.money.referring import standing
from tabletools.roles.frame_record import FrameRow, decoded
from tabletools.store import books
from tabletools.store.rows import all_rows
from tabletools.store.schema import play
from tabletools.store.schema.books import accounts
from tabletools.store.schema.evidence import faults, frames, gaps
from tabletools.table.slips import StoredBet
from tabletools.table.state import (
    Bars,
    Fault,
    OpenBet,
    RecordRow,
    Round,
    TableAccounts,
    TableState,
)

__all__ = [
    "device_of",
    "faults_of",
    "first_gap",
    "has_live_stakes",
    "load",
    "read_by_key",
    "read_round",
]
# Built once: to build one takes longer than SQLite takes to answer.
_IS_BACK = exists().where(play.withdrawals.c.bet_id == play.bets.c.id)
_GAP = (
    select(gaps.c.boot, gaps.c.first)
    .where(gaps.c.device == bindparam("device"), gaps.c.closed_ns.is_(None))
    .order_by(gaps.c.boot, gaps.c.first)
    .limit(1)
)
_NEWEST_NUMBER = select(func.max(play.rounds.c.number)).where(
    play.rounds.c.device == bindparam("device")
)
_NEWEST_TERMS = select(func.max(play.terms.c.id)).where(
    play.terms.c.table_id == bindparam("table")
)
_RECORDS = FRAMES.where(frames.c.id.in_(bindparam("keys", expanding=True)))
_RESULTS = select(play.results).where(
    play.results.c.round_id.in_(bindparam("keys", expanding=True))
)
_ACCOUNTS = select(accounts.c.kind, accounts.c.currency, accounts.c.id).where(
    accounts.c.table_id == bindparam("table")
)
_LIVE_STAKES = text("""
SELECT 1 FROM settlements s JOIN rounds r ON r.id = s.round_id AND r.settled = s.generation
WHERE s.live_cents > 0 AND r.table_id = :table AND NOT EXISTS (
    SELECT 1 FROM bets c WHERE c.carried_from = s.bet_id AND c.carried_generation = s.generation
) LIMIT 1
""")


def _pending() -> Select[Any]:
    """Select the rounds of a table of which something is to come, and its newest ones."""
    col = play.rounds.c
    device: BindParameter[int] = bindparam("device")
    has_bets = exists().where(play.bets.c.round_id == col.id, ~_IS_BACK)
    has_result = exists().where(play.results.c.round_id == col.id)
    is_valid = (col.verdict == BELIEVED) & has_result
    waits = (col.verdict == PENDING) | (col.terms_id.is_not(None) & (is_valid | has_bets))
    is_here = or_(col.device == device, col.table_id == bindparam("table"))
    newest_number = (col.device == device) & (col.number == bindparam("number"))
    is_newest = or_(col.id == bindparam("round_id"), newest_number)
    return ROWS.where(or_(is_here & (col.settled == 0) & waits, is_newest)).order_by(col.id)


def _open_bets() -> Select[Any]:
    """Select the bets in play of rounds, in the order of _add_bets."""
    col = play.bets.c
    is_valid = exists().where(play.rulings.c.bet_id == col.id, play.rulings.c.is_valid == 1)
    return (
        select(
            col.round_id,
            col.id,
            col.account_id,
            col.slip,
            col.stake_cents,
            col.state,
            col.carried_from.is_not(None),
            standing(),
            col.device_boot,
            col.device_ms,
            col.uncertainty_ms,
            is_valid,
        )
        .where(col.round_id.in_(bindparam("rounds", expanding=True)), ~_IS_BACK)
        .order_by(col.id)
    )


def _returns() -> Select[Any]:
    """Select the bets of rounds that their players withdrew or changed."""
    col, back = play.bets.c, play.withdrawals.c
    return (
        select(col.round_id, back.bet_id, back.at_ns)
        .join(play.bets, col.id == back.bet_id)
        .where(
            col.round_id.in_(bindparam("rounds", expanding=True)),
            back.cause.in_(("withdrawn", "changed")),
        )
        .order_by(back.bet_id)
    )


_PENDING, _OPEN_BETS, _RETURNED = _pending(), _open_bets(), _returns()


def load(db: Connection, table: int, token: int, device: int | None, bars: Bars) -> TableState:
    """Return the state of a table. device: whose records are meant, its controller; bars: its."""
    stored = state_of(db, table)
    newest_number = _newest_number(db, device)
    pending = {"device": device, "table": table}
    pending |= {"round_id": stored.round, "number": newest_number}
    state = TableState(
        table=table,
        token=token,
        device=device,
        bets_open=stored.bets_open,
        cause=stored.cause,
        since_ns=stored.since_ns,
        round_id=stored.round,
        newest_number=newest_number,
        has_live_stakes=has_live_stakes(db, table),
        gap=first_gap(db, device),
        bars=bars,
        rounds={each.id: each for each in _rounds(db, rows_of(db, _PENDING, pending))},
    )
    newest = db.execute(_NEWEST_TERMS, {"table": table}).scalar()
    named = {each.terms for each in state.rounds.values()} | {newest}
    state.terms = {number: terms_at(db, number) for number in named if number is not None}
    state.accounts = dict(_accounts(db, table))
    state.renew_stakes()
    return state


def has_live_stakes(db: Connection, table: int) -> bool:
    """Whether stakes of a settled round stay in play and joined no later round yet."""
    return db.execute(_LIVE_STAKES, {"table": table}).first() is not None


def _newest_number(db: Connection, device: int | None) -> int:
    return max(0, db.execute(_NEWEST_NUMBER, {"device": device}).scalar() or 0)


def read_round(db: Connection, device: int, number: int) -> Round | None:
    """Return a round by the number that its device gave it."""
    row = find(db, device, number)
    [*rounds] = _rounds(db, [] if row is None else [row])
    return rounds[0] if rounds else None


def read_by_key(db: Connection, key: int) -> Round | None:
    """Return a round by its row, None if there is none."""
    row = by_key(db, key)
    [*rounds] = _rounds(db, [] if row is None else [row])
    return rounds[0] if rounds else None


def _rounds(db: Connection, rows: Sequence[RoundRow]) -> Iterable[Round]:
    keys = [row.id for row in rows]
    records = _records(db, rows)
    results = _results(db, keys)
    rounds = {row.id: _round(row, records, results.get(row.id)) for row in rows}
    _add_bets(db, rounds)
    return rounds.values()


def _round(row: RoundRow, records: dict[int, FrameRow], result: Any) -> Round:
    opened, closed, ended = (
        None if key is None else records[key] for key in (row.opened, row.closed, row.ended)
    )
    return Round(
        id=row.id,
        device=row.device,
        number=row.number,
        table=row.table,
        terms=row.terms,
        opened=_record_row(opened),
        closed=_record_row(closed),
        ended=_record_row(ended),
        opening=None if opened is None else decoded(opened),
        close_payload=None if closed is None else closed.payload,
        ending=None if ended is None else decoded(ended),
        end_type=None if ended is None else ended.type,
        end_payload="" if ended is None else ended.payload,
        verdict=row.verdict,
        settled=row.settled,
        outcome=None if result is None else json.loads(result.outcome),
        is_void=result is not None and bool(result.is_void),
    )


def _record_row(row: FrameRow | None) -> RecordRow | None:
    return None if row is None else RecordRow(row.id, row.place)


def _records(db: Connection, rows: Sequence[RoundRow]) -> dict[int, FrameRow]:
    """Return the records that opened, closed and ended rounds, by row."""
    named = {key for row in rows for key in (row.opened, row.closed, row.ended)} - {None}
    if not named:
        return {}
    return {row.id: row for row in frame_rows(db, _RECORDS, {"keys": sorted(named)})}


def _results(db: Connection, keys: Sequence[int]) -> dict[int, Any]:
    if not keys:
        return {}
    return {row.round_id: row for row in db.execute(_RESULTS, {"keys": list(keys)})}


def _add_bets(db: Connection, rounds: dict[int, Round]) -> None:
    """Add the bets in play of rounds, and what was withdrawn while they were open."""
    if not rounds:
        return
    values = {"rounds": sorted(rounds)}
    for row in all_rows(db, _OPEN_BETS, values):
        key, number, account, slip, cents, state, is_carried, stands, *clock, ruled = row
        staked = StoredBet(number, account, slip, cents, state, bool(is_carried))
        bet = OpenBet(staked, not is_carried, stands, tuple(clock), bool(ruled))
        rounds[key].bets[number] = bet
    for key, bet_number, at_ns in db.execute(_RETURNED, values):
        rounds[key].returned.append((bet_number, at_ns))


def first_gap(db: Connection, device: int | None) -> tuple[int, int] | None:
    """Return the first missing counter of a device: boot and counter, None if none is missing."""
    row = db.execute(_GAP, {"device": device}).one_or_none()
    return None if row is None else (int(row.boot), int(row.first))


def faults_of(db: Connection, device: int, boot: int) -> list[Fault]:
    """Return the faults that a device raised and cleared in a boot."""
    col = faults.c
    query = select(col.counter, col.code, col.raised).where(col.device == device, col.boot == boot)
    return [Fault(counter, code, bool(raised)) for counter, code, raised in db.execute(query)]


def _accounts(db: Connection, table: int) -> Iterable[tuple[tuple[str, str], TableAccounts]]:
    """Yield the accounts of a table as far as they exist."""
    rows = db.execute(_ACCOUNTS, {"table": table})
    known = {(kind, currency): number for kind, currency, number in rows}
    for (kind, currency), bank in known.items():
        escrow = known.get((books.ESCROW, currency))
        if kind in (books.HOUSE, books.RAKE) and escrow is not None:
            yield (currency, kind), TableAccounts(escrow, bank, currency)
