"""Reads a face by its pips: round spots of one size on the lattice that dice have. No network.

The host's second reader. It shares nothing with the logic of the tray but the place of the die.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
import numpy.typing as npt

SIDE = 32  # px of a die's edge in the patch that is looked at
PATCH = 56  # px of that patch
_TURNS = np.radians(np.arange(0, 90, 7.5))
_PITCHES = SIDE * np.array((0.185, 0.205, 0.225, 0.25, 0.275, 0.3))
_SHIFTS = np.arange(-5, 5.1, 1.25)  # px from the place given to the middle of the top
_SMOOTH = 0.035 * SIDE  # sigma
# Wider than any pip: a wider spot is not one.
_DISC = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (11, 11))
_NEAR = 0.16 * SIDE  # px around a pip that belong to it
_TOP = 0.42 * SIDE  # px from the middle of the top to its edges, without the rounded part
_MORE = 0.5  # of the best face's share: from here a face of more pips is preferred
_TRIED = 2  # lattices of each face that are examined closely

# Places of the lattice, row by row, that have a pip.
FACES = (
    (1, (4,)),
    (2, (0, 8)), (2, (2, 6)),
    (3, (0, 4, 8)), (3, (2, 4, 6)),
    (4, (0, 2, 6, 8)),
    (5, (0, 2, 4, 6, 8)),
    (6, (0, 2, 3, 5, 6, 8)), (6, (0, 1, 2, 6, 7, 8)),
)  # fmt: skip


@dataclass(frozen=True)
class Pips:
    """value: the face, 0 for none. share: how far its faintest pip stands out from every other
    spot on the top, in percent of its strongest pip."""

    value: int
    share: float


def _lattices() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return for each lattice the nine pixels it looks at, and (middle x, y, turn)."""
    pixels, frames = [], []
    steps = np.array(list(product((-1, 0, 1), (-1, 0, 1))))
    for turn, pitch in product(_TURNS, _PITCHES):
        c, s = np.cos(turn) * pitch, np.sin(turn) * pitch
        across = steps[:, 1] * c - steps[:, 0] * s
        down = steps[:, 1] * s + steps[:, 0] * c
        for dx, dy in product(_SHIFTS, _SHIFTS):
            x, y = PATCH / 2 + dx + across, PATCH / 2 + dy + down
            pixels.append(np.rint(y).astype(int) * PATCH + np.rint(x).astype(int))
            frames.append((PATCH / 2 + dx, PATCH / 2 + dy, turn))
    return np.array(pixels), np.array(frames)


_PIXELS, _FRAMES = _lattices()
_ROWS, _COLUMNS = np.mgrid[0:PATCH, 0:PATCH].astype(np.float64)
_INSIDE = np.hypot(_ROWS - PATCH / 2, _COLUMNS - PATCH / 2) < 0.42 * SIDE


def read_pips(picture: npt.NDArray[np.uint8], middle: tuple[float, float], side: float) -> Pips:
    """Return the face of a die. middle: x, y; side: of the die; px."""
    return read_patch(_patch(picture, middle, side))


def _patch(
    picture: npt.NDArray[np.uint8], middle: tuple[float, float], side: float
) -> npt.NDArray[np.uint8]:
    scale = SIDE / side
    # Smoothed first where it is reduced, else pixels would be skipped.
    smooth = cv2.GaussianBlur(picture, (0, 0), 0.4 / scale) if scale < 1 else picture
    x, y = (PATCH / 2 - 0.5 - scale * (place - 0.5) for place in middle)
    way = np.array(((scale, 0.0, x), (0.0, scale, y)))
    size = PATCH, PATCH
    found = cv2.warpAffine(
        smooth, way, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(found, np.uint8)


def read_patch(patch: npt.NDArray[np.uint8]) -> Pips:
    """Return the face in a patch of PATCH x PATCH px with a die of SIDE px in its middle."""
    grey = cv2.GaussianBlur(patch, (0, 0), _SMOOTH)
    beyond = grey.astype(np.float32) - np.median(grey[_INSIDE])  # the bare body is no spot
    found = []
    for way, sign in ((cv2.MORPH_TOPHAT, 1), (cv2.MORPH_BLACKHAT, -1)):
        spots = cv2.morphologyEx(grey, way, _DISC).astype(np.float32)
        found += _faces(np.minimum(spots, np.maximum(sign * beyond, 0)))
    by_value = {0: 0.0}
    for value, share in found:
        by_value[value] = max(by_value.get(value, -1.0), share)
    # Two pips of a four also make a two beside the middle: the face that explains more wins.
    best = max(by_value.values())
    value = max(value for value, share in by_value.items() if share >= _MORE * best)
    return Pips(value, 100 * by_value[value])


def _faces(spots: npt.NDArray[np.float32]) -> list[tuple[int, float]]:
    """Return (value, share) of the best lattices of each face."""
    seen = spots.ravel()[_PIXELS]
    found = []
    for value, places in FACES:
        on = seen[:, places].min(1)
        rest = [place for place in range(9) if place not in places]
        rise = on - seen[:, rest].max(1)
        for row in np.argpartition(-rise, _TRIED)[:_TRIED]:
            if rise[row] > 0 and on[row] > 0:
                margin = float(on[row]) - _elsewhere(spots, row, places)
                found.append((value, margin / float(seen[row, places].max())))
    return found


def _elsewhere(spots: npt.NDArray[np.float32], row: np.int64, places: tuple[int, ...]) -> float:
    """Return the strongest spot on the top that is none of the face's pips."""
    x, y, turn = _FRAMES[row]
    c, s = np.cos(turn), np.sin(turn)
    across = np.abs((_COLUMNS - x) * c + (_ROWS - y) * s)
    down = np.abs((_ROWS - y) * c - (_COLUMNS - x) * s)
    free = np.maximum(across, down) < _TOP
    for pixel in _PIXELS[row, list(places)]:
        free &= np.hypot(_COLUMNS - pixel % PATCH, _ROWS - pixel // PATCH) > _NEAR
    return float(spots[free].max()) if free.any() else 0.0
