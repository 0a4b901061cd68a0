"""A corner of a die at the edge of the picture, of which the network sees a little.

Along the edge it stands out from the floor on both sides of it. A wall or a rim continues on at
least one side, and so does a shadow in a corner of the picture.
"""

from __future__ import annotations

import cv2
import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.maps import CELL, Sight, apart_from, usual_side
from tabletools.dice.picture_patches import Floats, Grey, Mask
from tabletools.dice.pieces import pieces, sums

_EDGE_PX = 3  # of the picture along its edge, and over which greys are averaged along it
_GAP_PX = 2  # between a piece and the floor beside it: blur
_LEAST_FLOOR_PX = 4


def has_corner(picture: Grey, sight: Sight, least: float) -> bool:
    """Return whether a corner is seen away from the tops. least: greys by which it stands out."""
    shares = sight.foreign + sight.die
    away = apart_from(sight.tops, shares.shape) >= thresholds.BESIDE
    cells = away & (shares > thresholds.MAY_BE_CORNER)
    low = [CELL * cells - px for cells, px in zip(shares.shape, picture.shape, strict=True)]
    filled = cv2.copyMakeBorder(picture, 0, low[0], 0, low[1], cv2.BORDER_REPLICATE)
    side = usual_side(sight.tops)
    return any(
        _stands_out(
            np.rot90(filled, turn), np.rot90(shares, turn), np.rot90(cells, turn), side, least
        )
        for turn in range(4)
    )


def _stands_out(picture: Grey, shares: Floats, cells: Mask, side: float, least: float) -> bool:
    """Return whether a small piece stands out by this many greys along the upper edge."""
    line = cv2.blur(picture[:_EDGE_PX].mean(0, dtype=np.float32)[None], (_EDGE_PX, 1))[0]
    for (left, top, across, down, _), share in zip(
        pieces(cells), sums(shares, cells), strict=True
    ):
        is_small = CELL * max(across, down) <= thresholds.LONGEST_AT_EDGE * side
        if top or share < thresholds.LEAST_CORNER or not is_small:
            continue
        first, last = CELL * left, CELL * (left + across)
        before = line[max(0, int(first - side)) : max(0, first - _GAP_PX)]
        after = line[last + _GAP_PX : int(last + side)]
        if min(len(before), len(after)) < _LEAST_FLOOR_PX:
            continue
        here, floor = line[first:last], (float(np.median(before)), float(np.median(after)))
        if max(here.max() - max(floor), min(floor) - here.min()) >= least:
            return True
    return False
