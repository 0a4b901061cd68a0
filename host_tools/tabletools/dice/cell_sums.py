"""Cells of the network's maps: how far they are from the dice, and which ones are of one piece."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice.maps import CELL, Top
from tabletools.dice.picture_patches import Floats, Mask


def apart_from(tops: Sequence[Top], shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return how far each cell is from the next top, in its sides."""
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]] * CELL + (CELL - 1) / 2
    least = np.full(shape, np.inf)
    for top in tops:
        least = np.minimum(least, np.hypot(columns - top.x, rows - top.y) / top.side)
    return least


def pieces(cells: Mask) -> list[list[int]]:
    """Return left, top, width, height and area of each piece, cells."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(cells.astype(np.uint8), connectivity=8)
    return [list(map(int, piece)) for piece in stats[1:]]


def sums(shares: Floats, cells: Mask) -> list[float]:
    """Return the sum of shares in each piece, in the order of pieces()."""
    _, labels = cv2.connectedComponents(cells.astype(np.uint8), connectivity=8)
    totals = np.bincount(labels.ravel(), weights=shares.ravel())
    return [float(each) for each in totals[1:]]
