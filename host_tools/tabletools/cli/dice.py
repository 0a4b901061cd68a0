"""`tabletool dice`: which faces are on top in picture files."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from tabletools.configuration import assignment, shown
from tabletools.dice import (
    Reference,
    Verdict,
    calibrated,
    of_pictures,
    open_grey,
    open_picture,
    read_frame,
    read_picture,
)
from tabletools.dice.reference import LEAST_PICTURES
from tabletools.errors import USER, ToolError

EXAMPLES = """\b
Examples:
  tabletool dice throw.png
  tabletool dice --expect 2 *.pgm
  tabletool dice --reference empty.png throw.jpg
  tabletool dice --rig night/ night/*.png
  tabletool dice --calibrate empty.png
"""
SUFFIXES = (".png", ".jpg", ".jpeg", ".pgm")

References = dict[tuple[int, ...], Reference]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("dice", epilog=EXAMPLES)(command)


def command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="PNG, JPEG or PGM pictures.")
    ],
    expect: Annotated[
        int, typer.Option(min=0, max=30, help="Dice the table has; 0 when not known.")
    ] = 0,
    reference: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Picture of the empty tray, by the same camera."),
    ] = None,
    rig: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Pictures of one fixed rig: the empty tray is their median."
        ),
    ] = None,
    device: Annotated[
        bool, typer.Option("--device", help="Read by the device's logic alone.")
    ] = False,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help="Find wall, mark and line in a picture of an empty tray."
        ),
    ] = False,
) -> None:
    """Read dice in pictures: one JSON line each, the faces or the reason for a refusal.

    A face counts only when two readers agree on it: a network, and the geometry of the pips. With
    --reference or --rig whatever differs from the empty tray has to be explained by dice; the
    field "reference" reports whether that was done. A folder needs at least 5 pictures of a size.

    With --calibrate the one FILE is a frame of the empty tray with a strip of paper on the dice
    line; the output is the three lines of the table's configuration, for `tabletool config set`.
    A file that cannot be read is reported on standard error and by a JSON line with the reason
    "damaged", and ends the command with exit code 1 after the others have been read.
    """
    if calibrate:
        _calibrate(files)
        return
    references = _references(reference, rig)
    failed = False
    for path in files:
        try:
            verdict = _read(path, expect, references, device=device)
            error = None
        except ToolError as refused:
            failed, error = True, refused
            verdict = Verdict([], "damaged", False)
            print("\n".join(refused.lines()), file=sys.stderr)
        record: dict[str, object] = {
            "file": str(path),
            "dice": verdict.dice,
            "accepted": verdict.accepted,
            "reason": verdict.reason,
            "reader": "device" if device else "host",
            "reference": verdict.referred,
        }
        if error:
            record["error"] = error.what
        typer.echo(json.dumps(record))
    if failed:
        raise typer.Exit(USER)


def _read(path: Path, expect: int, references: References, *, device: bool) -> Verdict:
    if device:
        return read_frame(open_picture(path), expect)
    picture = open_grey(path)
    return read_picture(picture, expect, references.get(picture.shape))


def _references(reference: Path | None, rig: Path | None) -> References:
    """Return the empty tray by the size of its picture. Raises ToolError."""
    if reference and rig:
        raise ToolError(
            "two empty trays", where="--reference and --rig", limit="1", step="give one of them"
        )
    if reference:
        empty = open_grey(reference)
        return {empty.shape: Reference(empty)}
    if not rig:
        return {}
    if not rig.is_dir():
        raise ToolError(f"{rig} is not a folder", step="give the folder of the rig's pictures")
    names = sorted(each for each in rig.iterdir() if each.suffix.lower() in SUFFIXES)
    pictures = []
    for name in names:
        try:
            pictures.append(open_grey(name))
        except ToolError as error:
            print("\n".join(error.lines()), file=sys.stderr)
    found = of_pictures(pictures)
    if not found:
        print(
            f"tabletool: warning: {rig} has no {LEAST_PICTURES} pictures of one size:"
            " read without a reference",
            file=sys.stderr,
        )
    return found


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
