"""Dice in picture files, read by the code of the dice tray: the device's logic, nothing else."""

from tabletools.dice.calibrating import calibrated
from tabletools.dice.pictures import Frame, open_picture
from tabletools.dice.reading import read_frame

__all__ = ["Frame", "calibrated", "open_picture", "read_frame"]
