"""Frames of one throw at rest, averaged: noise becomes less, and the throw has one verdict."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.patches import Floats, Grey
from tabletools.dice.pictures import Frame
from tabletools.dice.reference import pixels, shift_between, shifted
from tabletools.errors import ToolError


def averaged(frames: Sequence[Frame]) -> Frame | None:
    """Return the mean of frames, each shifted onto the first; None if something moved between
    them. Raises ToolError when they are not of one size."""
    first = frames[0]
    if any((each.width, each.height) != (first.width, first.height) for each in frames):
        sizes = sorted({f"{each.width} x {each.height}" for each in frames})
        step = "give the frames that one camera took of one throw"
        raise ToolError(f"the frames are {' and '.join(sizes)} px", where="--throw", step=step)
    greys = [pixels(each) for each in frames]
    stack = np.stack([shifted(each, -shift_between(greys[0], each)) for each in greys])
    mean = np.asarray(stack.mean(0, dtype=np.float32), np.float32)
    if max(_change(each, mean) for each in stack) > thresholds.MOST_CHANGE:
        return None
    grey = np.asarray(np.rint(mean), np.uint8)
    return Frame(first.width, first.height, grey.tobytes())


def _change(frame: Grey, mean: Floats) -> float:
    """Return the largest difference of a frame from the mean of all, of a square of a few px.

    In greys, or in multiples of the noise where that is more than thresholds.USUAL_NOISE; a
    border is not compared.
    """
    apart = frame.astype(np.float32) - mean
    apart -= float(np.median(apart))
    noise = 1.48 * float(np.median(np.abs(apart))) / thresholds.USUAL_NOISE
    square = cv2.blur(apart, (thresholds.CHANGE_PX, thresholds.CHANGE_PX))
    border = thresholds.FARTHEST_PX
    return float(np.abs(square[border:-border, border:-border]).max()) / max(noise, 1.0)
