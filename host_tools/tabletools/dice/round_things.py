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
from tabletools.dice.picture_patches import Grey

_FINE = 1.5  # px of the picture for one of the map of middles, as OpenCV advises
_APART = 0.4  # sides between two middles


def has_round_thing(picture: Grey, tops: Sequence[Top]) -> bool:
    """Return whether a circle is seen that is not around the top of a die. A coin with a dot looks
    like a one: around a one no circle may be as perfect as a coin's."""
    beside = any(
        all(_apart(circle, top) > thresholds.BESIDE for top in tops)
        for circle in _circles(picture, tops, thresholds.IS_ROUND)
    )
    ones = [top for top in tops if top.chances.argmax() == 1]
    return beside or any(
        _apart(circle, top) < thresholds.BESIDE
        for circle in (_circles(picture, tops, thresholds.IS_COIN) if ones else [])
        for top in ones
    )


def _circles(picture: Grey, tops: Sequence[Top], perfect: float) -> list[list[float]]:
    """Return (x, y, radius) of circles of the size of coins and chips, so perfect at least."""
    side = usual_side(tops)
    least, most = (round(part * side) for part in thresholds.ROUND_RADIUS)
    circles = cv2.HoughCircles(
        picture,
        cv2.HOUGH_GRADIENT_ALT,
        _FINE,
        _APART * side,
        param1=thresholds.ROUND_GRADIENT,
        param2=perfect,
        minRadius=least,
        maxRadius=most,
    )
    return [] if circles is None else circles.reshape(-1, circles.shape[-1]).tolist()


def _apart(circle: Sequence[float], top: Top) -> float:
    """Return how far the middle of a circle is from that of a top, in its sides."""
    return float(np.hypot(circle[0] - top.x, circle[1] - top.y)) / top.side
