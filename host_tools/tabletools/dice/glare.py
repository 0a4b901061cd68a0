"""Highlights on dice: pixels of a top that are as bright as the camera can show.

A highlight has the shape of a pip often enough, and hides one. Dice so light that their own body
is as bright are not judged: a calibrated tray has none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.maps import Top
from tabletools.dice.picture_patches import Grey


def shines(picture: Grey, tops: Sequence[Top]) -> bool:
    """Return whether there is a highlight on one of the tops."""
    return any(_shines(picture, top) for top in tops)


def _shines(picture: Grey, top: Top) -> bool:
    half = top.side / 2
    rows, columns = (
        slice(max(0, round(middle - half)), round(middle + half) + 1) for middle in (top.y, top.x)
    )
    part = picture[rows, columns]
    away = np.hypot(
        np.arange(part.shape[0])[:, None] + rows.start - top.y,
        np.arange(part.shape[1])[None] + columns.start - top.x,
    )
    greys = part[away < half]
    bright = greys >= thresholds.SATURATED
    is_dim = float(np.median(greys)) < thresholds.SATURATED - thresholds.SHINE
    return is_dim and bright.sum() >= max(2.0, thresholds.LEAST_SHINE * top.side**2)
