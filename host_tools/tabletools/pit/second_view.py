"""The second camera of a dice table: its picture is taken when a result arrives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tabletools.errors import ToolError

if TYPE_CHECKING:
    from tabletools.dice.second_camera import Colour, SecondCamera

_FRAMES = 5  # the first ones of a camera are those before it adapts to the light


class SecondView(NamedTuple):
    """source: number of a camera, or a file or stream, as OpenCV names it."""

    camera: SecondCamera
    source: str

    def picture(self) -> Colour:
        """Return what the camera sees now. Raises ToolError."""
        import cv2
        import numpy as np

        source: int | str = int(self.source) if self.source.isdecimal() else self.source
        capture = cv2.VideoCapture(source)
        last = None
        try:
            for _ in range(_FRAMES):
                is_read, frame = capture.read()
                last = frame if is_read else last
        finally:
            capture.release()
        if last is None:
            what = f"the second camera {self.source} gives no picture"
            raise ToolError(what, step="check its cable and dice_second_source")
        return np.asarray(last, np.uint8)


def second_view(camera: str, source: str) -> SecondView | None:
    """Return the second camera of a table, None without one. camera: file. Raises ToolError."""
    if not camera:
        return None
    from tabletools.dice.second_camera import read

    return SecondView(read(Path(camera)), source)
