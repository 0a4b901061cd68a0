"""Recording the bytes of a link: capture files, and a window on the most recent ones."""

from tabletools.capture.capture_file import (
    FROM_TABLE,
    TO_TABLE,
    CaptureError,
    Chunk,
    Damage,
    Reader,
    Writer,
)
from tabletools.capture.line_faults import LikelyCause, LineWatch, without_zeros
from tabletools.capture.window import Window
from tabletools.capture.withheld import Withheld, capture_to

__all__ = [
    "FROM_TABLE",
    "TO_TABLE",
    "CaptureError",
    "Chunk",
    "Damage",
    "LikelyCause",
    "LineWatch",
    "Reader",
    "Window",
    "Withheld",
    "Writer",
    "capture_to",
    "without_zeros",
]
