"""`tabletool commission-tray`: measures a dice tray, so that its board can read the faces."""

from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.force import ForceOption
from tabletools.cli.report import JsonOption, say
from tabletools.dice.pictures import open_picture
from tabletools.errors import ToolError
from tabletools.private_file import keep, verify_free

EXAMPLES = """\b
Examples:
  tabletool commission-tray tray.0 --empty empty/ dice1.png dice2.png dice3.png
  tabletool commission-tray tray.0 --empty empty/ dice*.png --floor "10,12 150,12 150,118 10,118"
  tabletool commission-tray tray.0 --empty empty/ dice*.png --port /dev/ttyACM0
  tabletool commission-tray tray.1 --empty empty2/ more*.png --light 2 --port /dev/ttyACM0
"""
_SUFFIXES = (".png", ".pgm")
_WHOLE = "4,8 156,8 156,120 4,120"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("commission-tray", epilog=EXAMPLES)(command)


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The rig is written here.")],
    pictures: Annotated[
        list[Path], typer.Argument(metavar="PICTURE...", help="PNG or PGM pictures with dice.")
    ],
    empty: Annotated[
        Path,
        typer.Option("--empty", metavar="FOLDER", help="Pictures of the empty tray, 3 at least."),
    ],
    floor: Annotated[
        str, typer.Option("--floor", metavar="CORNERS", help="Of the floor, px of 160 x 120.")
    ] = _WHOLE,
    port: Annotated[
        str, typer.Option("--port", metavar="PORT", help="Also to the board at this prompt (USB).")
    ] = "",
    light: Annotated[
        int, typer.Option("--light", metavar="N", min=1, max=2, help="In whose light it is.")
    ] = 1,
    force: ForceOption = False,
    _json: JsonOption = False,
) -> None:
    """Measure a dice tray from pictures by its camera, so that its board can read the faces.

    `tabletool take-picture` fetches pictures of a table's camera. FOLDER has those of the empty
    tray in its light. The others show dice of the table, flat and apart, 18 in all, such as
    three in each of six pictures, some near each corner of the floor; a one and faces of four pips
    and more among them. Refused: dice under 18 px, blur, glare, too little contrast.

    Each picture with dice is read again with the rig, and its faces are printed: compare them.
    With --port the rig also goes onto a board at its MicroPython prompt, as `tray.0`, and the
    board restarts. A table with dice_reading 1 reads faces only with it (fault 722 without). One
    with two lights in turn (lights 3) is measured once in each, with lights 1 and 2: the rig in
    the second is `tray.1`.
    """
    from tabletools.dice.commission import FILES, commissioned, digest, floor_of, read_with

    verify_free(file, force=force)
    frames = [open_picture(path) for path in pictures]
    trays = [open_picture(path) for path in _files(empty)]
    data = commissioned(trays, frames, floor_of(_corners(floor)))
    for path, frame in zip(pictures, frames, strict=True):
        faces = read_with(data, frame, str(path))
        say(f"{path}: {', '.join(map(str, faces))}", picture=str(path), faces=list(faces))
    keep(file, data, force=force)
    mark = f"{digest(data):08x}"
    say(f"# {file}: {len(data)} bytes, digest {mark}", file=str(file), digest=mark)
    if port:
        _copy(port, FILES[light - 1], data)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        step = "give the folder of the pictures of the empty tray"
        raise ToolError(f"{folder} is not a folder", where="--empty", step=step)
    return sorted(each for each in folder.iterdir() if each.suffix.lower() in _SUFFIXES)


def _corners(text: str) -> list[tuple[int, int]]:
    try:
        pairs = [tuple(map(int, pair.split(","))) for pair in text.split()]
        return [(x, y) for x, y in pairs]
    except ValueError as error:
        step = f'list the corners in order, such as "{_WHOLE}"'
        raise ToolError(f"{text!r} is no list of corners", where="--floor", step=step) from error


def _copy(port: str, name: str, data: bytes) -> None:
    from tabletools import flash

    path = f"/flash/{name}"
    with flash.opened(port) as prompt:
        prompt.doing = f"writing {path}"
        prompt.write(path, data)
        prompt.restart()
    say(f"# {port}: {name} written, the board restarts", port=port, written=name)
