"""`tabletool take-picture`: a frame of a dice tray's camera, fetched into a file."""

from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.confirm import confirm
from tabletools.cli.force import ForceOption
from tabletools.cli.report import JsonOption, say
from tabletools.cli.table_client import KeysOption, PortArgument, connected_client
from tabletools.private_file import keep, verify_free

EXAMPLES = """\b
Examples:
  tabletool take-picture /dev/ttyACM0 empty/1.png
  tabletool take-picture socket://127.0.0.1:4001 dice1.png --yes
"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("take-picture", epilog=EXAMPLES)(command)


def command(
    port: PortArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The PNG file to write.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    force: ForceOption = False,
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Save what the camera of a dice tray sees, for `commission-tray` or `dice`.

    It opens maintenance, which voids an open round, and closes it again. A frame of 160 x 120 px
    takes 3 to 17 s on the line, one of 320 x 240 four times that.
    """
    from tabletools.cli.diag import asking, dice_pictures
    from tabletools.dice.pictures import png

    verify_free(file, force=force)
    if not yes:
        confirm("Open the table for maintenance? An open round is void.")
    with connected_client(port, keys) as client, asking.in_maintenance(client):
        frame = dice_pictures.frame(client)
    keep(file, png(frame), force=force)
    size = {"width_px": frame.width, "height_px": frame.height}
    say(f"# {file}: {frame.width} x {frame.height} px", file=str(file), **size)
