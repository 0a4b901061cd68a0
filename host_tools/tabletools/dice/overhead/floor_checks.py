"""What has to hold of a floor on the empty tray beyond its shape: light, corners and rim.

A floor that is found ends at the first edge on all sides; one that is set by hand may be anywhere,
so a die in each of its corners, and its sides, are checked as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np

from tabletools.dice.overhead.floor import (
    LEAST_RIM,
    SMOOTH_PX,
    Polygon,
    middle_of,
    slope_of,
    steepest_even,
    verify_floor,
)
from tabletools.dice.overhead.host_tray import LEAST_SIDE_PX, HostTray
from tabletools.dice.picture_patches import Grey, Mask
from tabletools.errors import ToolError

LEAST_STEP = 30
"""Greys by which a die's body differs from the floor."""
UNLIKE = 1.2
"""The largest die against the smallest: more, and the camera is slanted."""
SATURATED = 250
"""Greys."""
MOST_SATURATED = 30
"""Pixels of the empty floor that may be saturated."""
_INSIDE = 0.75  # sides of a die from a corner of the floor to the middle of a die in it
_DEPTH = 1.5  # sides of a die inside a floor in which its rim is looked for
_ALLOWANCE = 0.2  # sides of a die by which a hand may set a side of the floor beside the rim
_RIM_SHARE = 0.6  # of the length of a side along which there is an edge
_BESIDE_PX = (3, 7)  # of an edge: there its greys are compared
_LEAST_LONG_PX = 12  # of a side that is looked at


class FloorProblem(NamedTuple):
    """What is wrong with a floor. corners: of it, from 1, where that is."""

    what: str
    limit: str
    step: str
    corners: tuple[int, ...]


def corrected(tray: HostTray, floor: Polygon) -> HostTray:
    """Return a tray with a floor set by hand. Raises ToolError for one that calibration refuses.

    where: of the error: "floor", with the numbers of the corners where it is wrong.
    """
    try:
        verify_floor(floor, tray.size)
    except ToolError as error:
        error.where = "floor"
        raise
    changed = replace(tray, floor=floor)
    shining = int(shining_of(tray.empty, changed.floor_mask).sum())
    if shining > MOST_SATURATED:
        raise ToolError(
            f"{shining} pixels of the floor shine",
            where="floor",
            limit=f"{MOST_SATURATED}",
            step="leave them out, or turn the lamp or the camera and calibrate the tray again",
        )
    if problem := problem_by_hand(changed):
        where = " ".join(["floor", *map(str, problem.corners)])
        raise ToolError(problem.what, where=where, limit=problem.limit, step=problem.step)
    return changed


def shining_of(empty: Grey, mask: Mask) -> Mask:
    """Return which pixels of a floor are saturated."""
    return (empty >= SATURATED) & mask


def problem_by_hand(tray: HostTray) -> FloorProblem | None:
    """Return what is wrong with a floor that was set by hand, None if nothing is."""
    return next(_problems(tray), None)


def _problems(tray: HostTray) -> Iterator[FloorProblem]:
    sides = [tray.lens.growth(x, y) * tray.side_px for x, y in _in_corners(tray)]
    smallest, largest = min(sides), max(sides)
    least_corner, most_corner = sides.index(smallest) + 1, sides.index(largest) + 1
    if smallest < LEAST_SIDE_PX:
        what = f"in corner {least_corner} of the floor a die is {smallest:.1f} px wide"
        step = "move the corner, or hang the camera lower and calibrate the tray again"
        yield FloorProblem(what, f"{LEAST_SIDE_PX} px at least", step, (least_corner,))
    if largest > UNLIKE * smallest:
        what = f"a die has {smallest:.0f} px in corner {least_corner}, {largest:.0f} px in corner"
        what = f"{what} {most_corner}"
        step = "move the corners, or hang the camera straight and calibrate the tray again"
        yield FloorProblem(what, f"{UNLIKE} times as many", step, (least_corner, most_corner))
    for number, (place, side) in enumerate(zip(_in_corners(tray), sides, strict=True), 1):
        step_greys = abs(tray.body - _grey_at(tray.empty, place, side))
        if step_greys < LEAST_STEP:
            what = f"a die differs from the floor in corner {number} by {step_greys} greys"
            step = "move the corner to where the floor is"
            yield FloorProblem(what, f"{LEAST_STEP}", step, (number,))
    yield from _rims(tray)


