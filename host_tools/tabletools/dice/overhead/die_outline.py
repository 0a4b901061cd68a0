"""The pips of a die seen from above, and how far it reaches beside them.

The middle of the pips is that of the top. A die that leans shows a side that a flat one hides, or
hides one that a flat one shows, so it reaches farther from there, or less far. Shadows are no part
of the outline: they are darker than the tray, and a die that is dark too is darker still.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice import thresholds
from tabletools.dice.overhead.side_light import SideLight
from tabletools.dice.picture_patches import Floats, Grey, Mask, way

Doubles = npt.NDArray[np.float64]
_EDGE = 48  # px of a die's edge in the patch that is measured
_PATCH = 160
_MIDDLE = (_PATCH - 1) / 2
_TOP = 0.47  # edges around the middle in which pips are
_ROWS = np.arange(-17, 18)  # in which its reach is measured, 0.36 edges: beyond are round corners
_INSIDE = 17  # px from the middle that are die
_BESIDE = 12  # px of bare floor beside a die: pips on its side are smaller
_BLUR_PX = 2.0  # of the picture: over which an edge is blurred, to each side
_LEAST_PIP = 0.004  # edges squared
_PIP = 0.7  # of the contrast of body and pips: at 0.6 to 0.85 those of 953 dice are separate
_CLEAR = 0.8  # quantile of rows: pips on a side hide its edge in two thirds of them at most
_ASTRAY = _EDGE / 4  # px by which the middle of the pips may be beside that of the top


@dataclass(frozen=True)
class DieOutline:
    """x, y: middle of the pips, px. turn: radians. pips: how many. rows (4, rows): px beside the
    middle. reach (4, rows): how far the die reaches in each to its right, below, left and above,
    px; rows are counted as if the die were turned so that this side is on the right. lights (4):
    what each side has of the contrast of top and tray, as it was measured. steps (4): the step of
    grey at its foot, of that at an edge of the top. shade: share of its light that the tray beside
    it lacks, on the darkest side."""

    x: float
    y: float
    turn: float
    pips: int
    rows: Doubles
    reach: Doubles
    lights: Doubles
    steps: Doubles
    shade: float


def outline_of(
    picture: Grey,
    empty: Floats,
    place: tuple[float, float],
    side: float,
    body: int,
    light: SideLight | None = None,
) -> DieOutline | None:
    """Return the outline of a die, None where its pips or its edges are not clear.

    empty: the tray without it, in the same light. place, side: of its top, px. body: its grey.
    light: on its sides, None where it is not known yet.
    """
    turn, step = _turn(picture, place, side), side / _EDGE
    lying = way(turn, step, _MIDDLE, place)
    grey, ground = _patch(picture.astype(np.float32), lying), _patch(empty, lying)
    pips = _pips(grey)
    if pips is None:
        return None
    floor = float(np.median(ground))
    contrast = pips.body - floor
    if contrast * (body - floor) < 1:
        return None
    above = (grey - ground) / contrast
    share, most = thresholds.LIGHT_SIDE if contrast > 0 else thresholds.DARK_SIDE
    sides = []
    x, y = pips.right, pips.down
    for quarter in range(4):
        most = light.share(turn + quarter * np.pi / 2) if light else most
        ends = _side(np.rot90(above, quarter), x, y, share, most, round(_BLUR_PX / step))
        if ends is None:
            return None
        sides.append(ends)
        x, y = y, _PATCH - 1 - x
    facts = (np.array(each, np.float64) for each in zip(*sides, strict=True))
    rows, reach, lights, steps, beside = facts
    shade = float((-contrast * beside).max()) / max(floor, 1.0)
    c, s = float(np.cos(turn)), float(np.sin(turn))
    right, down = (pips.right - _MIDDLE) * step, (pips.down - _MIDDLE) * step
    middle = place[0] + c * right - s * down, place[1] + s * right + c * down
    more, rows, reach = _turned(rows * step, reach * step)
    return DieOutline(*middle, turn + more, pips.number, rows, reach, lights, steps, shade)


def _turned(rows: Doubles, reach: Doubles) -> tuple[float, Doubles, Doubles]:
    """Return how much farther a die is turned than it was measured, radians, and its outline so
    turned. rows, reach: see DieOutline.

    Shadows, and pips on its sides, turn by up to 5 degrees what most edges show.
    """
    half = rows.shape[1] // 2
    slopes = np.median(reach[:, half:] - reach[:, : rows.shape[1] - half], 1)
    more = -float(np.arctan(np.median(slopes) / (rows[0, half] - rows[0, 0])))
    c, s = np.cos(more), np.sin(more)
    return more, c * rows - s * reach, c * reach + s * rows


def _patch(picture: Floats, lying: Doubles) -> Floats:
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    size = _PATCH, _PATCH
    patch = cv2.warpAffine(picture, lying, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(patch, np.float32)


def _turn(picture: Grey, place: tuple[float, float], side: float) -> float:
    """Return how a die is turned, radians: most of its edges run that way or across it."""
    rows, columns = (_span(middle, 0.8 * side) for middle in (place[1], place[0]))
    part = cv2.GaussianBlur(picture[rows, columns].astype(np.float32), (0, 0), 1.0)
    slope = cv2.Sobel(part, cv2.CV_32F, 1, 0) + 1j * cv2.Sobel(part, cv2.CV_32F, 0, 1)
    length = np.maximum(np.abs(slope), 1e-3)
    return float(np.angle((slope**4 / length**2).sum())) / 4


def _span(middle: float, reach: float) -> slice:
    return slice(max(0, round(middle - reach)), round(middle + reach) + 1)


class _Pips(NamedTuple):
    """right, down: their middle, px of a patch. body: grey of the top between them."""

    right: float
    down: float
    number: int
    body: float


def _pips(grey: Floats) -> _Pips | None:
    """Return the pips of a top in a patch."""
    right = down = _MIDDLE
    count, body = 0, 0.0
    for _ in range(2):  # around the top as it was found, then around its pips
        rows, columns = (_span(middle, _TOP * _EDGE) for middle in (down, right))
        part = grey[rows, columns]
        body = float(np.median(part))
        low, high = np.percentile(part, (2, 98))
        pip = low if body - low > high - body else high
        middles = _middles((part - body) * np.sign(pip - body) > _PIP * abs(pip - body))
        if not middles:
            return None
        x, y = np.mean(middles, 0).tolist()
        right, down, count = columns.start + x, rows.start + y, len(middles)
        if max(abs(right - _MIDDLE), abs(down - _MIDDLE)) > _ASTRAY:
            return None
    return _Pips(right, down, count, body)


def _middles(spots: Mask) -> list[tuple[float, float]]:
    """Return the middles of spots that are as large as a pip and do not touch the border."""
    count, _, facts, middles = cv2.connectedComponentsWithStats(spots.astype(np.uint8))
    high, wide = spots.shape
    return [
        (float(middles[k, 0]), float(middles[k, 1]))
        for k, (left, top, across, down, area) in enumerate(facts.tolist())
        if 0 < k < count
        and area >= _LEAST_PIP * _EDGE**2
        and min(left, top) > 0
        and left + across < wide
        and top + down < high
    ]


class _Side(NamedTuple):
    """See DieOutline. rows, reach: px of a patch. beside: what the tray beside it has more than
    the empty one, of the contrast of top and tray."""

    rows: Doubles
    reach: Doubles
    light: float
    step: float
    beside: float


def _side(above: Floats, x: float, y: float, share: float, most: float, blur: int) -> _Side | None:
    """Return how far a die reaches to the right of x in rows around y; None where it has no end.

    above: how much of the contrast of top and tray each pixel has; share, most: what its sides
    have of it.
    """
    rows = round(y) + _ROWS
    first = round(x) + _INSIDE
    if rows[0] < 0 or rows[-1] >= _PATCH:
        return None
    is_outside = above[rows, first:] < share
    windows = np.lib.stride_tricks.sliding_window_view(is_outside, _BESIDE, 1)
    bare = np.asarray(windows.all(-1))
    ends = first + bare.argmax(1)
    if not bare.any(1).all() or ends.max() + blur + 1 >= _PATCH:
        return None
    columns = ends[:, None] + np.arange(-blur - 1, blur + 1)
    values = np.take_along_axis(above[rows], columns, 1)
    # Half way from its side, between pips on it, to what is outside. Where a side is narrow, what
    # is inside is the top.
    is_clear = ends >= np.quantile(ends, _CLEAR) - 1
    inside = float(np.quantile(values[is_clear, 0], _CLEAR))
    outside = float(np.median(values[is_clear, -1]))
    values -= (min(inside, most) + values[:, -1:]) / 2
    is_edge = (values[:, :-1] > 0) & (values[:, 1:] <= 0)
    place = is_edge.argmax(1)[:, None]
    inner, outer = (np.take_along_axis(values, place + k, 1) for k in (0, 1))
    crossing = np.take_along_axis(columns, place, 1) + inner / np.maximum(inner - outer, 1e-6)
    crossing = np.where(is_edge.any(1), crossing[:, 0], columns[:, 0])  # a pip has no edge there
    step = (min(inside, most) - outside) / (1 - outside)
    clear = int(ends.max()) + blur + 1  # of the edge in every row
    beside = float(above[rows, clear : clear + _BESIDE].mean())
    return _Side(np.asarray(rows - y, np.float64), np.asarray(crossing - x), inside, step, beside)
