"""Square patches of a picture, turned and scaled: where their pixels are, and what is smoothed."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Grey = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

FEW = np.s_[::4, ::4]  # pixels of a picture that have its median, one of 16
SOFTENED = 1.15  # px of the picture for one of the patch, from which on it is smoothed first


def soften(picture: Grey, step: float) -> Grey:
    """Return a picture smoothed for patches that have one pixel for `step` of its own."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.45 * step), np.uint8)


def way(
    turn: float, step: float, middle: float, place: tuple[float, float]
) -> npt.NDArray[np.float64]:
    """Return how a patch's px lie in a picture: turned, scaled, its middle at a place."""
    c, s = np.cos(turn) * step, np.sin(turn) * step
    x, y = place
    return np.array(((c, -s, x - middle * (c - s)), (s, c, y - middle * (s + c))))
