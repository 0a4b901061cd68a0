"""`tabletool dice`: reads the faces of dice in picture files; calibrates a tray."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli import dice_calibrate
from tabletools.cli.command_group import DefaultGroup
from tabletools.cli.force import ForceOption
from tabletools.configuration import assignment, line_of
from tabletools.dice import MOVED, Frame, Verdict, calibrated, open_picture
from tabletools.dice.pictures import FINE, LARGEST
from tabletools.dice.reading import read_frame, tray_of
from tabletools.dice.thresholds import LEAST_PICTURES
from tabletools.errors import USER, ToolError
from tabletools.private_file import NewFile

if TYPE_CHECKING:
    from tabletools.dice.overhead.host_tray import HostTray
    from tabletools.dice.reading import Rig as Tray
    from tabletools.dice.reference import Reference
    from tabletools.dice.second_camera import SecondCamera

EXAMPLES = """\b
Examples:
  tabletool dice throw.png
  tabletool dice --expect 2 *.pgm
  tabletool dice --reference empty.png throw.jpg
  tabletool dice --rig night/ night/*.png
  tabletool dice --tray tray.0 throw.png
  tabletool dice --calibrated tray.png --throw frame1.png frame2.png frame3.png
  tabletool dice --throw frame1.png frame2.png frame3.png
  tabletool dice --calibrate-second camera.json --edge 0.8 board.png board_aside.png
  tabletool dice --second camera.json throw.png throw_aside.png
  tabletool dice --calibrate empty.png
"""
SUFFIXES = (".png", ".jpg", ".jpeg", ".pgm")


References = dict[tuple[int, ...], "Reference"]
Size = tuple[int, int]


@dataclass(frozen=True)
class _How:
    """How pictures are read. trays: the empty ones of pictures reduced to this size at most.

    tray: commissioned, of the table that reads; None: the host reads. calibrated: the tray of the
    host's own camera.
    """

    expect: int
    trays: Callable[[Size], References]
    tray: Tray | None
    camera: SecondCamera | None
    calibrated: HostTray | None

    def empty_tray(self, largest: Size, frame: Frame) -> Reference | None:
        """Return the empty tray of a frame, which was reduced to this size at most."""
        return self.trays(largest).get((frame.height, frame.width))


Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="PNG, JPEG or PGM pictures.")]
_EXPECT_HELP = """Dice the table has; any other number of them is "count_wrong". 0: not known,
so one below another may be missed."""
Expect = Annotated[int, typer.Option(min=0, max=30, help=_EXPECT_HELP)]
Empty = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Picture of the empty tray, by the same camera."),
]
Rig = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Pictures of one fixed rig: their median is the empty tray."
    ),
]
Commissioned = Annotated[
    Path | None,
    typer.Option(
        "--tray", metavar="FILE", help="Of `commission-tray`: read exactly as its table does."
    ),
]
Calibrated = Annotated[
    Path | None,
    typer.Option(
        "--calibrated", metavar="FILE", help="Of `dice calibrate`: read as the host's camera does."
    ),
]
Second = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Second camera: FILEs are pairs, each throw from above, then from the side.",
    ),
]
OneThrow = Annotated[
    bool, typer.Option("--throw", help="The FILEs are frames of one throw: one verdict.")
]
CalibrateSecond = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write this file from pictures of a chessboard: from above, then from the side.",
    ),
]
Edge = Annotated[
    float, typer.Option(min=0.1, max=10, help="Edge of a die in squares of that board.")
]
Calibrate = Annotated[
    bool,
    typer.Option("--calibrate", help="Find wall, mark and line in a picture of an empty tray."),
]


class ReadFirst(DefaultGroup):
    """`dice FILE...` is `dice read FILE...`."""

    default = "read"


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(cls=ReadFirst, help=_group.__doc__)
    group.callback()(_group)
    group.command(ReadFirst.default, epilog=EXAMPLES)(command)
    group.command("calibrate", epilog=dice_calibrate.EXAMPLES)(dice_calibrate.command)
    app.add_typer(group, name="dice", epilog=EXAMPLES)


def _group() -> None:
    """Read the faces of dice in pictures; calibrate a tray for the host's own camera.

    `dice FILE...` is short for `dice read FILE...`.
    """


def command(
    files: Files,
    expect: Expect = 0,
    reference: Empty = None,
    rig: Rig = None,
    tray: Commissioned = None,
    calibrated: Calibrated = None,
    throw: OneThrow = False,
    second: Second = None,
    calibrate: Calibrate = False,
    calibrate_second: CalibrateSecond = None,
    edge: Edge = 1.0,
    force: ForceOption = False,
) -> None:
    """Read dice in pictures: one JSON line each, the faces or the reason for a refusal.

    With --reference or --rig only what differs from the empty tray is looked at, so walls, rims
    and print do not matter; the field "reference" reports whether that was possible. A picture of
    its size that shows another tray is refused ("not_this_tray"). A rig needs at least 5 pictures
    of one size. Two different methods have to read a face. "counted": --expect says how many.

    With --tray pictures are read as a table with dice_reading 1 does, with its commissioned tray;
    with --calibrated as those of the host's own camera ("camera_moved" is a reason then). The host
    reads in grey, at 400 x 300 px at most. Red, green and blue help where a face stays in doubt;
    what they alone show is a "foreign_object" (of an empty tray in colour, too). Small dice, or
    none, are read at 800 x 600 px; other faces are then "ambiguous". With --throw the files are
    frames of one throw, aligned and averaged, and one line has the verdict on all of them; the
    reason "moved" means that something moved in between.

    With --second the camera at the side has to see every die lying flat, or the reason is "cocked"
    or "not_in_second_picture"; "leans_degrees" has a figure for each die, null for one not seen.
    FILE comes from --calibrate-second: give pictures of a printed board (9 x 6 squares) on the
    floor by the first and the second camera; more by the second measure its lens better.

    With --calibrate the single FILE is a frame of the empty tray with a strip of paper on the dice
    line; the output is three lines for `tabletool config set`. A file that cannot be read gets a
    message, a JSON line ("damaged") and, in the end, code 1.
    """
    if calibrate:
        _calibrate(files)
        return
    if calibrate_second:
        _calibrate_second(calibrate_second, files, edge, force=force)
        return
    trays = cache(partial(_references, reference, rig))
    how = _how(expect, files, trays, tray, calibrated, second, throw=throw)
    size = len(files) if throw else 2 if second else 1
    records = [_record(files[start : start + size], how) for start in range(0, len(files), size)]
    if any("error" in record for record in records):
        raise typer.Exit(USER)


def _how(
    expect: int,
    files: list[Path],
    trays: Callable[[Size], References],
    tray: Path | None,
    calibrated: Path | None,
    second: Path | None,
    *,
    throw: bool,
) -> _How:
    """Return how pictures are read by the options. Raises ToolError if they contradict."""
    references = trays(LARGEST)
    step = "leave one of them out"
    if tray and references:
        what = "a commissioned tray has its own picture of the empty one"
        raise ToolError(what, where="--tray", step=step)
    if calibrated and (tray or references or second):
        what = "a calibrated tray has its own picture of the empty one"
        raise ToolError(what, where="--calibrated", step=step)
    if tray and second:
        raise ToolError("a table has one camera", where="--tray and --second", step=step)
    if throw and second:
        what = "frames of one throw are read without a second picture"
        raise ToolError(what, where="--throw and --second", step=step)
    if second and len(files) % 2:
        what = f"{len(files)} pictures do not form pairs"
        step = "give each throw from above, then from the side"
        raise ToolError(what, where="--second", limit="2 of each throw", step=step)
    return _How(expect, trays, _tray(tray), _second_camera(second), _calibrated_tray(calibrated))


def _record(files: list[Path], how: _How) -> dict[str, object]:
    """Read a throw, print its line and return it; one that cannot be read has an error."""
    error = {}
    try:
        verdict = _read(files, how)
    except ToolError as refused:
        verdict, error = Verdict([], "damaged"), {"error": refused.what}
        print("\n".join(refused.lines()), file=sys.stderr)
    record: dict[str, object] = {
        **_names(files, how),
        "dice": verdict.dice,
        "accepted": verdict.accepted,
        "reason": verdict.reason,
        "reader": "table" if how.tray else "host",
        "reference": verdict.referred,
        "counted": how.expect > 0,
        **error,
    }
    if how.camera:
        leans = [None if lean is None else round(lean) for lean in verdict.leans]
        record["leans_degrees"] = leans
    typer.echo(json.dumps(record))
    return record


def _names(files: list[Path], how: _How) -> dict[str, object]:
    if len(files) == 1:
        return {"file": str(files[0])}
    if how.camera:
        return {"file": str(files[0]), "second": str(files[1])}
    return {"files": [*map(str, files)]}


def _read(files: list[Path], how: _How) -> Verdict:
    if how.calibrated:
        return _read_calibrated(files, how.calibrated, how.expect)
    frame = _frame(files, how, LARGEST)
    if frame is None:
        return Verdict([], MOVED)
    if how.tray:
        return read_frame(how.tray, frame, how.expect)
    from tabletools.dice.host_reading import agreed, aside_of, is_too_small, read_picture
    from tabletools.dice.second_camera import open_aside

    reference = how.empty_tray(LARGEST, frame)
    if how.camera:
        size = frame.width, frame.height
        aside = aside_of(how.camera, size, open_aside(files[1]), frame.height)
        return read_picture(frame, how.expect, reference, aside)
    verdict = read_picture(frame, how.expect, reference)
    if not is_too_small(verdict):
        return verdict
    fine = _frame(files, how, FINE)
    if fine is None:
        return Verdict([], MOVED)
    finer = how.empty_tray(FINE, fine) if reference else None
    if fine.width == frame.width or (reference and not finer):
        return verdict
    return agreed(verdict, read_picture(fine, how.expect, finer))


def _read_calibrated(files: list[Path], tray: HostTray, expect: int) -> Verdict:
    from tabletools.dice.overhead.throw import read_greys
    from tabletools.dice.overhead.troubles import CameraTrouble
    from tabletools.dice.reference import pixels

    greys = [pixels(open_picture(path, tray.size)) for path in files]
    for path, grey in zip(files, greys, strict=True):
        if grey.shape != tray.empty.shape:
            what = f"{path} is {grey.shape[1]} x {grey.shape[0]} px"
            limit = f"{tray.size[0]} x {tray.size[1]}, as calibrated"
            raise ToolError(what, limit=limit, step="give a picture of the camera as it was set")
    try:
        return read_greys(tray, greys, expect).verdict
    except CameraTrouble as trouble:
        return Verdict([], trouble.code)


def _frame(files: list[Path], how: _How, largest: Size) -> Frame | None:
    """Return a throw as the first camera has it, None if something moved between its frames."""
    frames = [open_picture(path, largest) for path in (files[:1] if how.camera else files)]
    if len(frames) == 1:
        return frames[0]
    from tabletools.dice.one_throw import average

    return average(frames)


def _tray(path: Path | None) -> Tray | None:
    if path is None:
        return None
    try:
        data = path.read_bytes()
    except OSError as error:
        what = f"cannot read the file of the tray: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(path), step="check the name") from error
    return tray_of(data, str(path))


def _calibrated_tray(path: Path | None) -> HostTray | None:
    if path is None:
        return None
    from tabletools.dice.overhead.host_camera import camera_of

    return camera_of("", path).tray


def _second_camera(path: Path | None) -> SecondCamera | None:
    if path is None:
        return None
    from tabletools.dice.second_camera import read

    return read(path)


def _calibrate_second(path: Path, files: list[Path], edge: float, *, force: bool) -> None:
    from tabletools.dice.reference import pixels
    from tabletools.dice.second_camera import calibrated, file_text, open_aside

    if len(files) < 2:
        what, step = f"{len(files)} picture", "give the board from above, then from the side"
        raise ToolError(what, where="--calibrate-second", limit="at least 2", step=step)
    with NewFile(path, force=force) as file:
        seconds = [open_aside(each).mean(-1).astype("uint8") for each in files[1:]]
        camera = calibrated(pixels(open_picture(files[0])), seconds, edge)
        file.write(file_text(camera))
    typer.echo(f"# {path}: the second camera is {camera.place()[2]:.1f} edges above the floor")


def _references(reference: Path | None, rig: Path | None, largest: Size) -> References:
    """Return the empty tray by the size of its picture, reduced. Raises ToolError."""
    if reference and rig:
        raise ToolError(
            "the empty tray is given twice",
            where="--reference and --rig",
            limit="1",
            step="give one of them",
        )
    if reference:
        from tabletools.dice.reference import Reference

        empty = Reference.from_frame(open_picture(reference, largest))
        return {empty.grey.shape: empty}
    return _of_rig(rig, largest) if rig else {}


def _of_rig(rig: Path, largest: Size) -> References:
    """Return the empty trays of the pictures in a folder. Raises ToolError."""
    from tabletools.dice.tray_rig import empty_trays

    if not rig.is_dir():
        raise ToolError(
            f"{rig} is not a folder", where="--rig", step="give the folder of the rig's pictures"
        )
    names = sorted(each for each in rig.iterdir() if each.suffix.lower() in SUFFIXES)
    pictures = []
    for name in names:
        try:
            pictures.append(open_picture(name, largest))
        except ToolError as error:
            if largest == LARGEST:  # once
                print("\n".join(error.lines()), file=sys.stderr)
    trays = empty_trays(pictures)
    if not trays:
        print(
            f"tabletool: warning: {rig} has fewer than {LEAST_PICTURES} pictures of one size:"
            " no empty tray is known",
            file=sys.stderr,
        )
    return trays


def _calibrate(files: list[Path]) -> None:
    if len(files) != 1:
        raise ToolError(
            f"{len(files)} pictures to calibrate with", where="--calibrate", limit="1 picture"
        )
    places = calibrated(str(files[0]), open_picture(files[0]))
    pairs = [f"{name}={value}" for name, value in places.items()]
    for pair in pairs:
        key, value = assignment(pair)
        typer.echo(line_of(key, value))
    typer.echo(f"# or: tabletool config set PORT {' '.join(pairs)}")
