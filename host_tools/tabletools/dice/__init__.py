"""Dice in picture files, and frames of a tray's camera.

What reads them with all the host has, `host_reading` and `reference`, is imported from there: it
loads numpy and OpenCV.
"""

from tabletools.dice.calibrating import calibrated
from tabletools.dice.pictures import Frame, open_picture
from tabletools.dice.reading import MOVED, Verdict
from tabletools.dice.trying import Dice, View, dice, view

__all__ = [
    "MOVED",
    "Dice",
    "Frame",
    "Verdict",
    "View",
    "calibrated",
    "dice",
    "open_picture",
    "view",
]
