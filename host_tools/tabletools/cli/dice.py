"""`tabletool dice`: which faces are on top in picture files, read as the dice tray reads them."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from tabletools.configuration import assignment, shown
from tabletools.dice import calibrated, open_picture, read_frame
from tabletools.errors import USER, ToolError

EXAMPLES = """\b
Examples:
  tabletool dice throw.png
  tabletool dice --expect 2 *.pgm
  tabletool dice --calibrate empty.png
"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("dice", epilog=EXAMPLES)(command)


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="PNG or PGM pictures.")],
    expect: Annotated[
        int, typer.Option(min=0, max=30, help="Dice the table has; 0 when not known.")
    ] = 0,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help="Find wall, mark and line in a picture of an empty tray."
        ),
    ] = False,
) -> None:
    """Read dice in pictures: one JSON line each, the faces or the reason for a refusal.

    With --calibrate the single FILE is a frame of the empty tray with a strip of paper on the dice
    line; the output is the three lines of the table's configuration, for `tabletool config set`. A
    file that cannot be read is named on standard error and ends the command with exit code 1,
    after the others have been read.
    """
    if calibrate:
        _calibrate(files)
        return
    failed = False
    for path in files:
        try:
            record = read_frame(path, open_picture(path), expect)
        except ToolError as error:
            failed = True
            print("\n".join(error.lines()), file=sys.stderr)
        else:
            typer.echo(json.dumps(record))
    if failed:
        raise typer.Exit(USER)


def _calibrate(files: list[Path]) -> None:
    if len(files) != 1:
        raise ToolError(
            f"{len(files)} pictures to calibrate with", where="--calibrate", limit="1 picture"
        )
    found = calibrated(str(files[0]), open_picture(files[0]))
    pairs = [f"{name}={value}" for name, value in found.items()]
    for pair in pairs:
        key, value = assignment(pair)
        typer.echo(shown(key, value))
    typer.echo(f"# or: tabletool config set PORT {' '.join(pairs)}")
