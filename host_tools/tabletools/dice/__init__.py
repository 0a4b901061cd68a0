"""Dice in picture files, read by the code of the dice tray: the device's logic, nothing else."""

from tabletools.dice.calibrating import calibrated
from tabletools.dice.pictures import Frame, open_picture
from tabletools.dice.reading import read_frame
from tabletools.dice.trying import Dice, View, dice, view

__all__ = [
    "Dice",
    "Frame",
    "View",
    "calibrated",
    "dice",
    "open_picture",
    "read_frame",
    "view",
]
