"""`tabletool ledger`: is a ledger sound, its backup, its restoration."""

from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.database import explained, reading
from tabletools.errors import ToolError

VERIFY = """\b
Examples:
  tabletool ledger verify pit.ledger
  tabletool ledger verify postgresql://pit@db.example/pit
"""
BACKUP = """\b
Examples:
  tabletool ledger backup pit.ledger pit-2026-11-21.backup
"""
RESTORE = """\b
Examples:
  tabletool ledger restore pit-2026-11-21.backup pit.ledger
"""
# Problems shown of a ledger that is not sound.
_SHOWN = 20
_Place = Annotated[
    str, typer.Argument(metavar="DB", help="A file, or postgresql://USER@HOST/NAME.")
]
_File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup.")]

ledger = typer.Typer(
    help="Verify, back up and restore the ledger of a pit.", rich_markup_mode=None
)


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.add_typer(ledger, name="ledger", epilog=VERIFY)


def _verify(place: str) -> None:
    """Print what a ledger holds and that it is sound. Raises ToolError."""
    from tabletools.money.verify import check

    with reading(place) as db:
        report = check(db)
    print(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items()))
    if not report.is_sound:
        raise ToolError(
            f"{len(report.problems)} things do not hold",
            where=place,
            cause="somebody wrote to the database past tabletool, or its disk failed",
            step="stop the pit, keep the database for the auditor, restore the last sound backup",
            details=report.problems[:_SHOWN],
        )
    print("sound: balances, settlements, evidence and audit log hold")


@ledger.command("verify", epilog=VERIFY)
def verify(place: _Place) -> None:
    """Derive every balance and every settlement again; exit code 1 when something does not hold.

    Reads while the pit plays: it sees one state of the ledger.
    """
    _verify(place)


@ledger.command("backup", epilog=BACKUP)
def backup(place: _Place, file: _File) -> None:
    """Write one state of the ledger to a new file, while the pit plays."""
    from tabletools.store import backup as copies

    with explained(place):
        copies.backup(place, file)
    print(f"backup of {place} in {file}")


@ledger.command("restore", epilog=RESTORE)
def restore(file: _File, place: _Place) -> None:
    """Make a ledger of a backup, in a new file or an empty database of PostgreSQL; verify it."""
    from tabletools.store import backup as copies

    with explained(place):
        copies.restore(file, place)
    print(f"ledger {place} made of {file}")
    _verify(place)
