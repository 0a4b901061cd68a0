"""Double entry: accounts, and postings whose lines add up to 0. Works on an open transaction."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, select

from tabletools.store.errors import LedgerRejection
from tabletools.store.rows import insert_many, insert_new, insert_with_numbers
from tabletools.store.schema.books import accounts, ledger_lines, postings

_COLUMNS = (
    "at_ns",
    "kind",
    "currency",
    "table_id",
    "round_id",
    "reverses",
    "user_id",
    "note",
)
# From this many lines on, one statement over all of them is faster.
_MANY = 100
_LOCK_IN_ORDER = """
SELECT id FROM accounts WHERE id IN (SELECT account_id FROM ledger_lines WHERE posting_id = %s)
ORDER BY id FOR NO KEY UPDATE
"""
_MOVE = "UPDATE accounts SET balance_cents = balance_cents + ? WHERE id = ?"
_LOCK_ALL = """
SELECT id FROM accounts WHERE id = ANY(%(at)s::bigint[]) ORDER BY id FOR NO KEY UPDATE
"""
_MOVE_ALL = """
UPDATE accounts SET balance_cents = balance_cents + m.cents
FROM unnest(%(at)s::bigint[], %(cents)s::bigint[]) AS m (account, cents)
WHERE accounts.id = m.account
"""
_MOVE_BY_LINES = """
UPDATE accounts SET balance_cents = balance_cents + l.amount_cents FROM ledger_lines AS l
WHERE l.posting_id = ? AND l.account_id = accounts.id
"""

_ASIDE = "balances_aside"

PLAYER, ESCROW, HOUSE, CASH = "player", "escrow", "house", "cash"
METER, RAKE, WALLET = "meter", "rake", "wallet"

Lines = Mapping[int, int]
"""Cents by account."""


class Unbalanced(Exception):
    """Lines that do not add up to 0: a defect of this program; nothing is posted."""


class Entry(NamedTuple):
    """What a posting is for."""

    kind: str
    currency: str
    table: int | None = None
    round: int | None = None
    reverses: int | None = None
    user: int | None = None
    note: str | None = None


def account(
    db: Connection,
    kind: str,
    name: str,
    currency: str,
    *,
    now_ns: int,
    table: int | None = None,
) -> int:
    """Return the account with this name, created if it does not exist; not for players."""
    number = find_account(db, kind, name, currency)
    if number is None:
        values = {
            "kind": kind,
            "name": name,
            "currency": currency,
            "table_id": table,
            "balance_cents": 0,
            "created_ns": now_ns,
        }
        insert_new(db, accounts, values)
        number = find_account(db, kind, name, currency)
    assert number is not None
    return number


def find_account(db: Connection, kind: str, name: str, currency: str) -> int | None:
    """Return the account with this name, None if there is none; not for players."""
    col = accounts.c
    number: int | None = db.execute(
        select(col.id).where(col.kind == kind, col.name == name, col.currency == currency)
    ).scalar_one_or_none()
    return number


def set_aside(db: Connection) -> None:
    """Have the postings of a transaction that is undone move no balance and lock no account.

    What they would move is kept beside the balances, and `balances` adds it.
    """
    db.execution_options(**{_ASIDE: {}})


def _moved_aside(db: Connection) -> dict[int, int] | None:
    """Return what postings would move, cents by account; None where they move the balances."""
    moved: dict[int, int] | None = db.get_execution_options().get(_ASIDE)
    return moved


def balances(
    db: Connection, numbers: Collection[int], *, lock: bool = False
) -> dict[int, tuple[str, int]]:
    """Return name and balance (cents) of accounts, in the order of their numbers.

    lock: no other transaction changes them until the end.
    """
    col, moved = accounts.c, _moved_aside(db)
    query = select(col.id, col.name, col.balance_cents).where(col.id.in_(numbers)).order_by(col.id)
    if lock and moved is None:
        query = query.with_for_update(key_share=True)
    aside = moved or {}
    rows = db.execute(query)
    return {int(row.id): (row.name, int(row.balance_cents) + aside.get(row.id, 0)) for row in rows}


def balance(db: Connection, number: int, *, lock: bool = False) -> int:
    """Return the balance of an account, cents. lock: see `balances`."""
    return balances(db, [number], lock=lock)[number][1]


def currency_of_player(db: Connection, number: int) -> str:
    """Return the currency of a player's account. Raises LedgerRejection if there is none."""
    col = accounts.c
    query = select(col.currency).where(col.id == number, col.kind == PLAYER)
    currency: str | None = db.execute(query).scalar_one_or_none()
    if currency is None:
        what = f"account {number} is not a player account"
        raise LedgerRejection("no_such_player", what, "open an account first", "player")
    return currency


def post(db: Connection, entry: Entry, lines: Lines, now_ns: int) -> int:
    """Post a movement of money; returns its number. Raises Unbalanced."""
    return post_all(db, [(entry, lines)], now_ns)[0]


def post_all(db: Connection, movements: Sequence[tuple[Entry, Lines]], now_ns: int) -> list[int]:
    """Post movements of money, in order; returns their numbers. Raises Unbalanced."""
    for entry, lines in movements:
        if sum(lines.values()):
            raise Unbalanced(f"{entry.kind}: lines add up to {sum(lines.values())}")
    values = [
        (
            now_ns,
            entry.kind,
            entry.currency,
            entry.table,
            entry.round,
            entry.reverses,
            entry.user,
            entry.note,
        )
        for entry, _ in movements
    ]
    numbers = insert_with_numbers(db, postings, _COLUMNS, values)
    rows = [
        (number, account, cents)
        for number, (_, lines) in zip(numbers, movements, strict=True)
        for account, cents in lines.items()
        if cents
    ]
    insert_many(db, ledger_lines, ("posting_id", "account_id", "amount_cents"), rows)
    moved: dict[int, int] = {}
    for _, account, cents in rows:
        moved[account] = moved.get(account, 0) + cents
    if (aside := _moved_aside(db)) is not None:
        for account, cents in moved.items():
            aside[account] = aside.get(account, 0) + cents
    elif len(numbers) == 1 and len(moved) > _MANY:
        _move_by_lines(db, numbers[0])
    else:
        _move(db, moved)
    return numbers


def _move(db: Connection, moved: Lines) -> None:
    """Add to balances in the order of the accounts, so that two hosts never deadlock."""
    if not moved:
        return
    rows = sorted(moved.items())
    if db.dialect.name == "sqlite":
        db.exec_driver_sql(_MOVE, [(cents, account) for account, cents in rows])
        return
    values = {"at": [account for account, _ in rows], "cents": [cents for _, cents in rows]}
    db.exec_driver_sql(_LOCK_ALL, values)
    db.exec_driver_sql(_MOVE_ALL, values)


def _move_by_lines(db: Connection, posting: int) -> None:
    """Add all lines of a posting to the balances in one statement."""
    if db.dialect.name != "sqlite":
        db.exec_driver_sql(_LOCK_IN_ORDER, (posting,))
    mark = "?" if db.dialect.name == "sqlite" else "%s"
    db.exec_driver_sql(_MOVE_BY_LINES.replace("?", mark), (posting,))


def lines_of(db: Connection, posting: int) -> dict[int, int]:
    """Return the lines of a posting."""
    col = ledger_lines.c
    rows = db.execute(select(col.account_id, col.amount_cents).where(col.posting_id == posting))
    return {int(number): int(cents) for number, cents in rows}
