"""Dice in picture files, read by the host's two readers or by the device's logic."""

from tabletools.dice.calibrating import calibrated
from tabletools.dice.pictures import Frame, open_grey, open_picture
from tabletools.dice.reading import Verdict, read_frame, read_picture
from tabletools.dice.reference import Reference, of_pictures
from tabletools.dice.trying import Dice, View, dice, view

__all__ = [
    "Dice",
    "Frame",
    "Reference",
    "Verdict",
    "View",
    "calibrated",
    "dice",
    "of_pictures",
    "open_grey",
    "open_picture",
    "read_frame",
    "read_picture",
    "view",
]
