"""Statements of players: every line of an account with the balance after it, folded from postings.

Lines are in the order of their times. That is nearly the order of their numbers: hosts whose
clocks differ may post an earlier time later, and the balances after it are then computed again.
"""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Tuple, delete, insert, literal, select, tuple_

from tabletools.money.gaming_day import Span
from tabletools.reports import model
from tabletools.reports.feeds import Part
from tabletools.store import LedgerRejection, books
from tabletools.store.schema.books import accounts, ledger_lines, postings
from tabletools.store.schema.people import users
from tabletools.store.schema.play import rounds, tables

MOST = 200
"""Most entries of one page."""
MOST_DAYS = 366
_COL = model.account_lines.c
_PLACE = tuple_(_COL.at_ns, _COL.posting)
_Line = tuple[int, int, int]
"""Time, posting, cents."""


class Holder(NamedTuple):
    """The player whose statement it is."""

    account: int
    player_number: str
    name: str
    currency: str


class Entry(NamedTuple):
    """A line of a statement. movement: its posting."""

    movement: int
    at_ns: int
    kind: str
    amount_cents: int
    """Above 0 it came in."""
    balance_cents: int
    """After it."""
    table_id: int | None
    table_name: str | None
    round_id: int | None
    round_number: int | None
    user_name: str | None


class Page(NamedTuple):
    """Entries of a statement, the oldest first. next: `after` of the next page, None: the last."""

    entries: list[Entry]
    next: int | None


def fold(ledger: Connection, db: Connection, part: Part) -> None:
    """Fold the lines of players in a part of the postings."""
    line = ledger_lines.c
    query = (
        select(line.account_id, postings.c.at_ns, line.posting_id, line.amount_cents)
        .join(postings, postings.c.id == line.posting_id)
        .join(accounts, accounts.c.id == line.account_id)
        .where(line.posting_id > part.after, line.posting_id <= part.last)
        .where(accounts.c.kind == books.PLAYER)
    )
    added: dict[int, list[_Line]] = {}
    for account, at_ns, posting, cents in ledger.execute(query):
        added.setdefault(account, []).append((at_ns, posting, cents))
    rows = [row for account, lines in added.items() for row in _rows(db, account, lines)]
    if rows:
        db.execute(insert(model.account_lines), rows)


def _rows(db: Connection, account: int, lines: list[_Line]) -> Iterator[dict[str, int]]:
    """Yield the new rows of an account, and again those that are later than the first of them."""
    at_ns, posting, _ = min(lines)
    later = [_COL.account == account, _at(at_ns, posting) < _PLACE]
    query = select(_COL.at_ns, _COL.posting, _COL.amount_cents).where(*later)
    overtaken: list[_Line] = [(row[0], row[1], row[2]) for row in db.execute(query)]
    if overtaken:
        db.execute(delete(model.account_lines).where(*later))
    balance_cents = _balance(db, account, _at(at_ns, posting) > _PLACE)
    for at_ns, posting, cents in sorted([*lines, *overtaken]):
        balance_cents += cents
        yield {
            "account": account,
            "at_ns": at_ns,
            "posting": posting,
            "amount_cents": cents,
            "balance_cents": balance_cents,
        }


def _at(at_ns: int, posting: int) -> Tuple:
    """Return a place in the order of lines."""
    return tuple_(literal(at_ns), literal(posting))


def _balance(db: Connection, account: int, is_before: ColumnElement[bool]) -> int:
    query = select(_COL.balance_cents).where(_COL.account == account, is_before)
    newest = query.order_by(_COL.at_ns.desc(), _COL.posting.desc()).limit(1)
    return int(db.execute(newest).scalar_one_or_none() or 0)


def balance_before(db: Connection, account: int, at_ns: int) -> int:
    """Return the balance of an account before a time, cents."""
    return _balance(db, account, _COL.at_ns < at_ns)


def balance_after(db: Connection, account: int, at_ns: int, posting: int) -> int | None:
    """Return the balance after a posting, cents; None if the model does not have it yet."""
    query = select(_COL.balance_cents).where(
        _COL.account == account, _COL.at_ns == at_ns, _COL.posting == posting
    )
    return db.execute(query).scalar_one_or_none()


def holder(ledger: Connection, account: int) -> Holder:
    """Return whose account it is. Raises LedgerRejection."""
    col = accounts.c
    query = select(col.id, col.player_number, col.name, col.currency)
    row = ledger.execute(query.where(col.id == account, col.kind == books.PLAYER)).one_or_none()
    if row is None:
        what = f"account {account} is not a player account"
        raise LedgerRejection("no_such_player", what, "list the players", "account")
    return Holder(*row)


def page(
    ledger: Connection, db: Connection, account: int, span: Span, after: int | None, most: int
) -> Page:
    """Return entries of a span of time. after: `next` of the page before.

    Raises LedgerRejection.
    """
    # One lower bound: beside a second one SQLite would step over all entries before the page.
    first = (span.first_ns, 0)
    if after is not None:
        first = max(first, (_time_of(ledger, after), after))
    query = select(_COL.posting, _COL.amount_cents, _COL.balance_cents).where(
        _COL.account == account, _at(*first) < _PLACE, _COL.at_ns < span.end_ns
    )
    lines = db.execute(query.order_by(_COL.at_ns, _COL.posting).limit(most + 1)).all()
    facts = _facts(ledger, [line.posting for line in lines[:most]])
    entries = [
        facts[line.posting]._replace(
            amount_cents=line.amount_cents, balance_cents=line.balance_cents
        )
        for line in lines[:most]
    ]
    return Page(entries, entries[-1].movement if len(lines) > most else None)


def _time_of(ledger: Connection, posting: int) -> int:
    query = select(postings.c.at_ns).where(postings.c.id == posting)
    at_ns: int | None = ledger.execute(query).scalar_one_or_none()
    if at_ns is None:
        what = f"there is no movement {posting}"
        raise LedgerRejection("no_such_movement", what, "begin with the first page", "after")
    return at_ns


def _facts(ledger: Connection, numbers: list[int]) -> dict[int, Entry]:
    """Return what movements are, by number, without their amounts."""
    col = postings.c
    query = (
        select(
            col.id,
            col.at_ns,
            col.kind,
            tables.c.id,
            tables.c.name,
            col.round_id,
            rounds.c.number,
            users.c.name,
        )
        .outerjoin(rounds, rounds.c.id == col.round_id)
        .outerjoin(tables, tables.c.id == col.table_id)
        .outerjoin(users, users.c.id == col.user_id)
        .where(col.id.in_(numbers))
    )
    rows = ledger.execute(query).tuples()
    return {
        number: Entry(number, at_ns, kind, 0, 0, *subject)
        for number, at_ns, kind, *subject in rows
    }
