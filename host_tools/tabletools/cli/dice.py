"""`tabletool dice`: reads the faces of dice in picture files."""

import enum
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.configuration import assignment, shown
from tabletools.dice import Verdict, calibrated, open_picture, read_frame
from tabletools.dice.thresholds import LEAST_PICTURES
from tabletools.errors import USER, ToolError

if TYPE_CHECKING:
    from tabletools.dice.reference import Reference

EXAMPLES = """\b
Examples:
  tabletool dice throw.png
  tabletool dice --expect 2 *.pgm
  tabletool dice --reference empty.png throw.jpg
  tabletool dice --rig night/ night/*.png
  tabletool dice --by device throw.png
  tabletool dice --calibrate empty.png
"""
SUFFIXES = (".png", ".jpg", ".jpeg", ".pgm")


class By(enum.StrEnum):
    """The reader of a picture."""

    HOST = "host"
    DEVICE = "device"


References = dict[tuple[int, ...], "Reference"]

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="PNG, JPEG or PGM pictures.")]
Expect = Annotated[int, typer.Option(min=0, max=30, help="Dice the table has; 0 when not known.")]
Empty = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Picture of the empty tray, by the same camera."),
]
Rig = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Pictures of one fixed rig: the empty tray is their median."
    ),
]
Reading = Annotated[
    By | None,
    typer.Option(
        help="device: exactly as a table reads; host: with all the host has.",
        show_default="host with an empty tray, else device",
    ),
]
Calibrate = Annotated[
    bool,
    typer.Option("--calibrate", help="Find wall, mark and line in a picture of an empty tray."),
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("dice", epilog=EXAMPLES)(command)


def command(
    files: Files,
    expect: Expect = 0,
    reference: Empty = None,
    rig: Rig = None,
    by: Reading = None,
    calibrate: Calibrate = False,
) -> None:
    """Read dice in pictures: one JSON line each, the faces or the reason for a refusal.

    With --reference or --rig only what differs from the empty tray is looked at, so walls, rims
    and print do not matter; the field "reference" reports whether that was possible. A rig needs
    at least 5 pictures of a size. The host reads a picture in one look, and in four turns
    when in doubt; it wants two unlike readings of each face.

    With --calibrate the single FILE is a frame of the empty tray with a strip of paper on the dice
    line; the output is the three lines of the table's configuration, for `tabletool config set`.
    A file that cannot be read is reported on standard error and by a JSON line with the reason
    "damaged", and ends the command with exit code 1 after the others have been read.
    """
    if calibrate:
        _calibrate(files)
        return
    references = _references(reference, rig)
    if by == By.DEVICE and references:
        raise ToolError(
            "a table reads without an empty tray",
            where="--by device",
            step="leave one of them out",
        )
    by = by or (By.HOST if references else By.DEVICE)
    records = [_record(path, expect, references, by) for path in files]
    if any("error" in record for record in records):
        raise typer.Exit(USER)


def _record(path: Path, expect: int, references: References, by: By) -> dict[str, object]:
    """Read a file, print its line and return it; a file that cannot be read has an error."""
    error = {}
    try:
        verdict = _read(path, expect, references, by)
    except ToolError as refused:
        verdict, error = Verdict([], "damaged"), {"error": refused.what}
        print("\n".join(refused.lines()), file=sys.stderr)
    record: dict[str, object] = {
        "file": str(path),
        "dice": verdict.dice,
        "accepted": verdict.accepted,
        "reason": verdict.reason,
        "reader": str(by),
        "reference": verdict.referred,
        **error,
    }
    typer.echo(json.dumps(record))
    return record


def _read(path: Path, expect: int, references: References, by: By) -> Verdict:
    frame = open_picture(path)
    if by == By.DEVICE:
        return read_frame(frame, expect)
    from tabletools.dice.host_reading import read_picture

    return read_picture(frame, expect, references.get((frame.height, frame.width)))


def _references(reference: Path | None, rig: Path | None) -> References:
    """Return the empty tray by the size of its picture. Raises ToolError."""
    if reference and rig:
        raise ToolError(
            "the empty tray is given twice",
            where="--reference and --rig",
            limit="1",
            step="give one of them",
        )
    if reference:
        from tabletools.dice.reference import Reference, pixels

        empty = pixels(open_picture(reference))
        return {empty.shape: Reference(empty)}
    return _of_rig(rig) if rig else {}


def _of_rig(rig: Path) -> References:
    """Return the medians of the pictures in a folder. Raises ToolError."""
    from tabletools.dice.reference import of_pictures, pixels

    if not rig.is_dir():
        raise ToolError(
            f"{rig} is not a folder", where="--rig", step="give the folder of the rig's pictures"
        )
    names = sorted(each for each in rig.iterdir() if each.suffix.lower() in SUFFIXES)
    pictures = []
    for name in names:
        try:
            pictures.append(pixels(open_picture(name)))
        except ToolError as error:
            print("\n".join(error.lines()), file=sys.stderr)
    found = of_pictures(pictures)
    if not found:
        print(
            f"tabletool: warning: {rig} has fewer than {LEAST_PICTURES} pictures of one size:"
            " no empty tray is known",
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
