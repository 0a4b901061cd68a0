"""`tabletool audit`: whether wheels, dice, draws and shuffles are fair."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from tabletools.audit import MACHINES, Machine, Report, audit, read_spins
from tabletools.audit.audit_power import power_table
from tabletools.audit.audit_report import as_counts, as_record, as_text
from tabletools.audit.error_budget import AUDITS_PER_YEAR, look_level
from tabletools.audit.frequency_chart import FORMATS, draw
from tabletools.cli.force import ForceOption
from tabletools.cli.open_database import place_text, reading
from tabletools.cli.plot_option import verify_plot
from tabletools.cli.progress import working
from tabletools.errors import ToolError, cannot_write

EXAMPLES = """\b
Examples:
  tabletool audit --csv spins.csv --wheel single
  tabletool audit --csv spins.csv --wheel double --json
  tabletool audit --csv throws.csv --wheel dice --plot dice.html
  tabletool audit --csv draws.csv --wheel keno --counts
  tabletool audit --csv shoes.csv --wheel cards
  tabletool audit --db pit.ledger
  tabletool audit --db postgresql://pit@db.example/pit --table "Roulette 1" --json
  tabletool audit --power
"""


_NO_TABLE = "name the ledger of a host, or the database of `tabletool collect`"
_Csv = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Played rounds, one row each, in order."),
]
_Db = Annotated[
    str | None, typer.Option("--db", metavar="DB", help="A ledger, or a file of collect.")
]
_Wheel = Annotated[str, typer.Option(metavar="KIND", help=f"What it is: {', '.join(MACHINES)}.")]
_Look = Annotated[
    int | None, typer.Option(metavar="N", help="Number of this audit in its table-year.")
]
_Power = Annotated[
    bool,
    typer.Option("--power", help="Print how many results each test needs to detect a bias."),
]


_Counts = Annotated[
    bool, typer.Option("--counts", help="Print how often each field, face, ball or card came.")
]


class Budget(NamedTuple):
    """What an audit may spend. look: its number in the table-year, None where nobody counts."""

    audits_per_year: int
    look: int | None


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("audit", epilog=EXAMPLES)(command)


def command(
    csv: _Csv = None,
    db: _Db = None,
    table: Annotated[str, typer.Option(metavar="NAME", help="This table or device of it.")] = "",
    wheel: _Wheel = "single",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a wheel.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help=f"Draw it: {' '.join(FORMATS)}.")
    ] = None,
    audits_per_year: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Audits per table and year.")
    ] = AUDITS_PER_YEAR,
    look: _Look = None,
    counts: _Counts = False,
    power: _Power = False,
    force: ForceOption = False,
) -> None:
    """Test played rounds for bias; the verdict is quiet, watch or alarm.

    The file has a column `pocket` (0 to 36, 00), `segment` (money wheel, from the index), `dice`
    (faces, "2 5"), `balls` (of a draw, in order) or `cards` ("KH 5C", with `decks`, and `shoe`,
    its name, where they come from one), and may have `wheel` (its name), `round` (rising: then the
    order of play is tested too), `moved` (1 in the first round after the machine was moved; only
    later rounds are tested), `drop_deg`, and `croupier`, `ball`, `direction` or `thrower`, each
    tested by itself. Each test has a share of the error budget: a fair table gives at most one
    alarm a year, spent evenly over --audits-per-year. A ledger knows the kind of each table, and
    when it was last configured or opened for maintenance: only results since then are tested; of a
    database that `collect` filled, each device is audited. Of a ledger, a line for each table says
    how many rounds with bets became void after no more bets, by the user whose order came last in
    the round.
    """
    machine = _machine(wheel)
    budget = Budget(audits_per_year, look)
    if power:
        typer.echo(power_table(machine, look_level(audits_per_year, look)))
        return
    _verify_source(csv, db)
    verify_plot(plot, FORMATS, force=force)
    with working("auditing"):
        if csv is not None:
            reports = _of_file(csv, machine, budget)
        else:
            reports = _of_ledger(str(db), table, budget)
    for report in reports:
        _print(report, as_json=as_json, counts=counts)
    for line in () if db is None else _undo_lines(db, table, as_json=as_json):
        typer.echo(line)
    if plot is not None:
        _draw(plot, reports)


def _print(report: Report, *, as_json: bool, counts: bool) -> None:
    """Print a report. counts: with a table, in JSON by label."""
    if as_json:
        by_label = dict(zip(report.machine.labels, report.counts, strict=True))
        typer.echo(json.dumps(as_record(report) | ({"counts": by_label} if counts else {})))
        return
    typer.echo(as_text(report))
    if counts:
        typer.echo(as_counts(report))


def _verify_source(csv: Path | None, db: str | None) -> None:
    """Raise ToolError unless there is one source of rounds."""
    if (csv is None) == (db is None):
        step = "give a file or a ledger, or use --power"
        what = "no rounds to audit" if csv is None else "a file and a ledger"
        raise ToolError(what, where="--csv or --db", limit="one of them", step=step)


def _machine(name: str) -> Machine:
    machine = MACHINES.get(name)
    if machine is None:
        raise ToolError(
            f"there is no machine {name!r}",
            where="--wheel",
            limit=", ".join(MACHINES),
            step="name one of them",
        )
    return machine


def _of_file(csv: Path, machine: Machine, budget: Budget) -> list[Report]:
    wheels = read_spins(csv, machine)
    return [audit(spins, machine, *budget) for spins in wheels if spins.places]


def _of_ledger(place: str, name: str, budget: Budget) -> list[Report]:
    """The audit of each table with a machine, since it was last moved. Raises ToolError.

    A database of `collect` has no tables: there it is each device.
    """
    # The database takes long to import, and is needed only here.
    from tabletools.api import fairness
    from tabletools.evidence import machines
    from tabletools.money import play_queries

    with reading(place) as db:
        tables = {row.name: row for row in play_queries.table_rows(db)}
        devices = {} if tables else machines.devices_by_name(db)
        wanted = [known for known in (*tables, *devices) if name in ("", known)]
        answers = [
            fairness.report_of(db, tables[one], *budget)
            if one in tables
            else fairness.report_of_device(db, devices[one], *budget)
            for one in wanted
        ]
    reports = [report for _machine, report in filter(None, answers) if report is not None]
    known = ", ".join((*tables, *devices)) or "none"
    if not wanted:
        raise ToolError(
            f"there is no table {name!r}" if name else "there is no table and no device",
            where=place_text(place),
            limit=f"tables: {known}",
            step="name one of them with --table" if tables or devices else _NO_TABLE,
        )
    if not reports:
        raise ToolError(
            "there are no results to audit",
            where=place_text(place),
            limit=f"tables: {known}",
            cause="nothing was played since the machine was last moved, or no machine reports it",
            step="name another table, or audit again after some rounds",
        )
    return reports


def _undo_lines(place: str, name: str, *, as_json: bool) -> Iterator[str]:
    """Yield how often rounds of each table became void after no more bets, and by whom."""
    from tabletools.money.reports import undo_rates

    with reading(place) as db:
        rates = [rate for rate in undo_rates(db) if name in ("", rate.table)]
    for rate in rates:
        if as_json:
            yield json.dumps({"void_after_no_more_bets": rate._asdict()})
            continue
        by = ", ".join(f"{who or 'no order'} {count}" for who, count in sorted(rate.by.items()))
        yield (
            f"{rate.table}: {rate.voids} of {rate.rounds} rounds with bets void after no more"
            f" bets" + (f" ({by})" if by else "")
        )


def _draw(path: Path, reports: list[Report]) -> None:
    if len(reports) > 1:
        raise ToolError(
            f"there are {len(reports)} wheels",
            where=f"--plot {path}",
            limit="1 a picture",
            step="give a file with one of them, or name one with --table",
        )
    try:
        draw(path, reports[0])
    except OSError as error:
        raise cannot_write("the picture", error, path, "choose another place") from error
