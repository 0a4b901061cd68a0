"""The open photographs as a fixed camera sees them: whole frames with what lies around the tray.

The floor of each session was drawn by hand, and its empty tray is the median of its pictures: none
was photographed. Pictures are in colour, and reduced as the host reduces those of its own camera.
Labels and the size of dice are those of the crops, which show 4 px for 5 of a whole frame.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tabletools.dice.overhead.host_tray import HostTray
from tabletools.dice.overhead.lens import Lens
from tabletools.dice.picture_patches import Grey
from tabletools.dice.pictures import Frame, open_picture
from tabletools.dice.reference import Reference, pixels, planes

_SIZE = 640, 640
_ENLARGED = 1.25  # px of a whole frame for one of its crop
_ABOVE = 30.0  # edges from the floor to the lens, not measured: nothing here asks for it
FLOORS = {
    "byler_1208_tray": ((115, 130), (543, 130), (552, 478), (105, 482)),
    "byler_1208": ((0, 0), (639, 0), (639, 548), (0, 548)),
    "byler_1209": ((0, 92), (639, 92), (639, 639), (0, 639)),
}


class WholeFrame(NamedTuple):
    """A picture as it is read, with the empty tray. values: as labelled. least_px: side of its
    smallest die in the camera's picture. is_plain: nothing in it is hard to see."""

    name: str
    values: str
    frame: Frame
    reference: Reference
    least_px: float
    is_plain: bool


def whole_frames(folder: Path) -> Iterator[WholeFrame]:
    """Yield the whole frames of a folder of photographs, those of a session with one tray."""
    widths: dict[str, list[float]] = defaultdict(list)
    sessions: dict[str, list[dict[str, str]]] = defaultdict(list)
    with (folder / "boxes.csv").open(newline="", encoding="utf-8") as file:
        for box in csv.DictReader(file):
            wide, high = (float(box[f"{axis}1"]) - float(box[f"{axis}0"]) for axis in "xy")
            widths[box["file"]].append(max(wide, high))
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            sessions[row["session"]].append(row)
    for session, floor in FLOORS.items():
        pictures = [_whole(folder, row["file"]) for row in sessions[session]]
        empty, *colours = (
            np.median(np.stack(each), 0).astype(np.uint8) for each in zip(*pictures, strict=True)
        )
        for row, rows in zip(sessions[session], pictures, strict=True):
            side = _ENLARGED * float(row["die_px_about"])
            least = side * min(widths[row["file"]]) / float(np.median(widths[row["file"]]))
            tray = HostTray(empty, floor, side, 0, Lens(0, 0, 1 / _ABOVE, side), None)
            name, is_plain = Path(row["file"]).name, row["flags"] in ("", "tray")
            grey, *planes_read = map(tray.reduced, rows)
            high, wide = grey.shape
            frame = Frame(wide, high, grey.tobytes(), np.dstack(planes_read).tobytes())
            reference = replace(tray.reference, colours=tuple(map(tray.reduced, colours)))
            yield WholeFrame(name, row["values"], frame, reference, least, is_plain)


def _whole(folder: Path, name: str) -> list[Grey]:
    """Return the rows of a picture in grey, red, green and blue."""
    path = folder / "whole" / Path(name).parent.name / f"{Path(name).stem}.jpg"
    frame = open_picture(path, _SIZE)
    return [pixels(frame), *planes(frame)]
