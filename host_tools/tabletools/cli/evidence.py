"""`tabletool evidence`: lists stored evidence, for the technician and the auditor."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabletools import decode
from tabletools.cli.database import existing, reading
from tabletools.cli.named import MOST_NAME, MOST_NUMBER, MOST_TEXT, verify_text
from tabletools.errors import ToolError
from tabletools.roles import of_result, role

if TYPE_CHECKING:
    from tabletools.store import Connection

EXAMPLES = """\b
Examples:
  tabletool evidence night.db
  tabletool evidence night.db --round 12
  tabletool evidence night.db --alarms --gaps --json
  tabletool evidence night.db --release 7 --by "A. Engel" --why "controller replaced"
"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("evidence", epilog=EXAMPLES)(command)


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
    wanted = {
        "alarm": alarms,
        "gap": gaps,
        "change": changes,
        "attestation": programs,
        "table": tables,
    }
    if device is not None:
        listings = {f"--{kind}s": asked for kind, asked in wanted.items()}
        _verify_no_listing({**listings, "--round": number is not None, "--json": as_json})
        _release(place, device, by, why)
        return
    with reading(place) as db:
        for kind, row in _rows(db, number, [kind for kind, asked in wanted.items() if asked]):
            print(json.dumps({"list": kind} | row) if as_json else _LINES[kind](row))


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
    given = ", ".join(name for name, is_given in options.items() if is_given)
    if given:
        step = "release the table first, then list"
        raise ToolError("--release lists nothing", where=f"--release, beside {given}", step=step)


def _release(place: str, device: int, by: str, why: str) -> None:
    from tabletools.table.stops import release

    verify_text("--by", by, MOST_NAME, "a name")
    verify_text("--why", why, MOST_TEXT, "a reason")
    with existing(place) as store:
        release(store, device, by.strip(), why)
    print(f"table {device} released: {why}")


def _round_line(row: dict[str, Any]) -> str:
    if row["end"] is None:
        end = "running" if row["closed"] is None else "no more bets"
    elif row["end"] == "dice_result":
        end = _dice(row)
    elif (name := of_result(row["end"])) is not None:
        end = role(name).listed_as(row)
    else:
        end = f"void {row['code']} {row['reason']}"
    took = "" if row["took_ms"] is None else f", took {row['took_ms'] / 1000:.1f} s"
    when = row["ended"] or row["closed"] or row["opened"] or "time unknown"
    made = ""
    if row["made"] is not None:
        made = f", made {row['made'][11:]} +-{row['uncertainty_ms']:.0f} ms"
    trust = "settleable" if row["settleable"] else f"not to be settled ({_trust(row)})"
    place = f"table {row['device']}  round {row['round']:<6}"
    trace = ", trace kept" if row["trace_bytes"] else ""
    return f"{when}  {place} {end}{made}{took}, {trust}{trace}"


def _dice(row: dict[str, Any]) -> str:
    """Return the dice of a result and who read them."""
    dice = " ".join(map(str, row["dice"]))
    if row["read_by"] == "host":
        return f"{dice} (read by the host alone)"
    if not dice and row["second_reading"] is None:
        return "dice left to the host, which has not read them"
    return (dice or "dice left to the host") + _second(row["second_reading"])


def _second(found: dict[str, Any] | None) -> str:
    """Return what the host read in the picture of a throw."""
    if found is None:
        return " (read by the table alone)"
    return f" (host: {found['reason'] or ' '.join(map(str, found['dice']))})"


def _trust(row: dict[str, Any]) -> str:
    parts = [] if row["verdict"] == "believed" else [row["verdict"]]
    if row["authentication"] not in (None, "verified"):
        parts.append("not authenticated" if row["authentication"] == "none" else "tag unverified")
    return ", ".join(parts) or "void, in test mode, or the table is stopped"


def _record_line(row: dict[str, Any]) -> str:
    made = row["made"] or "time unknown"
    name = f"device {row['device']} boot {row['boot']} counter {row['counter']}"
    by = "" if row["key_number"] is None else f" by key {row['key_number']}"
    more = f"{name}, made {made}, {row['authentication']}{by}"
    text = decode.describe(row)
    return f"{row['received']}  {row['type']:<14} {text}\n    {more}\n    {row['raw']}"


def _configuration_line(row: dict[str, Any]) -> str:
    known = [f"{name} {value}" for name, value in row["values"].items() if value is not None]
    unknown = len(row["values"]) - len(known)
    more = f"; {unknown} not stored here" if unknown else ""
    return f"    table {row['device']} played by: {', '.join(known)}{more}"


def _change_line(row: dict[str, Any]) -> str:
    who = f" ({row['author']})" if row["author"] else ""
    text = f"{row['key']} = {row['value']}, was {row['previous']}, by {row['cause']}{who}"
    return f"{row['made'] or row['received']}  table {row['device']}  {text}"


def _alarm_line(row: dict[str, Any]) -> str:
    again = f", {row['repeats']} times again" if row["repeats"] else ""
    refused = f"\n    {row['raw']}" if row["raw"] else ""
    whose = "host" if row["device"] is None else f"table {row['device']}"
    return f"{row['at']}  {whose}  {row['kind']}: {row['text']}{again}{refused}"


def _attestation_line(row: dict[str, Any]) -> str:
    text = "no answer"
    if row["outcome"] != "no_answer":
        text = f"{row['outcome']}, release {row['reported']} reported, {row['files']} files"
    wanted = f"release {row['wanted']} ({row['version']}) wanted"
    return f"{row['at']}  table {row['device']} boot {row['boot']}  {wanted}: {text}"


def _gap_line(row: dict[str, Any]) -> str:
    state = "open" if row["closed"] is None else f"{row['closed_by']} {row['closed']}"
    span = f"{row['first']}..{row['last']}"
    return f"{row['seen']}  table {row['device']} boot {row['boot']}  counters {span}: {state}"


def _table_line(row: dict[str, Any]) -> str:
    bets = f"bets {'open' if row['bets_open'] else 'closed'} ({row['cause'] or 'no round yet'})"
    stop = f", STOPPED: {row['stopped']}" if row["stopped"] else ""
    return f"table {row['device']} boot {row['boot']}: {bets}{stop}"


def _step_line(row: dict[str, Any]) -> str:
    whose = "host clock" if row["device"] is None else f"table {row['device']}"
    return f"{row['at']}  {whose} stepped by {row['step_ms']} ms"


_LINES = {
    "round": _round_line,
    "record": _record_line,
    "configuration": _configuration_line,
    "alarm": _alarm_line,
    "change": _change_line,
    "attestation": _attestation_line,
    "gap": _gap_line,
    "table": _table_line,
    "step": _step_line,
}
