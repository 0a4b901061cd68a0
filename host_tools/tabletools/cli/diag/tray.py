"""Calibrates a dice tray with whole frames of its camera."""

import typer

from tablespec.config import KEYS
from tabletools import dice
from tabletools.cli.diag import asking
from tabletools.cli.diag.changing import change
from tabletools.cli.table_client import TableClient
from tabletools.diag import calibrate, tray
from tabletools.diag.check import Check, of_sample
from tablewire import dice_tray as words

WHATS = ("tray_lines", "tray_background", "dice_size")
_NUMBERS = {key.name: key.number for key in KEYS}


def calibrated(client: TableClient, what: str) -> list[Check]:
    """Calibrate one value of a tray in maintenance; returns its checks. Raises ToolError."""
    if what == "tray_lines":
        return _lines(client)
    line = client.value(words.LINE_ROW)
    if what == "dice_size":
        count = client.value(words.DICE)
        typer.echo(f"With {count} dice lying flat and apart past the dice line:")
        typer.echo(tray.FLATNESS)
        return tray.sizes(dice.dice(asking.frame(client), line, count), count)
    typer.echo("With the tray empty, and no hand over it:")
    wall, mark = client.value(words.WALL_ROW), client.value(words.MARK_COLUMN)
    most_px = client.value(words.CAMERA_SHIFT) * client.value(words.FRAME_SIZE)
    return tray.background(dice.view(asking.frame(client), wall, mark, line), most_px)


def _lines(client: TableClient) -> list[Check]:
    """Find wall, mark and dice line in a frame, and compare with what the table sees."""
    typer.echo("With the tray empty but for a strip of paper along the dice line:")
    found = dice.calibrated("the camera of the table", asking.frame(client))
    new = {_NUMBERS[name]: value for name, value in found.items()}
    old = {key: client.value(key) for key in new}
    line = words.LINE_ROW
    # The line must never be on the wall: away from it first, towards it last.
    order = sorted(new, key=lambda key: (key == line) == (new[line] < old[line]))
    change(client, old, {key: new[key] for key in order})
    again = dice.calibrated("the camera of the table", asking.frame(client))
    checks = [
        calibrate.checked(f"{name}, px", again[name], value, slack=1)
        for name, value in found.items()
    ]
    shifts = [sample for sample in asking.self_test(client, 0).samples
              if sample["quantity"] == "shift"]  # fmt: skip
    return checks + [of_sample(sample) for sample in shifts]
