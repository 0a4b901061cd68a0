"""Polygons that users list: whether they are what can be filled as one."""

import cv2
import numpy as np
import numpy.typing as npt


def is_convex(corners: npt.NDArray[np.int32]) -> bool:
    """Whether corners, listed in order, are of a convex polygon that does not cross itself.

    A star of five points turns the same way at each corner too, but its hull is larger.
    """
    if not cv2.isContourConvex(corners):
        return False
    hull = cv2.contourArea(cv2.convexHull(corners))
    return bool(abs(hull - cv2.contourArea(corners)) < 1)
