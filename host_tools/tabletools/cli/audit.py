"""`tabletool audit`: whether a wheel or dice fall evenly."""

import json
from pathlib import Path
from typing import Annotated

import typer

from tabletools.audit import MACHINES, Machine, Report, audit, read_spins
from tabletools.audit.chance import spins_needed
from tabletools.audit.picture import FORMATS, draw
from tabletools.audit.report import AUDITS_PER_YEAR, WATCH_LEVEL, as_record, as_text
from tabletools.errors import ToolError

EXAMPLES = """\b
Examples:
  tabletool audit --csv spins.csv --wheel single
  tabletool audit --csv spins.csv --wheel double --json
  tabletool audit --csv throws.csv --wheel dice --plot dice.html
  tabletool audit --power
"""
_BIASES = (0.05, 0.10, 0.20, 0.30)
_LEVELS = ("watch", "alarm")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("audit", epilog=EXAMPLES)(command)


def command(
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Played rounds, a row each, in order."),
    ] = None,
    wheel: Annotated[
        str, typer.Option(metavar="KIND", help=f"What it is: {', '.join(MACHINES)}.")
    ] = "single",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a wheel.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help=f"Draw it: {' '.join(FORMATS)}.")
    ] = None,
    audits_per_year: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Audits a table has in a year.")
    ] = AUDITS_PER_YEAR,
    power: Annotated[
        bool, typer.Option("--power", help="Say how many spins find which bias, and end.")
    ] = False,
) -> None:
    """Test played rounds for bias; the verdict is quiet, watch or alarm.

    The file has a column `pocket` (0 to 36, 00), `segment` (money wheel, from the index) or
    `dice` (faces, "2 5"), and may have `wheel` (its name), `round` (rising: then the order of
    the spins is tested too), `moved` (1 in the first round after the machine was moved; only
    what came since is tested) and `drop_deg`. Alarms are so rare that a fair table audited
    daily gives at most one a year.
    """
    machine = MACHINES.get(wheel)
    if machine is None:
        raise ToolError(
            f"there is no machine {wheel!r}", where="--wheel", limit=", ".join(MACHINES),
            step="name one of them",
        )  # fmt: skip
    if plot is not None and plot.suffix not in FORMATS:
        raise ToolError(
            f"cannot draw {plot.suffix or 'a file without an ending'}",
            where=f"--plot {plot}", limit=" or ".join(FORMATS), step="name the file so",
        )  # fmt: skip
    if power:
        typer.echo(_power(machine, 1 / audits_per_year))
        return
    if csv is None:
        raise ToolError("which rounds?", where="--csv", step="name a file, or ask for --power")
    found = read_spins(csv, machine)
    reports = [audit(spins, machine, audits_per_year) for spins in found if spins.places]
    for report in reports:
        typer.echo(json.dumps(as_record(report)) if as_json else as_text(report))
    if plot is not None:
        _draw(plot, reports)


def _draw(path: Path, reports: list[Report]) -> None:
    if len(reports) > 1:
        raise ToolError(
            f"the file has {len(reports)} wheels", where=f"--plot {path}", limit="1 a picture",
            step="give a file with one of them",
        )  # fmt: skip
    try:
        draw(path, reports[0])
    except OSError as error:
        what = f"cannot write the picture: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(path), step="choose another place") from error


def _power(machine: Machine, level: float) -> str:
    """Return a table: falls that find a bias in 9 of 10 cases, at the levels of both words."""
    tests = [("chi-square", machine.fields - 1)]
    if machine.is_round:
        tests.insert(0, ("Rayleigh", 2))
    lines = [f"{machine.name}: falls that find a bias in 9 of 10 cases, each test alone"]
    lines.append(
        "bias  " + "".join(f"{name + ' ' + at:>19}" for at in _LEVELS for name, _df in tests)
    )
    for bias in _BIASES:
        cells = [
            f"{spins_needed(df, found, bias):>19,}"
            for found in (WATCH_LEVEL, level)
            for _name, df in tests
        ]
        lines.append(f"{bias:>4.0%}  " + "".join(cells))
    lines.append("bias: the height of a sine round the machine, as a share of the mean")
    return "\n".join(lines)
