"""Coins and chips: things whose outline is a circle, beside the dice of a picture.

The network takes the plain ones for ground. An outline is a circle when its gradients point to one
middle all around (`cv2.HOUGH_GRADIENT_ALT`).
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.maps import Top, usual_side
from tabletools.dice.patches import Grey

_FINE = 1.5  # px of the picture for one of the map of middles, as OpenCV advises
_APART = 0.4  # sides between two middles


def has_round_thing(picture: Grey, tops: Sequence[Top]) -> bool:
    """Return whether a circle is seen that is not around the top of a die."""
    side = usual_side(tops)
    least, most = (round(part * side) for part in thresholds.ROUND_RADIUS)
    found = cv2.HoughCircles(
        picture, cv2.HOUGH_GRADIENT_ALT, _FINE, _APART * side, param1=thresholds.ROUND_GRADIENT,
        param2=thresholds.IS_ROUND, minRadius=least, maxRadius=most,
    )  # fmt: skip
    circles = np.empty((0, 3)) if found is None else found.reshape(-1, found.shape[-1])
    return any(
        all(np.hypot(x - top.x, y - top.y) > thresholds.BESIDE * top.side for top in tops)
        for x, y, *_ in circles.tolist()
    )
