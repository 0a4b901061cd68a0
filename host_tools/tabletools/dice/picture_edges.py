"""Edges of a picture by the direction in which they get lighter, without those of pips."""

from __future__ import annotations

import cv2
import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.picture_patches import Floats, Mask
from tabletools.dice.second_camera import Colour

BINS = 16  # directions of a map
_BLUR_PX = 1.2  # sigma
_REACHES_PX = 3.5, 1.3  # from an edge to where a map has 0.6: to look for dice, and to fit them
_PIP_PX = 15  # wider than a pip
_LARGEST_PIP_PX, _LEAST_PIP_PX, _LEAST_PIP_AREA = 18, 3, 10


def edge_maps(part: Colour) -> list[Floats]:
    """Return two maps (BINS, height, width): how near an edge of that direction is, 0-1."""
    smooth = cv2.GaussianBlur(part.astype(np.float32), (0, 0), _BLUR_PX)
    right, down = (
        np.asarray(cv2.Sobel(smooth, cv2.CV_32F, *way, ksize=3, scale=1 / 8), np.float32)
        for way in ((1, 0), (0, 1))
    )
    channel = (right * right + down * down).argmax(-1)[..., None]
    right, down = (np.take_along_axis(each, channel, -1)[..., 0] for each in (right, down))
    pips = _pips(np.asarray(smooth, np.float32))
    is_edge = _ridges(right, down) & ~pips
    angle = np.arctan2(down, right) % (2 * np.pi)
    way = (angle / (2 * np.pi) * BINS).astype(np.int64) % BINS
    apart = np.full((BINS, *way.shape), np.inf, np.float32)
    for number in range(BINS):
        off = (way - number + 1) % BINS  # 0 to 2: this direction or one beside it
        there = is_edge & (off <= 2)
        if there.any():
            apart[number] = cv2.distanceTransform((~there).astype(np.uint8), cv2.DIST_L2, 5)
    return [np.where(pips, 0, np.exp(-0.5 * (apart / reach) ** 2)) for reach in _REACHES_PX]


def _ridges(right: Floats, down: Floats) -> Mask:
    """Return where the gradient is highest across an edge."""
    steep = np.hypot(right, down)
    least = max(
        thresholds.LEAST_GRADIENT,
        thresholds.GRADIENT_SHARE * float(np.percentile(steep, 98)),
        thresholds.GRADIENT_NOISES * float(np.median(steep)),
    )
    x, y = right / np.maximum(steep, 1e-6), down / np.maximum(steep, 1e-6)
    rows, columns = np.mgrid[0 : steep.shape[0], 0 : steep.shape[1]].astype(np.float32)
    before, after = (
        cv2.remap(
            steep,
            columns + by * x,
            rows + by * y,
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        for by in (-1, 1)
    )
    return np.asarray((steep > least) & (steep >= before) & (steep > after))


def _pips(smooth: Floats) -> Mask:
    """Return where pips are: small round spots, lighter or darker than what is around them."""
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (_PIP_PX, _PIP_PX))
    pips = np.zeros(smooth.shape[:2], np.uint8)
    for way in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT):
        step = cv2.morphologyEx(smooth, way, around).max(-1)
        least = max(thresholds.LEAST_PIP, thresholds.PIP_SHARE * float(np.percentile(step, 99.5)))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(
            (step > least).astype(np.uint8), connectivity=4
        )
        for spot in range(1, count):
            _, _, wide, high, area = stats[spot]
            is_small = max(wide, high) <= _LARGEST_PIP_PX and min(wide, high) >= _LEAST_PIP_PX
            if is_small and area >= max(_LEAST_PIP_AREA, thresholds.PIP_FILLS * wide * high):
                pips[labels == spot] = 1
    return np.asarray(cv2.dilate(pips, np.ones((3, 3), np.uint8)) > 0)
