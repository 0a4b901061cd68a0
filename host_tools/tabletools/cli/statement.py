"""`tabletool ledger statement`: what moved a player's money on gaming days."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools import private_file
from tabletools.cli.open_database import existing, explaining
from tabletools.cli.report import JsonOption, say
from tabletools.errors import ToolError, cannot_write

if TYPE_CHECKING:
    from tabletools.api.account_statement import Statement
    from tabletools.reports.statements import Entry
    from tabletools.store import Store

EXAMPLES = """\b
Examples:
  tabletool ledger statement pit.ledger 1001 --day 2026-11-01 --days 30
  tabletool ledger statement pit.ledger 1001 --day 2026-11-01 --csv 1001.csv --locale de
"""
_LOCALES = ("en", "nl", "de", "el")


def command(
    place: Annotated[
        str, typer.Argument(metavar="DB", help="A file, or postgresql://USER@HOST/NAME.")
    ],
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="The number of the player.")],
    day: Annotated[
        datetime | None,
        typer.Option(
            "--day",
            formats=["%Y-%m-%d"],
            help="The first gaming day [so that the present is the last].",
        ),
    ] = None,
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="How many.")] = 1,
    hour: Annotated[
        int, typer.Option("--day-ends-hour", min=0, max=23, help="As in the settings of the host.")
    ] = 6,
    currency: Annotated[
        str | None, typer.Option("--currency", help="Of a player with several accounts.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write it for a spreadsheet.")
    ] = None,
    locale: Annotated[
        str, typer.Option("--locale", help=f"Of that file: {' '.join(_LOCALES)}.")
    ] = "en",
    _json: JsonOption = False,
) -> None:
    """Print every movement of a player's money on gaming days, with the balance after each.

    The balance before them and all amounts add up to the balance after them. It is read from the
    read model, which a host or `tabletool ledger reports` makes: up to 20,000 movements.
    """
    if locale not in _LOCALES:
        step = f"use {' '.join(_LOCALES)}"
        raise ToolError(f"locale {locale!r} is not known", where="--locale", step=step)
    with existing(place) as store, explaining(place):
        whole = _statement(store, _account(store, player, currency), day, days, hour)
    if csv is None:
        _say(whole)
    else:
        _write(whole, csv, locale)


def _account(store: "Store", number: str, currency: str | None) -> int:
    """Return the account of a player. Raises ToolError."""
    from tabletools.money import people_queries

    with store.read() as db:
        known = people_queries.player_rows(db, number)
    named = [row for row in known if currency in (None, row.currency)]
    if len(named) == 1:
        return named[0].id
    if named:
        kinds = " ".join(row.currency for row in named)
        what, step = f"player {number} has several accounts", f"choose one: --currency {kinds}"
        raise ToolError(what, where="PLAYER", step=step)
    what = f"there is no player {number}" + (f" with {currency}" if known and currency else "")
    raise ToolError(what, where="PLAYER", step="find the number on the page Accounts")


def _statement(
    store: "Store", account: int, day: datetime | None, days: int, hour: int
) -> "Statement":
    """Raises StoreError, LedgerRejection."""
    from tabletools.api import account_statement
    from tabletools.money import gaming_day
    from tabletools.reports.reading import Reader

    first = gaming_day.chosen(
        None if day is None else day.date(), store.clock.wall_ns(), hour, back=days - 1
    )
    reader = Reader(store)
    try:
        return account_statement.whole(
            reader, account_statement.Wanted(account, first, days, hour)
        )
    finally:
        reader.close()


def _say(whole: "Statement") -> None:
    """Print a statement, or one JSON object a movement between its balances."""
    from tabletools.api.spreadsheet import cents

    holder, currency = whole.holder, whole.holder.currency
    say(
        f"player {holder.player_number}, {holder.name}: {currency}"
        f" {cents(whole.opening_cents)} before {whole.wanted.day}",
        **holder._asdict(),
        day=whole.wanted.day.isoformat(),
        days=whole.wanted.days,
        opening_cents=whole.opening_cents,
    )
    for entry in whole.entries:
        say(_line(entry), **entry._asdict())
    say(
        f"{len(whole.entries)} movements; {currency} {cents(whole.closing_cents)} after them",
        movements=len(whole.entries),
        closing_cents=whole.closing_cents,
    )


def _line(entry: "Entry") -> str:
    from tabletools.api.account_statement import time_text
    from tabletools.api.spreadsheet import cents

    subject = entry.table_name or ""
    if entry.round_number is not None:
        subject += f", round {entry.round_number}"
    return (
        f"{time_text(entry.at_ns)} UTC  {entry.kind:<11}{cents(entry.amount_cents):>14}"
        f"{cents(entry.balance_cents):>14}  {subject}"
    ).rstrip()


def _write(whole: "Statement", file: Path, locale: str) -> None:
    """Write a statement for a spreadsheet, to a file of its user alone. Raises ToolError."""
    from tabletools.api.account_statement import file_text

    text = file_text(whole, locale)
    try:
        private_file.write_whole(file, text.encode("utf-8-sig"))
    except OSError as error:
        raise cannot_write("the statement", error, file, "name another file") from error
    count = len(whole.entries)
    say(f"{count} movements written to {file}", movements=count, file=str(file))
