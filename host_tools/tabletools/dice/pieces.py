"""Pieces of a map or a picture: which places are of one piece, and what they sum up to."""

from __future__ import annotations

import cv2
import numpy as np

from tabletools.dice.picture_patches import Floats, Mask


def pieces(cells: Mask) -> list[list[int]]:
    """Return left, top, width, height and area of each piece."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(cells.astype(np.uint8), connectivity=8)
    return [list(map(int, piece)) for piece in stats[1:]]


def sums(shares: Floats, cells: Mask) -> list[float]:
    """Return the sum of shares in each piece, in the order of pieces()."""
    _, labels = cv2.connectedComponents(cells.astype(np.uint8), connectivity=8)
    totals = np.bincount(labels.ravel(), weights=shares.ravel())
    return [float(each) for each in totals[1:]]
