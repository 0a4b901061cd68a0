"""The floor of a tray alone: walls along the edges of a picture, painted over with floor.

The network takes the floor of a framed tray for a sheet of paper. A wall ends in a straight line
along most of one side of the picture. It is painted over where it is too narrow to hide a die, or
where there is one along every side and none reaches so much farther in than the one opposite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.maps import Top, around, usual_side
from tabletools.dice.picture_patches import Floats, Grey, Mask

_SMOOTH = 1.0  # sigma, px
_SLANTS = np.tan(np.radians(np.arange(-8, 9)))  # of a line against the side of the picture
_VISIBLE_SHARE = 0.5  # of a line that dice and the picture's edge leave to be judged
_SOFT = 2.5  # px from the middle of a line to plain floor
_AS_CLEAR = 0.5  # of the clearest line along a side: the foot of a wall; less is shading
_ONE_LINE = 4  # px within which steps belong to one line
_MIXED = 8  # px within which greys of the floor are mixed
_CLOSE = 0.75  # sides from a top's middle to the edge of its die


def floors(picture: Grey, tops: Sequence[Top]) -> Iterator[Grey]:
    """Yield the picture with narrow walls painted over, and with those of a frame; nothing where
    there are none."""
    if not tops:
        return
    smooth = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), _SMOOTH)
    grey = np.asarray(smooth, np.float32)
    dice = around(picture.shape, tops, thresholds.SHADED)
    for find in (_narrow, _frame):
        walls = find(grey, tops)
        outside = np.zeros(picture.shape, bool)
        for turn, wall in enumerate(walls):
            if wall:
                outside |= np.rot90(wall.left_of(np.rot90(grey, turn).shape), -turn)
        if outside.any():
            yield _fill(picture, outside, dice)


@dataclass(frozen=True)
class _Line:
    """column: where it crosses the middle row, px; slant: columns for each row; rise: greys per
    px."""

    column: int
    slant: float
    rise: float

    def left_of(self, shape: tuple[int, ...]) -> Mask:
        """Return which pixels lie to its left."""
        rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]]
        edge = self.column + self.slant * (rows - (shape[0] - 1) / 2)
        return np.asarray(columns < edge + _SOFT)


def _narrow(grey: Floats, tops: Sequence[Top]) -> list[_Line | None]:
    """Return the foot of a wall along each side of a picture that is too narrow to hide a die."""
    deepest = thresholds.DEEPEST_WALL * usual_side(tops)
    return [_innermost(lines) for lines in _along_sides(grey, tops, (deepest, deepest))]


def _frame(grey: Floats, tops: Sequence[Top]) -> list[_Line]:
    """Return the foot of a wall along each side of a picture, none unless there are four and
    opposite ones are as deep as each other: what hides a die makes them uneven."""
    high, wide = grey.shape
    deepest = thresholds.DEEPEST_OF_FRAME * wide, thresholds.DEEPEST_OF_FRAME * high
    feet = []
    for lines in _along_sides(grey, [top for top in tops if not _is_of_wall(top)], deepest):
        clearest = max((line.rise for line in lines), default=0.0)
        foot = _innermost([line for line in lines if line.rise >= _AS_CLEAR * clearest])
        if foot is None:
            return []
        feet.append(foot)
    left, top, right, bottom = (foot.column for foot in feet)
    uneven = max(abs(left - right), abs(top - bottom))
    return feet if uneven <= thresholds.FRAME_UNEVEN * usual_side(tops) else []


def _is_of_wall(top: Top) -> bool:
    """Return whether what passes for a top may be the corner of a wall: it shows no face, and
    hardly a body."""
    most, body = thresholds.CORNER_OF_WALL
    return float(top.chances[1:].max()) < most and top.body < body


def _along_sides(
    grey: Floats, tops: Sequence[Top], deepest: tuple[float, float]
) -> Iterator[list[_Line]]:
    """Yield the lines along the left side of a picture, of the same turned by a quarter, and so
    on. deepest: of lines along the left and right, and along the others, px."""
    layers = grey, *(around(grey.shape, tops, sides) for sides in (_CLOSE, thresholds.SHADED))
    for turn in range(4):
        sight, dice, near = (np.ascontiguousarray(np.rot90(each, turn)) for each in layers)
        yield _lines(sight, dice, near, deepest[turn % 2])


def _innermost(lines: Sequence[_Line]) -> _Line | None:
    """Return the clearest of the lines that lie where the innermost one does."""
    innermost = max((line.column for line in lines), default=0) - _ONE_LINE
    near_it = [line for line in lines if line.column >= innermost]
    return max(near_it, key=lambda line: line.rise, default=None)


def _lines(grey: Floats, dice: Mask, near: Mask, deepest: float) -> list[_Line]:
    """Return the lines along the left side, at most so many px from it."""
    slope = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    high, middle = len(grey), (len(grey) - 1) / 2
    strip = slice(0, int(2 * deepest) + 2)
    slope = (slope - np.median(slope))[:, strip]
    free = (~near[:, strip]).astype(np.float32)
    up, down = slope * free > thresholds.WALL_STEP, slope * free < -thresholds.WALL_STEP
    layers = [np.dstack((slope * free, up, down)), np.dstack((free, dice[:, strip]))]
    lines: list[_Line] = []
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
        lines += [_Line(column, slant, rise) for column, rise in _steps(np.hstack(sums), high)]
    return lines


def _steps(sums: Floats, high: int) -> list[tuple[int, float]]:
    """Return (column, rise, greys per px) of lines outside of all dice. sums (columns, 5): of
    slopes, of px that rise, that fall, that are free, and of dice."""
    free = np.maximum(sums[:, 3], 1)
    rise = np.abs(sums[:, 0]) / free
    share = np.maximum(sums[:, 1], sums[:, 2]) / free
    peak = (rise[1:-1] >= rise[:-2]) & (rise[1:-1] >= rise[2:])
    line = peak & (rise[1:-1] >= thresholds.WALL_STEP) & (share[1:-1] >= thresholds.WALL_SHARE)
    line &= (sums[1:-1, 3] > _VISIBLE_SHARE * high) & (np.cumsum(sums[1:-1, 4]) == 0)
    return [(k + 1, float(rise[k + 1])) for k in np.flatnonzero(line).tolist()]


def _fill(picture: Grey, outside: Mask, dice: Mask) -> Grey:
    """Return the picture with greys of the nearest floor outside, mixed so that they look like
    it."""
    _, nearest = cv2.distanceTransformWithLabels(
        outside.astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    places = np.zeros((int(nearest.max()) + 1, 2), np.intp)
    places[nearest[~outside]] = np.argwhere(~outside)
    nearest_place = places[nearest[outside]]
    mixed = nearest_place + np.random.default_rng(0).integers(
        -_MIXED, _MIXED + 1, nearest_place.shape
    )
    mixed = mixed.clip(0, np.array(picture.shape) - 1)
    is_floor = ~(outside | dice)[mixed[:, 0], mixed[:, 1]]
    rows, columns = np.where(is_floor[:, None], mixed, nearest_place).T
    filled = picture.copy()
    filled[outside] = picture[rows, columns]
    return filled
