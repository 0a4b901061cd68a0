"""Frames of one throw at rest, averaged: noise becomes less, and the throw has one verdict."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice import thresholds
from tabletools.dice.picture_patches import FEW, Floats, Grey
from tabletools.dice.pictures import Frame
from tabletools.dice.reference import move, pixels, planes, shift_between
from tabletools.errors import ToolError

Shift = npt.NDArray[np.float64]
"""To the right and down, px."""


def average(frames: Sequence[Frame]) -> Frame | None:
    """Return the mean of frames, each shifted onto the first where the camera shook; None if
    something moved between them. Raises ToolError when they are not of one size."""
    first = frames[0]
    if any((each.width, each.height) != (first.width, first.height) for each in frames):
        sizes = sorted({f"{each.width} x {each.height}" for each in frames})
        step = "give the frames that one camera took of one throw"
        raise ToolError(f"the frames are {' and '.join(sizes)} px", where="--throw", step=step)
    greys = [pixels(each) for each in frames]
    shifts = [np.zeros(2)] * len(greys)
    mean = _mean_at_rest(greys, shifts)
    if mean is None:
        shifts[1:] = [-shift_between(greys[0], each) for each in greys[1:]]
        mean = _mean_at_rest(greys, shifts)
    if mean is None:
        return None
    colours = zip(*map(planes, frames), strict=False)  # none where one of the frames is grey
    means = [_round(_align(plane, shifts)[1]) for plane in colours]
    colour = np.dstack(means).tobytes() if means else b""
    return Frame(first.width, first.height, _round(mean).tobytes(), colour)


def _mean_at_rest(greys: Sequence[Grey], shifts: Sequence[Shift]) -> Floats | None:
    """Return the mean of greys that are shifted so far, None if one of them differs from it."""
    aligned, mean = _align(greys, shifts)
    changes = (_change(each, mean) for each in aligned)
    return mean if max(changes) <= thresholds.MOST_CHANGE else None


def _align(greys: Sequence[Grey], shifts: Sequence[Shift]) -> tuple[Grey, Floats]:
    """Return greys (n, h, w) that are shifted so far, and their mean."""
    stack = np.stack([*map(move, greys, shifts)])
    return stack, np.asarray(stack.mean(0, dtype=np.float32), np.float32)


def _round(mean: Floats) -> Grey:
    return np.asarray(np.rint(mean), np.uint8)


def _change(frame: Grey, mean: Floats) -> float:
    """Return the largest difference of a frame from the mean of all, of a square of a few px.

    In greys, or in multiples of the noise where that is more than thresholds.USUAL_NOISE; a
    border is not compared.
    """
    apart = frame.astype(np.float32) - mean
    apart -= float(np.median(apart[FEW]))
    noise = 1.48 * float(np.median(np.abs(apart[FEW]))) / thresholds.USUAL_NOISE
    square = cv2.blur(apart, (thresholds.CHANGE_PX, thresholds.CHANGE_PX))
    border = thresholds.FARTHEST_PX
    return float(np.abs(square[border:-border, border:-border]).max()) / max(noise, 1.0)
