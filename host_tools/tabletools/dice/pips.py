"""Reads a face by its pips: round places of one size on the lattice that dice have. No network.

The second of the host's two readers. It shares nothing with the first but the place it is shown.
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
_SHIFTS = np.arange(
    -5, 5.1, 1.25
)  # px: how far the middle of the top may lie from the place given
_SMOOTH = 0.035 * SIDE  # sigma
# No pip is as wide, and what is wider is none.
_DISC = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (11, 11))
_NEAR = 0.16 * SIDE  # px around a pip that are explained by it
_TOP = 0.42 * SIDE  # px from the middle of the top to its sides, less what is rounded
_MORE = 0.5  # share of the best face's share with which one of more pips is meant
_TRIED = 2  # lattices of each face that are looked at closely

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
    """value: the face, 0 when none. margin: greys by which its faintest pip stands out from
    whatever else is on the top; share: the same in percent of its strongest pip."""

    value: int
    margin: float
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


def read_pips(patch: npt.NDArray[np.uint8]) -> Pips:
    """Return what the pips say. patch: PATCH x PATCH, a die of SIDE in its middle."""
    grey = cv2.GaussianBlur(patch, (0, 0), _SMOOTH)
    beyond = grey.astype(np.float32) - np.median(grey[_INSIDE])  # the body between pips is no spot
    found = []
    for way, sign in ((cv2.MORPH_TOPHAT, 1), (cv2.MORPH_BLACKHAT, -1)):
        spots = cv2.morphologyEx(grey, way, _DISC).astype(np.float32)
        found += _faces(np.minimum(spots, np.maximum(sign * beyond, 0)))
    by_value: dict[int, tuple[float, float]] = {0: (0.0, 0.0)}
    for value, margin, share in found:
        by_value[value] = max(by_value.get(value, (-9.0, 0.0)), (share, margin))
    # Of the pips of a four two make a two that is aside: the face that explains more is meant.
    best = max(share for share, _ in by_value.values())
    value = max(value for value, (share, _) in by_value.items() if share >= _MORE * best)
    share, margin = by_value[value]
    return Pips(value, margin, 100 * share)


def _faces(spots: npt.NDArray[np.float32]) -> list[tuple[int, float, float]]:
    """Return (value, margin, share) of the best lattices of each face."""
    seen = spots.ravel()[_PIXELS]
    found = []
    for value, places in FACES:
        on = seen[:, places].min(1)
        rest = [place for place in range(9) if place not in places]
        rise = on - seen[:, rest].max(1)
        for row in np.argpartition(-rise, _TRIED)[:_TRIED]:
            if rise[row] > 0 and on[row] > 0:
                margin = float(on[row]) - _elsewhere(spots, row, places)
                found.append((value, margin, margin / float(seen[row, places].max())))
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