def _in_corners(tray: HostTray) -> Iterator[tuple[float, float]]:
    """Yield the middle of a die in each corner of a floor."""
    middle = np.mean(tray.floor, 0)
    for corner in tray.floor:
        inward = middle - corner
        share = min(1.0, _INSIDE * tray.side_px / max(float(np.linalg.norm(inward)), 1.0))
        x, y = (corner + share * inward).tolist()
        yield x, y


def _grey_at(empty: Grey, place: tuple[float, float], side: float) -> int:
    columns, rows = (
        slice(max(0, round(middle - side / 2)), round(middle + side / 2) + 1) for middle in place
    )
    return int(np.median(empty[rows, columns]))


def _rims(tray: HostTray) -> Iterator[FloorProblem]:
    """Yield the sides of a floor within which the rim of the tray is.

    A rim is an edge along most of the side, nearer to it than _DEPTH, with another grey on its
    far side. What is printed on a floor is a line, or does not follow the side.
    """
    smooth = np.asarray(cv2.medianBlur(tray.empty, SMOOTH_PX), np.uint8)
    most = steepest_even(slope_of(smooth)[middle_of(smooth.shape)])
    allowance = round(_ALLOWANCE * tray.side_px)
    ring = (*tray.floor, tray.floor[0])
    for number, side in enumerate(pairwise(ring), 1):
        if (strip := _strip_along(smooth, side, tray)) is None:
            continue
        if (inside_px := _edge_along(strip, most, allowance)) is not None:
            other = number % len(tray.floor) + 1
            what = f"the rim of the tray is {inside_px} px inside the floor between corners"
            step = "move these corners inside the rim"
            what = f"{what} {number} and {other}"
            yield FloorProblem(what, f"{allowance} px", step, (number, other))


def _strip_along(
    picture: Grey, side: tuple[tuple[int, int], tuple[int, int]], tray: HostTray
) -> Grey | None:
    """Return what is inside a side of the floor (depth, length), row 0 on it; None for a short
    side."""
    start = np.array(side[0], np.float64)
    along = np.subtract(side[1], side[0]).astype(np.float64)
    length = float(np.linalg.norm(along))
    if length < _LEAST_LONG_PX:
        return None
    along /= length
    inward = np.array((-along[1], along[0]))
    if inward @ (np.mean(tray.floor, 0) - start) < 0:
        inward = -inward
    columns = np.linspace(0.05 * length, 0.95 * length, round(0.9 * length))
    rows = np.arange(round(_DEPTH * tray.side_px) + _BESIDE_PX[1])[:, None]
    x, y = ((start[k] + columns * along[k] + rows * inward[k]).astype(np.float32) for k in (0, 1))
    strip = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(strip, np.uint8)


def _edge_along(strip: Grey, most: float, allowance: int) -> int | None:
    """Return how far inside a side a step of grey runs along it, px; None where there is none.

    allowance: rows next to the side in which there may be one.
    """
    slope = np.abs(cv2.Sobel(strip, cv2.CV_32F, 0, 1))
    near, far = _BESIDE_PX
    first, last = max(allowance, far), strip.shape[0] - far
    if last <= first:
        return None
    rows = first + slope[first:last].argmax(0)
    columns = np.arange(strip.shape[1])
    outer, inner = (
        np.mean([strip[rows + way * by, columns] for by in range(near, far)], 0) for way in (-1, 1)
    )
    steps = np.where(slope[rows, columns] >= most, inner - outer, 0)
    is_rim = max((steps >= LEAST_RIM).mean(), (steps <= -LEAST_RIM).mean()) >= _RIM_SHARE
    return int(np.median(rows)) if is_rim else None
