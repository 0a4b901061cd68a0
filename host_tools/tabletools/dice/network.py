"""The host's network: what a patch around a place shows, no face or the one on top. Numpy alone.

Its weights, network.npz, are made by `python -m hil_tests.dice_training.host`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from tabletools.dice.patches import SOFTENED, Floats, Grey, softened, way

SIZE = 40  # px of a patch
DIE = 25  # px of a die's edge in it
WEIGHTS = Path(__file__).with_name("network.npz")
_LEAST_SPREAD = 3.0  # greys; less contrast than that is noise
_AT_ONCE = 32  # patches: with more their windows leave the processor's cache

_ROWS, _COLUMNS = (np.mgrid[0:SIZE, 0:SIZE] - (SIZE - 1) / 2) / DIE
_DISC = np.hypot(_ROWS, _COLUMNS) < 0.42  # well inside a die: its contrast counts


class Place(NamedTuple):
    """Middle and side of a top, px, and how the patch is turned, radians."""

    x: float
    y: float
    side: float
    turn: float = 0.0


def read(picture: Grey, places: Sequence[Place]) -> Floats:
    """Return the logarithms of the probabilities of each place: no face, 1 to 6."""
    if not places:
        return np.zeros((0, 7), np.float32)
    parts = [places[k : k + _AT_ONCE] for k in range(0, len(places), _AT_ONCE)]
    return np.concatenate([scores(cut(picture, part)) for part in parts])


def cut(picture: Grey, places: Sequence[Place]) -> Grey:
    """Return the patches at places."""
    patches = np.empty((len(places), SIZE, SIZE), np.uint8)
    smoothed: dict[float, Grey] = {}
    middle = (SIZE - 1) / 2
    for patch, (x, y, side, turn) in zip(patches, places, strict=True):
        step = side / DIE
        source = picture
        if step > SOFTENED:
            key = round(4 * step) / 4
            if key not in smoothed:
                smoothed[key] = softened(picture, key)
            source = smoothed[key]
        lying = way(turn, step, middle, (x - 0.5, y - 0.5))
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        cv2.warpAffine(source, lying, (SIZE, SIZE), patch, flags, cv2.BORDER_REPLICATE)
    return patches


def evened(patches: Grey) -> Floats:
    """Return patches by mean and mean deviation of their disc, -2 to 2."""
    grey = patches.astype(np.float32)
    middle = grey[:, _DISC]
    mean = middle.mean(1)
    spread = np.maximum(np.abs(middle - mean[:, None]).mean(1), _LEAST_SPREAD)
    steps = (grey - mean[:, None, None]) / spread[:, None, None]
    return np.asarray(np.clip(0.625 * steps, -2, 2), np.float32)


def scores(patches: Grey) -> Floats:
    """Return the logarithms of the probabilities of patches."""
    first, second, third, last = _weights()
    out = _layer(evened(patches)[..., None], first, 5, 2)
    out = _layer(out, second, 3, 1)
    half = out.shape[1] // 2
    out = out.reshape(len(out), half, 2, half, 2, -1).max((2, 4))
    out = _layer(out, third, 3, 1)
    sums = out.reshape(len(out), -1) @ last[0] + last[1]
    sums -= sums.max(1, keepdims=True)
    return np.asarray(sums - np.log(np.exp(sums).sum(1, keepdims=True)), np.float32)


def _layer(given: Floats, weights: tuple[Floats, Floats], kernel: int, step: int) -> Floats:
    """Convolve (n, size, size, deep); what comes out is not below 0."""
    count, size, _, deep = given.shape
    places = (size - kernel) // step + 1
    a, b, c, d = given.strides
    shape = (count, places, places, kernel, kernel, deep)
    windows = np.lib.stride_tricks.as_strided(given, shape, (a, b * step, c * step, b, c, d))
    sums = windows.reshape(count * places * places, -1) @ weights[0] + weights[1]
    return np.asarray(np.maximum(sums, 0).reshape(count, places, places, -1))


@cache
def _weights() -> tuple[tuple[Floats, Floats], ...]:
    """Return (weights, biases) of each layer; weights: (kernel * kernel * deep, count)."""
    with np.load(WEIGHTS) as file:
        parts = [file[f"arr_{k}"].astype(np.float32) for k in range(8)]
    return tuple(zip(parts[::2], parts[1::2], strict=True))
