"""`tabletool ledger archive` and `check-archive`: a month as signed Parquet that proves itself."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli.open_database import explaining, place_text, reading
from tabletools.cli.release import checked
from tabletools.cli.report import JsonOption, say
from tabletools.errors import UNSOUND, ToolError, cannot_write

if TYPE_CHECKING:
    from tabletools.archive.writing import Written

EXAMPLES = """\b
Examples:
  tabletool ledger archive pit.ledger 2026-10 pit-2026-10
  tabletool ledger archive postgresql://pit@db.example/pit 2026-10 pit-2026-10 --key house.key
"""
CHECK_EXAMPLES = """\b
Examples:
  tabletool ledger check-archive pit-2026-10 --public house.pub
  tabletool ledger check-archive pit-2026-09 pit-2026-10 pit-2026-11 --public house.pub
"""
_MOST_PRINTED = 20


def command(
    place: Annotated[
        str, typer.Argument(metavar="DB", help="A file, or postgresql://USER@HOST/NAME.")
    ],
    month: Annotated[str, typer.Argument(metavar="MONTH", help="YYYY-MM, of UTC.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Made for the archive.")],
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE", help="Private key [that of the checkpoints]."),
    ] = None,
    _json: JsonOption = False,
) -> None:
    """Write a month of a ledger as Parquet files with a signed manifest.

    Each row is proved by its entry of the chain, the entries by their digests, and the whole by
    the signature: `check-archive` needs no database. The rows stay in the ledger. Names, password
    hashes, PINs and sessions of users are left out, and so are events for other systems.
    """
    from tabletools import release
    from tabletools.archive import writing
    from tabletools.pit.checkpoints import KEY
    from tabletools.pit.host_keys import beside

    try:
        wanted = writing.Month.of(month)
    except ValueError:
        step = "write it as YYYY-MM, such as 2026-10"
        raise ToolError(f"{month} is not a month", where="MONTH", step=step) from None
    writing.libraries()
    with explaining(place):
        file = key or beside(place, KEY)
    if key is None and not file.exists():
        what = "no host has signed checkpoints of this ledger here"
        step = "name its key, or one of `tabletool release keygen`, with --key"
        raise ToolError(what, where=str(file), step=step)
    with checked(file):
        signing = release.read_private(file)
    try:
        with reading(place) as db, explaining(place):
            written = writing.write(db, wanted, folder, signing, time.time_ns())
    except OSError as error:
        raise cannot_write("the archive", error, folder, "name a folder in one you own") from error
    _say_written(f"{wanted.name} of {place_text(place)} in {folder}", written)


def _say_written(what: str, written: "Written") -> None:
    text = f"{what}: entries {written.first} to {written.last} of the chain, {written.rows} rows"
    say(text, **written._asdict())
    if written.changed_later:
        say(f"{written.changed_later} rows changed later: the archive of that month has them")


def check_command(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", help="Archives, in their order.")
    ],
    public: Annotated[
        Path | None, typer.Option("--public", metavar="FILE", help="Public key of their signer.")
    ] = None,
    _json: JsonOption = False,
) -> None:
    """Check archives without the database: signature, chain, every row, and that none is missing.

    Exit code 7 when something was changed. Several archives have to follow each other.
    """
    from tabletools import release
    from tabletools.archive import checking

    key = None
    if public is not None:
        with checked(public):
            key = release.read_public(public)
    archives = [checking.opened(folder, key) for folder in folders]
    wrong = list(checking.follow(archives))
    for each in archives:
        wrong += [f"{each.folder.name}: {problem}" for problem in checking.problems(each)]
        month = each.manifest
        rows = sum(file.rows for name, file in month.files.items() if name != "chain")
        span = {"month": month.month, "first": month.first, "last": month.last}
        text = f"{month.month}: entries {month.first} to {month.last}, {rows} rows"
        say(text, **span, rows=rows)
    if wrong:
        more = len(wrong) - _MOST_PRINTED
        raise ToolError(
            f"{len(wrong)} problems",
            where=", ".join(map(str, folders)),
            cause="files were changed, or archives are missing between them",
            step="keep them for the auditor, and archive the month again",
            exit_code=UNSOUND,
            details=[*wrong[:_MOST_PRINTED], *([f"and {more} more"] if more > 0 else [])],
        )
    text = "sound: signature, chain and every row are consistent"
    say(text, sound=True, signer_is_proved=key is not None)
    if key is None:
        say("not proved without --public: who signed it")
