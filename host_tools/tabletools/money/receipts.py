"""Account statements and receipts: movements, bets, payouts. Reads only."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Select, func, select

from tablespec.names import NAMES
from tabletools.money import outcome_in_force, play_queries
from tabletools.store import books, chain_find
from tabletools.store.schema.books import (
    accounts,
    adjustments,
    held_payouts,
    ledger_lines,
    payout_decisions,
    postings,
)
from tabletools.store.schema.evidence import frames
from tabletools.store.schema.people import users
from tabletools.store.schema.play import (
    bets,
    results,
    round_settlements,
    rounds,
    settlements,
    tables,
    terms,
)

Row = dict[str, Any]
MOST = 200
"""Most rows of one answer."""
_CASH_KINDS = ("deposit", "payout")
_RECEIPT_KINDS = (*_CASH_KINDS, "adjustment")


Balance = Callable[[Connection, int, int, int], int]
"""The balance of an account after a posting, cents: of (ledger, account, time in ns, posting)."""


def balance_at(db: Connection, account: int, _at_ns: int, posting: int) -> int:
    """Return the balance of an account after a posting, cents. It adds all up that came later."""
    line = ledger_lines.c
    later = select(func.coalesce(func.sum(line.amount_cents), 0)).where(
        line.account_id == account, line.posting_id > posting
    )
    return books.balance(db, account) - int(db.execute(later).scalar_one())


def movements(
    db: Connection,
    account: int,
    before: int | None = None,
    most: int = 50,
    *,
    balance: Balance = balance_at,
) -> list[Row]:
    """Return the movements of an account, newest first, with the balance after each.

    before: movements with a lower key, for the next page.
    """
    col, line = postings.c, ledger_lines.c
    query = (
        select(
            col.id,
            col.at_ns,
            col.kind,
            line.amount_cents,
            col.currency,
            col.round_id,
            rounds.c.number.label("round_number"),
            tables.c.id.label("table_id"),
            tables.c.name.label("table_name"),
            users.c.name.label("user_name"),
        )
        .select_from(ledger_lines)
        .join(postings, col.id == line.posting_id)
        .outerjoin(rounds, rounds.c.id == col.round_id)
        .outerjoin(tables, tables.c.id == col.table_id)
        .outerjoin(users, users.c.id == col.user_id)
        .where(line.account_id == account)
        .order_by(line.posting_id.desc())
        .limit(min(max(most, 1), MOST))
    )
    if before is not None:
        query = query.where(line.posting_id < before)
    rows = db.execute(query).all()
    balance_cents = balance(db, account, rows[0].at_ns, rows[0].id) if rows else 0
    facts = []
    for row in rows:
        more = {
            "is_cash": row.kind in _CASH_KINDS,
            "has_receipt": row.kind in _RECEIPT_KINDS,
            "balance_cents": balance_cents,
        }
        facts.append({**row._mapping, **more})
        balance_cents -= row.amount_cents
    return facts


def cash_receipt(db: Connection, posting: int, balance: Balance = balance_at) -> Row | None:
    """Return the receipt of a deposit, payout or adjustment, None if there is no such posting."""
    col = postings.c
    query = (
        select(
            col.id,
            col.at_ns,
            col.kind,
            col.currency,
            ledger_lines.c.amount_cents,
            accounts.c.id.label("account_id"),
            accounts.c.player_number,
            accounts.c.name.label("player"),
            users.c.name.label("cashier"),
        )
        .join(ledger_lines, ledger_lines.c.posting_id == col.id)
        .join(accounts, accounts.c.id == ledger_lines.c.account_id)
        .outerjoin(users, users.c.id == col.user_id)
        .where(col.id == posting, col.kind.in_(_RECEIPT_KINDS), accounts.c.kind == books.PLAYER)
    )
    row = db.execute(query).one_or_none()
    if row is None:
        return None
    return {
        **row._mapping,
        "balance_cents": balance(db, row.account_id, row.at_ns, posting),
        "held": _held(db, posting),
        "adjustment": _adjustment(db, posting),
        "chain": _chain_entry(db, "postings", (posting,), row.at_ns),
    }


def _adjustment(db: Connection, posting: int) -> Row | None:
    """Who decided an adjustment, why, by what evidence, and what it is about."""
    col, first, second = adjustments.c, users.alias("first"), users.alias("second")
    query = (
        select(
            first.c.name.label("first"),
            second.c.name.label("second"),
            col.reason,
            col.evidence,
            tables.c.name.label("table_name"),
            col.round_id,
            rounds.c.number,
        )
        .select_from(adjustments)
        .join(tables, tables.c.id == col.table_id)
        .join(first, first.c.id == col.first_user)
        .join(second, second.c.id == col.second_user)
        .outerjoin(rounds, rounds.c.id == col.round_id)
        .where(col.posting_id == posting)
    )
    row = db.execute(query).one_or_none()
    if row is None:
        return None
    return {
        "users": [row.first, row.second],
        "reason": row.reason,
        "evidence": row.evidence,
        "table_name": row.table_name,
        "round": row.round_id,
        "round_number": row.number,
    }


def _held(db: Connection, posting: int) -> Row | None:
    """Who requested and released a held payout."""
    decision, held = payout_decisions.c, held_payouts.c
    asked, first, second = (users.alias(name) for name in ("asked", "first", "second"))
    query = (
        select(
            held.id.label("payout"),
            held.at_ns,
            asked.c.name.label("requested_by"),
            first.c.name.label("released_by"),
            second.c.name.label("second_user"),
            decision.reason,
        )
        .select_from(payout_decisions)
        .join(held_payouts, held.id == decision.held_payout_id)
        .join(asked, asked.c.id == held.user_id)
        .join(first, first.c.id == decision.first_user)
        .outerjoin(second, second.c.id == decision.second_user)
        .where(decision.posting_id == posting)
    )
    row = db.execute(query).mappings().one_or_none()
    return None if row is None else dict(row)


def bet_receipt(db: Connection, bet: int) -> Row | None:
    """Return the facts of a bet with their evidence, None if there is no such bet.

    rule: the deciding article, of the settlement in force. result: the outcome in force, with what
    it supersedes and its ruling. evidence: the record that ended the round. chain: the entry with
    the settlement; for an unsettled bet the entry with the bet.
    """
    facts = play_queries.bet_row(db, bet)
    if facts is None:
        return None
    row = db.execute(_bet_query(bet)).one()
    if _is_settled(db, bet, row.settled):
        proof = _chain_entry(db, "settlements", (bet, row.settled), row.settled_ns)
    else:
        proof = _chain_entry(db, "bets", (bet,), facts["placed_ns"])
    left_out = {"frame_id", "ended", *outcome_in_force.NAMES}
    more = {str(name): value for name, value in row._mapping.items() if name not in left_out}
    in_force = outcome_in_force.facts(row)
    return {
        "bet": facts,
        **more,
        "first_user": row.first,
        "second_user": row.second,
        "reason": row.reason,
        "result": in_force["outcome"] if row.settled else None,
        "superseded": in_force["superseded"],
        "ruling": in_force["ruling"],
        "evidence": _record(db, row.frame_id or row.ended),
        "chain": proof,
    }


def _bet_query(bet: int) -> Select[Any]:
    """Return the query of the round, table, terms, result and settlement in force of a bet."""
    col = rounds.c
    with_bet = bets.join(rounds, col.id == bets.c.round_id)
    return (
        select(
            col.number.label("round_number"),
            col.settled,
            col.device,
            col.ended,
            tables.c.name.label("table_name"),
            tables.c.currency,
            terms.c.game,
            terms.c.rules,
            terms.c.variant,
            results.c.frame_id,
            round_settlements.c.at_ns.label("settled_ns"),
            *outcome_in_force.COLUMNS,
            accounts.c.player_number,
        )
        .select_from(outcome_in_force.joined(with_bet))
        .join(tables, tables.c.id == bets.c.table_id)
        .join(accounts, accounts.c.id == bets.c.account_id)
        .outerjoin(terms, terms.c.id == col.terms_id)
        .where(bets.c.id == bet)
    )


def _is_settled(db: Connection, bet: int, generation: int) -> bool:
    col = settlements.c
    query = select(col.bet_id).where(col.bet_id == bet, col.generation == generation)
    return db.execute(query).first() is not None


def _record(db: Connection, frame: int | None) -> Row | None:
    """The record that ended a round. seal: verified, unverified, none."""
    col = frames.c
    query = select(
        col.id.label("frame"),
        col.type,
        col.device,
        col.boot,
        col.counter,
        col.seal,
        col.received_ns,
    ).where(col.id == frame)
    row = None if frame is None else db.execute(query).one_or_none()
    return None if row is None else {**row._mapping, "type": NAMES[row.type]}


def _chain_entry(db: Connection, table: str, key: tuple[int, ...], at_ns: int) -> Row | None:
    part = chain_find.Entries(db).of_row(table, key, at_ns)
    if part is None:
        return None
    return {"seq": part.entry.seq, "digest": part.entry.digest.hex()}
