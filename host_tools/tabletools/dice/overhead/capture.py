"""Frames of the host's camera above a tray, taken in one burst, and what is wrong with them.

The camera is opened for each burst, so a camera that was plugged in again works at the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice import thresholds
from tabletools.dice.overhead.troubles import (
    BLACK,
    FROZEN,
    NO_CAMERA,
    OTHER_SIZE,
    UNPLUGGED,
    CameraTrouble,
)
from tabletools.dice.picture_patches import Grey

Colour = npt.NDArray[np.uint8]
"""(height, width, 3)"""
Size = tuple[int, int]
LOOKS = 3  # readings of a throw at most
FRAMES = 3  # of each, averaged
_ADAPTING = 5  # the first frames of a camera, before it is used to the light
_TIMEOUT_MS = 3000  # of a network stream


class Capture(Protocol):
    """An opened camera, as cv2.VideoCapture."""

    def read(self) -> tuple[bool, Colour | None]:
        """Return whether there is a frame, and the frame."""

    def release(self) -> None:
        """Close the camera."""


Opener = Callable[[str, Size], Capture]
"""Opens a source; size: width and height of its frames, px. Raises CameraTrouble."""


def open_source(source: str, size: Size) -> Capture:
    """Open a camera. source: its number on this machine, or a file, device or URL that OpenCV
    opens. Raises CameraTrouble."""
    waits = (cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, cv2.CAP_PROP_READ_TIMEOUT_MSEC)
    try:
        if source.isdecimal():
            camera = cv2.VideoCapture(int(source))
            camera.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
            camera.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        else:
            limits = [each for wait in waits for each in (wait, _TIMEOUT_MS)]
            camera = cv2.VideoCapture(source, cv2.CAP_ANY, limits)
        is_opened = camera.isOpened()
    except cv2.error:
        is_opened = False
    if not is_opened:
        raise CameraTrouble(NO_CAMERA, f"the camera {shown(source)} cannot be opened")
    return camera  # type: ignore[return-value]


def shown(source: str) -> str:
    """Return a source without the name and password that its URL may have."""
    return re.sub(r"(?<=://)[^/]*@", "", source)


def burst(
    source: str, size: Size, count: int = LOOKS * FRAMES, opener: Opener = open_source
) -> list[Colour]:
    """Return so many frames of a camera, of this width and height. Raises CameraTrouble."""
    camera = opener(source, size)
    frames = []
    try:
        for number in range(_ADAPTING + count):
            is_read, frame = camera.read()
            if not is_read or frame is None:
                code = UNPLUGGED if number else NO_CAMERA
                what = f"the camera {shown(source)} gave {number} of {_ADAPTING + count} frames"
                raise CameraTrouble(code, what)
            frames.append(np.asarray(frame, np.uint8))
    except cv2.error as error:
        raise CameraTrouble(
            UNPLUGGED, f"the camera {shown(source)} failed: {error.err}"
        ) from error
    finally:
        camera.release()
    frames = frames[_ADAPTING:]
    _verify(source, frames, size)
    return frames


def grey_of(frame: Colour) -> Grey:
    """Return a frame in grey."""
    return np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)


def hashes(frames: Sequence[Colour]) -> list[str]:
    """Return the SHA-256 of the pixels of each frame, blue, green and red, row by row."""
    return [sha256(np.ascontiguousarray(frame).tobytes()).hexdigest() for frame in frames]


def _verify(source: str, frames: Sequence[Colour], size: Size) -> None:
    """Raise CameraTrouble for frames that show nothing of the present."""
    for frame in frames:
        actual = (frame.shape[1], frame.shape[0])
        if frame.ndim != 3 or actual != tuple(size):
            what = f"the camera {shown(source)} gives frames of {actual[0]} x {actual[1]} px"
            raise CameraTrouble(OTHER_SIZE, f"{what}, {size[0]} x {size[1]} are calibrated")
        if int(cv2.blur(frame, (8, 8)).max()) < thresholds.DARKEST:
            raise CameraTrouble(BLACK, f"the camera {shown(source)} shows no light")
    # A sensor has noise: two frames of it are never the same.
    if any(np.array_equal(a, b) for a, b in pairwise(frames)):
        raise CameraTrouble(FROZEN, f"the camera {shown(source)} repeats one frame")
