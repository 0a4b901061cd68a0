"""`tabletool evidence export` and `check`: rounds in a file that proves itself."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli.named import MOST_NUMBER
from tabletools.cli.open_database import explaining, reading
from tabletools.cli.progress import counted, working
from tabletools.cli.release import checked
from tabletools.cli.report import JsonOption, say
from tabletools.errors import UNSOUND, ToolError, cannot_write
from tabletools.terminal_text import printable

if TYPE_CHECKING:
    from tabletools.evidence_file.checking import Report
    from tabletools.evidence_file.writing import Signing, Wanted
    from tabletools.store import Connection

EXPORT = """\b
Examples:
  tabletool evidence export pit.ledger round-12.evidence --table "Roulette 1" --round 12
  tabletool evidence export pit.ledger night.evidence --table 1 --day 2026-11-21
"""
CHECK = """\b
Examples:
  tabletool evidence check round-12.evidence --key pit.ledger.checkpoint.pub
  tabletool evidence check round-12.evidence --json
"""
_DAY_NS = 24 * 3600 * 1_000_000_000
_MOST_PRINTED = 20


def export(
    place: Annotated[
        str, typer.Argument(metavar="DB", help="A file, or postgresql://USER@HOST/NAME.")
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    table: Annotated[
        str, typer.Option("--table", metavar="TABLE", help="Its name or number in the ledger.")
    ],
    number: Annotated[
        int | None,
        typer.Option("--round", min=1, max=MOST_NUMBER, metavar="N", help="As the table counts."),
    ] = None,
    day: Annotated[
        datetime | None,
        typer.Option("--day", formats=["%Y-%m-%d"], help="Rounds that opened that day (UTC)."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE", help="Private key [that of the checkpoints]."),
    ] = None,
    checkpoints: Annotated[
        Path | None,
        typer.Option("--checkpoints", metavar="FILE", help="Checkpoints [beside the ledger]."),
    ] = None,
    _json: JsonOption = False,
) -> None:
    """Write a round, or a day of a table, as one file that `evidence check` verifies by itself.

    In it: the frames as received, their sessions, the trace, the result, alarms, bets, meters of
    jackpots, settlements, rulings and adjustments with the signatures of their users, the entries
    of the chain that wrote them, and the signed checkpoints. Accounts are numbers: no name of a
    player is in it. Can run while the pit plays.
    """
    if (number is None) == (day is None):
        raise ToolError("name one round or one day", where="--round, --day", step="give one")
    if file.exists():
        what, step = "there is such a file already", "name another; it was left unchanged"
        raise ToolError(what, where=str(file), step=step)
    _write(place, file, (table, number, day), _signing(place, key, checkpoints))


def _write(
    place: str,
    file: Path,
    rounds: tuple[str, int | None, datetime | None],
    signing: "Signing",
) -> None:
    """Write the file of a round or day. rounds: table, number and day."""
    from tabletools.evidence_file import writing

    try:
        with reading(place) as db, explaining(place):
            wanted = _selection(db, *rounds)
            show = counted("read:", "rounds")
            written = writing.write(db, wanted, file, signing, time.time_ns(), show)
    except OSError as error:
        raise cannot_write("the file", error, file, "name a file in a folder you own") from error
    size = file.stat().st_size
    say(
        f"{file}: {written.rounds} rounds of {wanted.name}, {written.entries} entries of the"
        f" chain, {size:,} bytes",
        file=str(file),
        table=wanted.name,
        rounds=written.rounds,
        entries=written.entries,
        unsigned=written.unsigned,
        bytes=size,
    )
    if written.unsigned:
        say(
            f"{written.unsigned} entries are in no checkpoint with a tree: only this export signs"
            " them; a host signs those of the last minute with its next checkpoint"
        )


def _signing(place: str, key: Path | None, checkpoints: Path | None) -> "Signing":
    from tabletools import release
    from tabletools.evidence_file.writing import Signing
    from tabletools.pit.checkpoints import FILE, KEY
    from tabletools.pit.host_keys import beside

    with explaining(place):
        private, signed = key or beside(place, KEY), checkpoints or beside(place, FILE)
    if key is None and not private.exists():
        what = "no host has signed checkpoints of this ledger here"
        step = "name its key, or one of `tabletool release keygen`, with --key"
        raise ToolError(what, where=str(private), step=step)
    with checked(private):
        secret = release.read_private(private)
    if checkpoints is not None and not signed.exists():
        raise ToolError("there is no such file", where=str(signed), step="check the name")
    return Signing(secret, signed)


def _selection(db: "Connection", table: str, number: int | None, day: datetime | None) -> "Wanted":
    from tabletools.evidence_file import writing

    key, name = writing.find_table(db, table)
    if day is None:
        assert number is not None
        rounds, text = writing.round_of(db, key, number), None
    else:
        start_ns, text = int(day.replace(tzinfo=UTC).timestamp()) * 1_000_000_000, f"{day:%F}"
        rounds = writing.rounds_of_day(db, key, start_ns, start_ns + _DAY_NS)
    if not rounds:
        what = f"{name} has no round {number}" if day is None else f"{name} played nothing {text}"
        step = "list the rounds: `tabletool evidence DB`"
        raise ToolError(what, where="--round" if day is None else "--day", step=step)
    return writing.Wanted(key, name, rounds, text)


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Of `evidence export`.")],
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="Public key of the host.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Check an evidence file by itself: no database, no secret, no network.

    Verifies the signatures of the host and of users, that every row is one that its entry of the
    chain wrote, that the entries are in checkpoints, decodes every frame again, replays the
    traces and settles every bet again. Prints what is proved and what is not. Exit code 7 if the
    evidence does not hold.
    """
    from tabletools import release
    from tabletools.evidence_file import checking

    public = None
    if key is not None:
        with checked(key):
            public = release.read_public(key)
    with working("checking the evidence"):
        report = checking.check(file, public)
    if as_json:
        print(json.dumps({"holds": not report.problems, **report.facts()}))
    if report.problems:
        more = len(report.problems) - _MOST_PRINTED
        raise ToolError(
            f"the evidence does not hold: {len(report.problems)} problems",
            where=str(file),
            cause="the file was changed after the host wrote it, or it is of another host",
            step="keep it, and ask the host for the file again",
            exit_code=UNSOUND,
            details=[*report.problems[:_MOST_PRINTED], *([f"and {more} more"] * (more > 0))],
        )
    if not as_json:
        _print(report)


def _print(report: "Report") -> None:
    for each in report.rounds:
        outcome = "not settled" if each.outcome is None else json.dumps(each.outcome)
        print(
            f"round {each.round} of device {each.device}: {outcome}, {each.bets} bets,"
            f" {each.frames} frames"
        )
        for name, change in each.meters.items():
            print(
                printable(f"  meter {name}: {change.before_cents} cents before it,", keeps=""),
                f"{change.added_cents:+} by its settlement",
            )
        for alarm in each.alarms:
            state = "active" if alarm.normal_ns is None else "over"
            print(printable(f"  alarm {alarm.kind}: {alarm.text}; {state}", keeps=""))
    for name, texts in (("proved", report.proved), ("not proved", report.not_proved)):
        for text in texts:
            print(printable(f"{name}: {text}", keeps=""))
