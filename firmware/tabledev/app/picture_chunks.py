"""Sends the camera's last frame to a technician: as a small picture, or pixel by pixel."""

from tablelogic.dice_tray.thumbnail import greys
from tablewire.compat import const
from tablewire.diagnosis import PICTURE_PART, PICTURE_PIXELS

if -0:  # for mypy
    from tabletypes import Buffer, Steps

    from .transmitter import Transmitter

WHOLE = const(2)  # part of fetch_picture that requests every pixel
_PIECE = const(192)  # pixels
_A_STEP = const(3)  # pieces in 80 ms: a quarter of the line is left to others


def half(transmitter: "Transmitter", frame: "Buffer", crc: int, width: int, part: int) -> None:
    """Send half of the frame of that width. frame: empty, and crc 0, when there is none."""
    transmitter.send_volatile(PICTURE_PART, [part, crc, greys(frame, width, part) if crc else b""])


def whole(transmitter: "Transmitter", frame: "Buffer", crc: int) -> "Steps":
    """Yield after each step that sends pieces of a frame, which must not change meanwhile."""
    values = [0, crc, b""]
    if not crc:
        transmitter.send_volatile(PICTURE_PIXELS, values)
    for place in range(len(frame) // _PIECE):
        values[0] = place
        values[2] = frame[place * _PIECE : (place + 1) * _PIECE]
        transmitter.send_volatile(PICTURE_PIXELS, values)
        if place % _A_STEP == _A_STEP - 1:
            yield
