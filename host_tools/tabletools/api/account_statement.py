"""The statement of a player over gaming days: a page of it, or the whole as a file."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

from tabletools.api.spreadsheet import Figure, cents, csv_text
from tabletools.money import gaming_day
from tabletools.money.gaming_day import Span
from tabletools.reports import statements
from tabletools.reports.reading import LookBack, Reader
from tabletools.reports.statements import Entry, Holder
from tabletools.store import LedgerRejection
from tabletools.store.clock import NS

MOST_IN_FILE = 20_000
"""Entries of a file; the pages have no such limit."""
HEAD = ("time_utc", "kind", "table", "round", "amount", "balance", "currency", "user", "movement")


class Wanted(NamedTuple):
    """Whose statement, of which gaming days."""

    account: int
    day: date
    """The first."""
    days: int
    hour: int
    """Of local time, at which a gaming day begins."""

    @property
    def span(self) -> Span:
        """When these days begin and end."""
        return gaming_day.span(self.day, self.hour, self.days)


class Statement(NamedTuple):
    """A statement, or a page of it: opening plus all amounts is closing."""

    holder: Holder
    wanted: Wanted
    opening_cents: int
    closing_cents: int
    entries: Sequence[Entry]
    next: int | None
    """`after` of the next page, None: there is none."""
    is_complete: bool
    """False: the read model does not have the newest movements yet."""


def page(
    reports: Reader, wanted: Wanted, after: int | None = None, most: int = statements.MOST
) -> Statement:
    """Return a page. after: `next` of the page before. Raises LedgerRejection, StoreError."""
    with reports.look_back() as look:
        return _page(look, wanted, after, most)


def _page(look: LookBack, wanted: Wanted, after: int | None, most: int) -> Statement:
    holder, span = statements.holder(look.ledger, wanted.account), wanted.span
    entries, following = statements.page(
        look.ledger, look.model, wanted.account, span, after, most
    )
    opening, closing = (
        statements.balance_before(look.model, wanted.account, at_ns) for at_ns in span
    )
    return Statement(holder, wanted, opening, closing, entries, following, look.behind == 0)


def whole(reports: Reader, wanted: Wanted) -> Statement:
    """Return all of it, for a file. Raises LedgerRejection, StoreError."""
    with reports.look_back() as look:
        part = _page(look, wanted, None, MOST_IN_FILE)
    if not part.is_complete:
        what = "the newest movements are not in the read model yet"
        step = "try again in a minute; without a host: tabletool ledger reports"
        raise LedgerRejection("statement_behind", what, step, "account")
    if part.next is not None:
        what = f"the statement has more than {MOST_IN_FILE} movements"
        raise LedgerRejection("statement_too_long", what, "choose fewer days", "days")
    return part


def file_text(statement: Statement, locale: str) -> str:
    """Return a whole statement as CSV. locale: of its separator and decimal sign."""
    return csv_text(HEAD, _lines(statement), locale)


def _lines(statement: Statement) -> Iterator[tuple[str, ...]]:
    currency, span = statement.holder.currency, statement.wanted.span
    yield _balance_line("opening", span.first_ns, statement.opening_cents, currency)
    for entry in statement.entries:
        yield (
            time_text(entry.at_ns),
            entry.kind,
            entry.table_name or "",
            Figure("" if entry.round_number is None else entry.round_number),
            cents(entry.amount_cents),
            cents(entry.balance_cents),
            currency,
            entry.user_name or "",
            Figure(entry.movement),
        )
    yield _balance_line("closing", span.end_ns, statement.closing_cents, currency)


def _balance_line(kind: str, at_ns: int, balance_cents: int, currency: str) -> tuple[str, ...]:
    return time_text(at_ns), kind, "", "", "", cents(balance_cents), currency, "", ""


def time_text(at_ns: int) -> str:
    """Return a time as a spreadsheet of any country reads it."""
    return f"{datetime.fromtimestamp(at_ns // NS, UTC):%Y-%m-%d %H:%M:%S}"
