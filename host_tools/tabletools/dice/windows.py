"""Which parts of a picture the network has to look at: what differs from the empty tray.

Everything else is plain ground, and was compared already.
"""

from __future__ import annotations

import cv2
import numpy as np

from tabletools.dice.picture_patches import Mask
from tabletools.dice.pieces import pieces

ROUND = 8  # px; the sides of a part are multiples of it
_AROUND_PX = 32  # of plain ground around a thing
_MOST = 0.6  # of a picture: where its parts are more, it is looked at as one

Window = tuple[slice, slice]
"""Rows and columns, px."""


def windows(shape: tuple[int, ...], things: Mask | None) -> list[Window]:
    """Return the windows of a picture with all its things, apart; the whole picture if None.

    shape: height and width, multiples of ROUND.
    """
    blocks = np.ones([side // ROUND for side in shape], np.bool_)
    if things is not None:
        blocks = _around(things, blocks.shape)
        count = 0
        while count != (count := int(blocks.sum())):  # until no two rectangles meet
            for left, top, across, down, _ in pieces(blocks):
                blocks[top : top + down, left : left + across] = True
        blocks |= blocks.mean() > _MOST
    return [
        (
            slice(ROUND * top, ROUND * (top + down)),
            slice(ROUND * left, ROUND * (left + across)),
        )
        for left, top, across, down, _ in pieces(blocks)
    ]


def _around(things: Mask, shape: tuple[int, ...]) -> Mask:
    """Return which blocks of ROUND px show a thing or what is around it."""
    blocks = np.zeros(shape, np.uint8)
    rows, columns = np.nonzero(things)
    blocks[rows // ROUND, columns // ROUND] = 1
    size = 2 * (_AROUND_PX // ROUND) + 1
    return np.asarray(cv2.dilate(blocks, np.ones((size, size), np.uint8)) > 0)
