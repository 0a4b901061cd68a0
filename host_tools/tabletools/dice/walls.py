"""The floor of a tray alone: narrow walls along the edges of a picture, painted over with floor.

The network takes the floor of a framed tray for a sheet of paper. A wall ends in a straight line
along most of one side of the picture. It is painted over only where it is too narrow to hide a
die.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice import thresholds
from tabletools.dice.maps import Top, usual_side
from tabletools.dice.patches import Floats, Grey

Mask = npt.NDArray[np.bool_]

_SMOOTH = 1.0  # sigma, px
_SLANTS = np.tan(np.radians(np.arange(-8, 9)))  # of a line against the side of the picture
_SEEN = 0.5  # of a line that dice and the picture's edge leave to be judged
_SOFT = 2.5  # px from the middle of a line to plain floor
_ONE_LINE = 4  # px within which steps belong to one line
_CLOSE, _BESIDE = 0.75, 1.3  # sides from a top's middle: its die; its die and shadow


def floor_alone(picture: Grey, tops: Sequence[Top]) -> Grey | None:
    """Return the picture with its walls painted over, None when none is found."""
    if not tops:
        return None
    grey = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), _SMOOTH)
    close, beside = (_around(picture.shape, tops, sides) for sides in (_CLOSE, _BESIDE))
    deepest = thresholds.DEEPEST_WALL * usual_side(tops)
    outside = np.zeros(picture.shape, bool)
    for turn in range(4):
        dice, near = np.rot90(close, turn), np.rot90(beside, turn)
        seen = np.ascontiguousarray(np.rot90(grey, turn), np.float32)
        outside |= np.rot90(_left_of_line(seen, dice, near, deepest), -turn)
    return _filled(picture, outside) if outside.any() else None


def _around(shape: tuple[int, ...], tops: Sequence[Top], sides: float) -> Grey:
    """Return 1 within this many sides of a top, else 0."""
    found = np.zeros(shape, np.uint8)
    for top in tops:
        cv2.circle(found, (round(top.x), round(top.y)), round(sides * top.side), 1, -1)
    return found


def _left_of_line(grey: Floats, dice: Grey, near: Grey, deepest: float) -> Mask:
    """Return what lies to the left of the innermost line along the left side."""
    slope = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    high, middle = len(grey), (len(grey) - 1) / 2
    strip = slice(0, int(2 * deepest) + 2)
    slope = (slope - np.median(slope))[:, strip]
    free = 1 - near[:, strip].astype(np.float32)
    up, down = slope * free > thresholds.WALL_STEP, slope * free < -thresholds.WALL_STEP
    layers = [np.dstack((slope * free, up, down)), np.dstack((free, dice[:, strip]))]
    lines: list[tuple[int, float, float]] = []
    for slant in _SLANTS.tolist():
        last = int(deepest - abs(slant) * middle)
        if last < 1:
            continue
        way = np.array(((1, slant, -slant * middle), (0, 1, 0)))
        flags, size = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, (last + 2, high)
        sums = [
            cv2.warpAffine(each.astype(np.float32), way, size, flags=flags).sum(0)
            for each in layers
        ]
        lines += [(column, slant, rise) for column, rise in _steps(np.hstack(sums), high)]
    if not lines:
        return np.zeros(grey.shape, bool)
    innermost = max(column for column, _, _ in lines) - _ONE_LINE
    column, slant, _ = max((line for line in lines if line[0] >= innermost), key=lambda x: x[2])
    rows, columns = np.mgrid[0:high, 0 : grey.shape[1]]
    return np.asarray(columns < column + slant * (rows - middle) + _SOFT)


def _steps(sums: Floats, high: int) -> list[tuple[int, float]]:
    """Return (column, rise, greys per px) of lines outside of all dice. sums (columns, 5): of
    slopes, of px that rise, that fall, that are free, and of dice."""
    free = np.maximum(sums[:, 3], 1)
    rise = np.abs(sums[:, 0]) / free
    share = np.maximum(sums[:, 1], sums[:, 2]) / free
    peak = (rise[1:-1] >= rise[:-2]) & (rise[1:-1] >= rise[2:])
    line = peak & (rise[1:-1] >= thresholds.WALL_STEP) & (share[1:-1] >= thresholds.WALL_SHARE)
    line &= (sums[1:-1, 3] > _SEEN * high) & (np.cumsum(sums[1:-1, 4]) == 0)
    return [(at + 1, float(rise[at + 1])) for at in np.flatnonzero(line).tolist()]


def _filled(picture: Grey, outside: Mask) -> Grey:
    """Return the picture with the nearest grey of the floor outside."""
    _, nearest = cv2.distanceTransformWithLabels(
        outside.astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    greys = np.zeros(int(nearest.max()) + 1, np.uint8)
    greys[nearest[~outside]] = picture[~outside]
    return np.asarray(greys[nearest], np.uint8)
