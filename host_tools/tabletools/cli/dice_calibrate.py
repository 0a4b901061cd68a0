"""`tabletool dice calibrate`: measures a tray for the host's own camera above it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli.force import ForceOption
from tabletools.cli.report import JsonOption, say
from tabletools.errors import ToolError
from tabletools.private_file import keep, verify_free

if TYPE_CHECKING:
    from tabletools.dice.overhead.calibration import Calibration
    from tabletools.dice.overhead.floor import Polygon
    from tabletools.dice.overhead.host_tray import HostTray
    from tabletools.dice.picture_patches import Grey

EXAMPLES = """\b
Examples:
  tabletool dice calibrate tray.png --camera 0 --apart 2.5
  tabletool dice calibrate tray.png --camera rtsp://10.0.0.7/tray --size 1280x720
  tabletool dice calibrate tray.png --empty empty/ corners1.png corners2.png
  tabletool dice calibrate tray.png --empty empty/ corners.png --floor "40,30 600,30 600,450 9,450"
"""
_SUFFIXES = (".png", ".jpg", ".jpeg", ".pgm")
_FARTHEST_EDGES = 200
"""Between two lenses above one tray: 3.2 m with dice of 16 mm. More was measured in mm."""
_WHOLE = (10_000, 10_000)
"""A picture is not reduced when it is opened."""


File = Annotated[
    Path, typer.Argument(metavar="FILE.png", help="The calibrated tray is written here.")
]
Pictures = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PICTURE...]", help="With a die near each corner of the floor."),
]
Empty = Annotated[
    Path | None,
    typer.Option("--empty", metavar="FOLDER", help="Pictures of the empty tray, 3 at least."),
]
Source = Annotated[
    str, typer.Option("--camera", metavar="SOURCE", help="Take them now: number, device or URL.")
]
Size = Annotated[str, typer.Option("--size", metavar="WxH", help="Of that camera's picture, px.")]
Corners = Annotated[
    str, typer.Option("--floor", metavar="CORNERS", help="Of the floor, px, if not as found.")
]
Apart = Annotated[
    float | None,
    typer.Option(
        "--apart", metavar="EDGES", help="From this lens to that of the table's camera, measured."
    ),
]


def command(
    file: File,
    pictures: Pictures = None,
    empty: Empty = None,
    camera: Source = "",
    size: Size = "640x480",
    floor: Corners = "",
    apart: Apart = None,
    force: ForceOption = False,
    _json: JsonOption = False,
) -> None:
    """Measure a dice tray for the host's own camera above it.

    It takes pictures of the empty tray in the lamps of play, then of the tray with one die of the
    table near each corner of its floor. With --camera it asks for both at the terminal. The floor
    is found as what is even around the middle, up to the first edge on all sides.

    FILE.png is a picture of the empty tray with all that was measured: `dice_reference` of a table
    with `dice_camera`. Beside it FILE.floor.png shows the floor and the dice: look at it. If the
    floor is wrong, give its corners with --floor, or correct it in the console of a running host
    ("Tray of the host's camera" on the page of the table).

    Where table and host both read the dice, measure from the middle of this lens to that of the
    table's camera and give it with --apart, in edges of a die (32 mm are 2 edges of 16 mm). Lenses
    less than one edge apart see the same highlight on the same place of a die. A file without it
    is refused for `dice_reading` "both".

    Refused, with FILE.wrong.png, which shows where: dice under 28 px, glare, blur, dice of the
    floor's grey, a slanted camera, lamps that flicker, a floor given by hand with the rim in it,
    and a view in which nothing would show that the camera moved.
    """
    verify_free(file, force=force)
    if apart is not None:
        _verify_apart(apart)
    corners = _floor(floor) if floor else None
    if camera:
        trays, dice = _taken(camera, _size(size))
    else:
        trays, dice = _files(empty), [_grey(path) for path in pictures or ()]
    calibrated = _calibrate(file, trays, dice, corners)
    calibrated = replace(calibrated, tray=replace(calibrated.tray, apart=apart or 0.0))
    for number, picture in enumerate(dice, 1):
        _say_read(number, calibrated.tray, picture)
    _keep(file, calibrated, force=force)


def _verify_apart(apart: float) -> None:
    """Raise ToolError for lenses that are too near to each other, or for no distance."""
    from tabletools.dice.overhead.host_tray import LEAST_APART

    if LEAST_APART <= apart < _FARTHEST_EDGES:
        return
    what = f"{apart:g} edges of a die between the lenses"
    step = (
        "hang this camera farther from the table's, and measure again; 32 mm are 2 edges of 16 mm"
    )
    limit = f"{LEAST_APART:g} to {_FARTHEST_EDGES}"
    raise ToolError(what, where="--apart", limit=limit, step=step)


def _calibrate(
    file: Path, trays: list[Grey], dice: list[Grey], floor: Polygon | None
) -> Calibration:
    """Calibrate a tray; a refused one leaves a picture of what is wrong. Raises ToolError."""
    from tabletools.dice.overhead import calibration

    try:
        return calibration.calibrated(trays, dice, floor)
    except calibration.CalibrationRefused as refused:
        wrong = file.with_suffix(".wrong.png")
        keep(wrong, _png(refused.picture), force=True)
        refused.where = str(wrong)
        raise


def _keep(file: Path, calibrated: Calibration, *, force: bool) -> None:
    from tabletools.dice.overhead import host_tray, picture_facts

    tray = calibrated.tray
    data = host_tray.file_of(tray)
    keep(file, data, force=force)
    floor_file = file.with_suffix(".floor.png")
    keep(floor_file, _png(calibrated.picture), force=True)
    listed = " ".join(f"{x},{y}" for x, y in tray.floor)
    say(f"# floor: {listed}", floor=[*tray.floor], picture=str(floor_file))
    mark = picture_facts.digest(data)
    say(
        f"# {file}: a die is {tray.side_px} px wide, digest {mark[:16]}; look at {floor_file}",
        file=str(file),
        side_px=tray.side_px,
        digest=mark,
    )


def _say_read(number: int, tray: HostTray, picture: Grey) -> None:
    """Print the faces in a picture with dice, as the host reads them."""
    from tabletools.dice.overhead.throw import read_greys

    verdict = read_greys(tray, [picture]).verdict
    faces = ", ".join(map(str, verdict.dice)) if verdict.accepted else verdict.reason
    facts = {"dice": verdict.dice, "accepted": verdict.accepted, "reason": verdict.reason}
    say(f"picture {number}: {faces}", picture=number, **facts)


def _taken(source: str, size: tuple[int, int]) -> tuple[list[Grey], list[Grey]]:
    """Return pictures of the empty tray and one with dice, taken now."""
    trays = _burst(source, size, "Clear the tray, with the lamps of play on, then press Enter")
    step = "Put one die near each corner of the floor, flat, then press Enter"
    return trays, _burst(source, size, step)[:1]


def _burst(source: str, size: tuple[int, int], question: str) -> list[Grey]:
    from tabletools.dice.overhead import capture

    typer.prompt(question, default="", show_default=False, err=True)
    return [capture.grey_of(frame) for frame in capture.burst(source, size)]


def _files(folder: Path | None) -> list[Grey]:
    if folder is None:
        step = "give --camera SOURCE, or --empty FOLDER and pictures with dice"
        raise ToolError("there are no pictures to calibrate with", where="--empty", step=step)
    if not folder.is_dir():
        step = "give the folder of the pictures of the empty tray"
        raise ToolError(f"{folder} is not a folder", where="--empty", step=step)
    return [_grey(each) for each in sorted(folder.iterdir()) if each.suffix.lower() in _SUFFIXES]


def _grey(path: Path) -> Grey:
    from tabletools.dice.pictures import open_picture
    from tabletools.dice.reference import pixels

    return pixels(open_picture(path, _WHOLE))


def _size(text: str) -> tuple[int, int]:
    wide, _, high = text.partition("x")
    if not (wide.isdecimal() and high.isdecimal() and len(text) < 12):
        raise ToolError(f"{text!r} is no size", where="--size", step="give it as 1280x720")
    return int(wide), int(high)


def _floor(text: str) -> Polygon:
    try:
        return tuple((int(x), int(y)) for x, y in (pair.split(",") for pair in text.split()))
    except ValueError as error:
        step = 'list the corners in order, such as "40,30 600,30 600,450 40,450"'
        raise ToolError(f"{text!r} is no list of corners", where="--floor", step=step) from error


def _png(picture: Grey) -> bytes:
    from tabletools.dice import second_camera

    return second_camera.png(picture)
