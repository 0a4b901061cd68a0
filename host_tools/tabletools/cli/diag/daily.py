"""`tabletool diag daily`: the check before opening, stored in the ledger with its user."""

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli.open_database import explaining
from tabletools.diag.report import FAILED
from tabletools.errors import ToolError

if TYPE_CHECKING:
    from tabletools.evidence.maintenance import DailyCheck

DAILY = """\b
Examples:
  tabletool diag daily pit.ledger --device 4711 --by Tim --level ok --magnet ok --ball ok
    --parts ok
  tabletool diag daily pit.ledger --device 4711 --by Tim --level bad --magnet ok --ball ok
    --parts ok --note "levelled, 0.2 mm"
  tabletool diag daily pit.ledger --device 4711 --list
"""
_MOST_PRINTED = 30


class Condition(StrEnum):
    """The result of one item of a check."""

    ok = "ok"
    bad = "bad"


_Item = Annotated[Condition | None, typer.Option(help="ok or bad.")]


def daily(
    db: Annotated[str, typer.Argument(metavar="DB", help="The ledger: file or postgresql://...")],
    device: Annotated[int, typer.Option(min=1, help="Serial number of the table.")],
    by: Annotated[str, typer.Option(metavar="NAME", help="A user of the ledger.")] = "",
    level: _Item = None,
    magnet: _Item = None,
    ball: _Item = None,
    parts: _Item = None,
    note: Annotated[str, typer.Option(help="What was done about it.")] = "",
    listed: Annotated[bool, typer.Option("--list", help="Show the last ones, and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Record the check before opening: level, magnet, ball, parts, and the user's name.

    It is stored in the append-only maintenance log of the ledger. Exit code 6 when something is
    bad: do not open the table before that is repaired and checked again. It is also 6 for a
    roulette wheel of which the ledger has no passed walk with the present configuration.
    """
    from tabletools.evidence import maintenance as log
    from tabletools.store import Store

    with explaining(db):
        ledger = Store.open_existing(db)
        try:
            if listed:
                with ledger.read() as connection:
                    rows = log.daily_checks(connection, device, _MOST_PRINTED)
                typer.echo("\n".join(_line(row, as_json=as_json) for row in rows))
                return
            items = _items(dict(zip(log.ITEMS, (level, magnet, ball, parts), strict=True)))
            row = log.keep_daily(ledger, log.worker(ledger, by), device, items, note)
            with ledger.read() as connection:
                missing = log.missing_walk(connection, device)
        finally:
            ledger.close()
    typer.echo(_line(row, as_json=as_json))
    if missing:
        typer.echo(f"do not open the table: {missing}; {log.WALK_COMMAND} has to pass", err=True)
    if missing or Condition.bad in items.values():
        raise typer.Exit(FAILED)


def _items(answers: dict[str, Condition | None]) -> dict[str, str]:
    missing = [f"--{name}" for name, value in answers.items() if value is None]
    if missing:
        raise ToolError(
            f"missing: {', '.join(missing)}",
            limit="ok or bad, each",
            step="check the machine, then give each of them",
        )
    return {name: str(value) for name, value in answers.items()}


def _line(row: "DailyCheck", *, as_json: bool) -> str:
    if as_json:
        return json.dumps(row._asdict())
    from tabletools.evidence.maintenance import ITEMS

    words = ", ".join(f"{name} {getattr(row, name)}" for name in ITEMS)
    note = f"; {row.note}" if row.note else ""
    return f"{row.at}  {row.device}  {row.by}: {words}{note}"
