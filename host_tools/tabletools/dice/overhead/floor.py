"""The floor of a tray in a picture of it: a convex polygon, found or given by hand."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice.picture_patches import Grey, Mask
from tabletools.dice.polygons import is_convex
from tabletools.errors import ToolError

Polygon = tuple[tuple[int, int], ...]
"""Corners in order, px."""
SMOOTH_PX = 9  # of a median: wider than print and weave
_MIDDLE = 0.25  # of the picture, each way, that is floor
_BORDER_PX = 3  # of the picture that is not
LEAST_RIM = 8.0  # greys by which the rim differs from the floor; less is no rim
_EVEN = 24.0  # of a Sobel filter: a step of 6 greys over a pixel
_MOST_LEAK = 0.05  # of the border that an even region may reach
_ROUGH = 0.006  # of the outline, by which a polygon may differ from it
_LEAST_SHARE = 0.15  # of the picture
_INWARD_PX = 2  # of the edge, which is blurred
MOST_CORNERS = 64
"""Of a floor: a round one is found with a dozen."""


def find_floor(empty: Grey) -> Polygon:
    """Return the floor around the middle of the empty tray, up to the steepest edge around it.

    The whole picture, but for a border, where no rim is in view.
    """
    outline = _outline(empty)
    hull = cv2.convexHull(outline)
    corners = cv2.approxPolyDP(hull, _ROUGH * cv2.arcLength(hull, True), True)[:, 0]
    middle = corners.mean(0)
    away = np.linalg.norm(corners - middle, axis=1, keepdims=True)
    inner = middle + (corners - middle) * (1 - _INWARD_PX / np.maximum(away, _INWARD_PX))
    return tuple((round(float(x)), round(float(y))) for x, y in inner)


def verify_floor(floor: Polygon, size: tuple[int, int]) -> None:
    """Raise ToolError unless a polygon is a floor within a picture. size: width, height, px."""
    wide, high = size
    inside = all(0 <= x <= wide and 0 <= y <= high for x, y in floor)
    fits = 3 <= len(floor) <= MOST_CORNERS and inside and len({*floor}) == len(floor)
    if not fits or not is_convex(np.array(floor, np.int32)):
        corners = " ".join(f"{x},{y}" for x, y in floor[:MOST_CORNERS])
        what = f"the floor {corners} is no convex polygon"
        limit = f"3 to {MOST_CORNERS} corners within {wide} x {high}, each once"
        raise ToolError(what, where="--floor", limit=limit, step="list the corners in order")
    if (share := cv2.contourArea(np.array(floor, np.int32)) / (wide * high)) < _LEAST_SHARE:
        what = f"the floor is {100 * share:.0f} % of the picture"
        step = "hang the camera lower, or give the floor with --floor"
        raise ToolError(what, where="--floor", limit=f"{100 * _LEAST_SHARE:.0f} %", step=step)


def floor_mask(floor: Sequence[tuple[int, int]], shape: tuple[int, ...]) -> Mask:
    """Return which pixels of a picture (height, width) are floor."""
    mask = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(mask, np.array(floor, np.int32), 1)
    return mask > 0


def _outline(empty: Grey) -> npt.NDArray[np.int32]:
    """Return the outline of the region around the middle, (n, 1, 2)."""
    smooth = np.asarray(cv2.medianBlur(empty, SMOOTH_PX), np.uint8)
    high, wide = smooth.shape
    border = np.ones(smooth.shape, np.bool_)
    border[_BORDER_PX:-_BORDER_PX, _BORDER_PX:-_BORDER_PX] = False
    middle = middle_of(smooth.shape)
    slope = slope_of(smooth)
    region = _even(slope, middle, border)
    if region is None:
        relief = np.minimum(slope, 255).astype(np.uint8)
        marks = np.where(border, 2, middle).astype(np.int32)
        region = (cv2.watershed(cv2.merge([relief] * 3), marks) == 1).astype(np.uint8)
    if not _has_rim(smooth, region):
        return _whole(wide, high)
    outlines, _ = cv2.findContours(region, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(max(outlines, key=cv2.contourArea), np.int32)


def middle_of(shape: tuple[int, ...]) -> Mask:
    """Return which pixels of a picture (height, width) are around its middle."""
    middle = np.zeros(shape, np.bool_)
    top, left = (int(side * (0.5 - _MIDDLE / 2)) for side in shape)
    middle[top : shape[0] - top, left : shape[1] - left] = True
    return middle


def slope_of(picture: Grey) -> npt.NDArray[np.float32]:
    """Return how steep the greys of a picture are, of a Sobel filter."""
    right, down = (cv2.Sobel(picture, cv2.CV_32F, *way) for way in ((1, 0), (0, 1)))
    return np.asarray(np.hypot(right, down), np.float32)


def steepest_even(slope: npt.NDArray[np.float32]) -> float:
    """Return the slope that is no edge yet, of a Sobel filter. slope: of what is floor."""
    return max(_EVEN, 3 * float(np.quantile(slope, 0.9)))


def _even(
    slope: npt.NDArray[np.float32], middle: Mask, border: Mask
) -> npt.NDArray[np.uint8] | None:
    """Return the even region around the middle, up to the first edge on all sides of it.

    None where it is small, as amid print, or leaks to the border of the picture.
    """
    most = steepest_even(slope[middle])
    even = cv2.morphologyEx((slope < most).astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5)))
    _, labels = cv2.connectedComponents(even, connectivity=4)
    sizes = np.bincount(labels[middle & (even > 0)], minlength=2)
    sizes[0] = 0
    region = (labels == int(sizes.argmax())).astype(np.uint8)
    # The slope of an edge begins before its steepest place.
    region = np.asarray(cv2.dilate(region, np.ones((5, 5), np.uint8)), np.uint8)
    is_small = region.mean() < _LEAST_SHARE
    return None if is_small or (region[border] > 0).mean() > _MOST_LEAK else region


def _has_rim(smooth: Grey, region: npt.NDArray[np.uint8]) -> bool:
    """Return whether what is outside a region differs from what is inside, along its edge."""
    near = np.ones((3 * SMOOTH_PX, 3 * SMOOTH_PX), np.uint8)
    inside = (region > 0) & (cv2.erode(region, near) == 0)
    outside = (region == 0) & (cv2.dilate(region, near) > 0)
    if not outside.any():
        return False
    step = float(np.median(smooth[inside])) - float(np.median(smooth[outside]))
    return abs(step) >= LEAST_RIM


def _whole(wide: int, high: int) -> npt.NDArray[np.int32]:
    left, top, right, bottom = (
        _BORDER_PX,
        _BORDER_PX,
        wide - 1 - _BORDER_PX,
        high - 1 - _BORDER_PX,
    )
    return np.array([[[left, top]], [[right, top]], [[right, bottom]], [[left, bottom]]], np.int32)
