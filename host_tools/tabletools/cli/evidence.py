"""`tabletool evidence`: lists stored evidence; writes and checks the file for a regulator."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabletools.cli import evidence_file
from tabletools.cli.command_group import DefaultGroup
from tabletools.cli.evidence_lines import LINES
from tabletools.cli.named import MOST_NAME, MOST_NUMBER, MOST_TEXT, verify_text
from tabletools.cli.open_database import existing, reading
from tabletools.errors import ToolError

if TYPE_CHECKING:
    from tabletools.store import Connection

EXAMPLES = """\b
Examples:
  tabletool evidence night.db
  tabletool evidence night.db --round 12
  tabletool evidence night.db --alarms --gaps --json
  tabletool evidence night.db --release 7 --by "A. Engel" --why "controller replaced"
"""


class ListFirst(DefaultGroup):
    """`evidence DB` is `evidence list DB`."""

    default = "list"


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(cls=ListFirst, help=_group.__doc__)
    group.callback()(_group)
    group.command(ListFirst.default, epilog=EXAMPLES)(command)
    group.command("export", epilog=evidence_file.EXPORT)(evidence_file.export)
    group.command("check", epilog=evidence_file.CHECK)(evidence_file.check)
    app.add_typer(group, name="evidence", epilog=EXAMPLES)


def _group() -> None:
    """List stored rounds, or one with all evidence; write and check evidence files.

    `evidence DB` is short for `evidence list DB`.
    """


def command(
    place: Annotated[
        str, typer.Argument(metavar="DB", help="A database of `collect` or `serve`.")
    ],
    number: Annotated[
        int | None,
        typer.Option(
            "--round", min=1, max=MOST_NUMBER, metavar="N", help="The records of this round."
        ),
    ] = None,
    alarms: Annotated[bool, typer.Option("--alarms", help="The alarms.")] = False,
    gaps: Annotated[bool, typer.Option("--gaps", help="Counters that were missing.")] = False,
    tables: Annotated[
        bool, typer.Option("--tables", help="The tables: bets, stops, steps of clocks.")
    ] = False,
    changes: Annotated[
        bool, typer.Option("--changes", help="Every change of a configuration, and by whom.")
    ] = False,
    programs: Annotated[
        bool, typer.Option("--attestations", help="Attestations of the tables.")
    ] = False,
    device: Annotated[
        int | None,
        typer.Option(
            "--release", min=1, max=MOST_NUMBER, metavar="DEVICE", help="Release a stopped table."
        ),
    ] = None,
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who releases it.")] = "",
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="Why it is released.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List rounds, one per line with number or reason; or alarms, gaps, tables, one round.

    A round is shown with the configuration in force when it opened.

    Can run while `collect` or `serve` writes. Only --release changes anything; it deletes nothing.
    """
    kinds = ("alarm", "gap", "change", "attestation", "table")
    wanted = dict(zip(kinds, (alarms, gaps, changes, programs, tables), strict=True))
    if device is not None:
        listings = {f"--{kind}s": asked for kind, asked in wanted.items()}
        _verify_no_listing({**listings, "--round": number is not None, "--json": as_json})
        _release(place, device, by, why)
        return
    _print_rows(place, number, [kind for kind, asked in wanted.items() if asked], as_json=as_json)


def _print_rows(place: str, number: int | None, listed: list[str], *, as_json: bool) -> None:
    """Print each row of these lists, or that there is none."""
    is_empty = True
    with reading(place) as db:
        for kind, row in _rows(db, number, listed):
            print(json.dumps({"list": kind} | row) if as_json else LINES[kind](row))
            is_empty = False
    if is_empty and not as_json:
        print(f"no {' and no '.join(f'{kind}s' for kind in listed or ['round'])} in {place}")


def _rows(
    db: "Connection", number: int | None, wanted: list[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    from tabletools.evidence import listing

    if number is not None:
        records = list(listing.record_rows(db, number))
        if not records:
            step = "list the rounds: leave --round out"
            raise ToolError(f"there is no record of round {number}", where="--round", step=step)
        yield from (("record", row) for row in records)
        yield from (("configuration", row) for row in listing.configuration_rows(db, number))
    elif not wanted:
        yield from (("round", row) for row in listing.round_rows(db))
    lists: dict[str, Callable[[Connection], Iterable[dict[str, Any]]]] = {
        "alarm": listing.alarm_rows,
        "gap": listing.gap_rows,
        "change": listing.change_rows,
        "attestation": listing.attestation_rows,
        "table": listing.device_rows,
        "step": listing.step_rows,
    }
    for kind in [*wanted, "step"] if "table" in wanted else wanted:
        yield from ((kind, row) for row in lists[kind](db))


def _verify_no_listing(options: dict[str, bool]) -> None:
    """Refuse options of a listing together with --release. options: whether each was given."""
    names = ", ".join(name for name, is_given in options.items() if is_given)
    if names:
        step = "release the table first, then list"
        raise ToolError("--release lists nothing", where=f"--release, beside {names}", step=step)


def _release(place: str, device: int, by: str, why: str) -> None:
    from tabletools.table.stops import release

    verify_text("--by", by, MOST_NAME, "a name")
    verify_text("--why", why, MOST_TEXT, "a reason")
    with existing(place) as store:
        release(store, device, by.strip(), why)
    print(f"table {device} released: {why}")
