"""Checks a dice tray by frames of its camera: aligned, lit, focused and empty; dice large enough.

Every figure has a limit; none is stored, because the reader needs no picture of an empty tray and
no size: it finds cloth and dice again in each frame.
"""

from tabletools.diag.check import FAIL, PASS, Check, judged
from tabletools.dice import Dice, View
from tablewire.dice_tray import CAMERA_DARK, CAMERA_MOVED

VIEW_BAD = 1008
_DARKEST, _BRIGHTEST = (
    40,
    215,
)  # mean of a part of the cloth: margin to noise below, to white above
_LEAST_EVEN = 50  # percent of the brightest part in the darkest
_LEAST_SHARP = 40  # percent: a blur of 2 px shows 36, none 76 and more
_DIE_PX = (18, 30)  # the side of a die, as in HARDWARE.md

FLATNESS = (
    "The croupier has to report with the button dice that lean or lie on another: one camera from"
    " above accepts one in eight that lean by 12 to 45 degrees, and nearly half on another."
)
"""Measured on 170 rendered scenes of each; see protocol/decisions/dice.md."""


def background(view: View, most_shift_px: int) -> list[Check]:
    """The checks of an empty tray."""
    even = 100 * view.darkest // max(view.brightest, 1)
    empty = view.reason == "no_dice"
    return [
        judged("camera: off its place", view.shift_px, "px", (0, most_shift_px), CAMERA_MOVED),
        judged("camera: sharpness at the wall", view.sharp, "%", (_LEAST_SHARP, None), VIEW_BAD),
        judged("cloth: darkest part", view.darkest, "of 255", (_DARKEST, None), CAMERA_DARK),
        judged("cloth: brightest part", view.brightest, "of 255", (None, _BRIGHTEST), VIEW_BAD),
        judged("cloth: darkest of brightest", even, "%", (_LEAST_EVEN, None), VIEW_BAD),
        _report("tray: reads as empty", empty, None, "", view.reason or "dice"),
    ]


def sizes(dice: Dice, count: int) -> list[Check]:
    """The checks of this many dice that are flat and apart beyond the line."""
    faces = ", ".join(map(str, dice.values))
    checks = [
        _report(
            "dice: are read",
            dice.is_read,
            len(dice.values),
            f"of {count}",
            dice.reason or f"faces {faces}",
        )
    ]
    if dice.sides:
        low, high = _DIE_PX
        smallest, largest = dice.sides[0], dice.sides[-1]
        checks.append(judged("dice: smallest side", smallest, "px", (low, None), VIEW_BAD))
        checks.append(judged("dice: largest side", largest, "px", (None, high), VIEW_BAD))
    return checks


def _report(name: str, fits: bool, value: int | None, unit: str, note: str) -> Check:
    if fits:
        return Check(name, PASS, value, unit, note=note)
    return Check(name, FAIL, value, unit, code=VIEW_BAD, note=note)
