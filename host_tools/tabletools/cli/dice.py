"""`tabletool dice`: which faces are on top in picture files, read as the dice tray reads them."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from tabletools.dice import open_picture, read_frame
from tabletools.errors import USER, ToolError

EXAMPLES = """\b
Examples:
  tabletool dice throw.png
  tabletool dice --expect 2 *.pgm
"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("dice", epilog=EXAMPLES)(command)


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="PNG or PGM pictures.")],
    expect: Annotated[
        int, typer.Option(min=0, max=30, help="Dice the table has; 0 when not known.")
    ] = 0,
) -> None:
    """Read dice in pictures: one JSON line each, the faces or the reason for a refusal.

    A file that cannot be read is named on standard error and ends the command with exit code 1,
    after the others have been read.
    """
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
