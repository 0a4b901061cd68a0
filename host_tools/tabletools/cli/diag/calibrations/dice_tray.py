"""Calibrates a dice tray with whole frames of its camera."""

import typer

from tablespec.config_keys import KEYS
from tabletools import dice
from tabletools.cli.diag import asking, dice_pictures
from tabletools.cli.diag.calibrations.calibration import Calibration, Calibrations, Request
from tabletools.cli.diag.changing import change
from tabletools.diag import calibrate, dice_tray
from tabletools.diag.check import Check, of_sample
from tablewire import dice_tray as words

_NUMBERS = {key.name: key.number for key in KEYS}


def _size(request: Request) -> list[Check]:
    client = request.client
    line, count = client.value(words.LINE_ROW), client.value(words.DICE)
    typer.echo(f"With {count} dice lying flat and apart past the dice line:")
    typer.echo(dice_tray.FLATNESS)
    return dice_tray.sizes(dice.dice(dice_pictures.frame(client), line, count), count)


def _background(request: Request) -> list[Check]:
    client = request.client
    typer.echo("With the tray empty, and no hand over it:")
    wall, mark = client.value(words.WALL_ROW), client.value(words.MARK_COLUMN)
    most_px = client.value(words.CAMERA_SHIFT) * client.value(words.FRAME_SIZE)
    view = dice.view(dice_pictures.frame(client), wall, mark, client.value(words.LINE_ROW))
    return dice_tray.background(view, most_px)


def _lines(request: Request) -> list[Check]:
    """Find wall, mark and dice line in a frame, and compare with what the table sees."""
    client = request.client
    typer.echo("With the tray empty but for a strip of paper along the dice line:")
    places = dice.calibrated("the camera of the table", dice_pictures.frame(client))
    new = {_NUMBERS[name]: value for name, value in places.items()}
    old = {key: client.value(key) for key in new}
    line = words.LINE_ROW
    # The line must never be on the wall: away from it first, towards it last.
    order = sorted(new, key=lambda key: (key == line) == (new[line] < old[line]))
    change(client, old, {key: new[key] for key in order})
    again = dice.calibrated("the camera of the table", dice_pictures.frame(client))
    checks = [
        calibrate.checked(f"{name}, px", again[name], value, slack=1)
        for name, value in places.items()
    ]
    samples = asking.self_test(client, 0).samples
    return checks + [of_sample(sample) for sample in samples if sample.quantity == "shift"]


CALIBRATIONS = Calibrations(
    {
        "tray_lines": Calibration(_lines),
        "tray_background": Calibration(_background),
        "dice_size": Calibration(_size),
    }
)
