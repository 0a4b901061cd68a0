"""A face from a map of pips: as many as it has, on the lattice that dice have, and no other."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice.maps import DIE
from tabletools.dice.picture_patches import Floats
from tabletools.dice.pips import FACES, Pips

_LEAST_PIP = 0.15  # of the map; less is none
_PITCH = 0.12 * DIE, 0.42 * DIE  # px between two places of the lattice, the side not exact
_OFF = 0.22 * DIE  # px from the middle of the patch to that of the face
_OFF_ONE = 0.15 * DIE  # the same for a one, or one pip of a two that glare hides would do
_MISS = 0.22  # of a pitch by which pips lie beside their places, root of the mean square
_UNEVEN = 1.6  # pitch one way against the other: a six may be squeezed, a top seen from a side
_SKEW = 0.3  # cosine between the lattice's two ways
_TURNS = np.radians(np.arange(0, 180, 7.5))
_TEMPLATES = {
    value: np.array([(place % 3 - 1.0, place // 3 - 1.0) for place in places])
    for value, places in FACES
}
_LEAST_SQUARES = {value: np.linalg.pinv(template) for value, template in _TEMPLATES.items()}


def face_of(pips: Floats) -> Pips:
    """Return the face of a map (n, n), 0-1, with a top of DIE px in its middle; its share: how
    much fainter the next peak is than its own."""
    places, strength = _peaks(pips)
    best = Pips(0, 0.0)
    for value in range(1, min(len(places), 6) + 1):
        rest = strength[value] if len(strength) > value else 0.0
        share = 100 * float(strength[value - 1] - rest)
        if share > best.share and _fits(places[:value], value):
            best = Pips(value, share)
    return best


def _peaks(pips: Floats) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return (places (n, 2) from the patch's middle in px, strengths), the strongest first."""
    peaks = (pips == cv2.dilate(pips, np.ones((3, 3), np.uint8))) & (pips > _LEAST_PIP)
    peaks[[0, -1]] = peaks[:, [0, -1]] = False
    strengths = []
    for row, column in zip(*np.nonzero(peaks), strict=True):
        part = pips[row - 1 : row + 2, column - 1 : column + 2].astype(float)
        x = column + (part[:, 2].sum() - part[:, 0].sum()) / part.sum()
        y = row + (part[2].sum() - part[0].sum()) / part.sum()
        strengths.append((pips[row, column], x, y))
    strengths.sort(reverse=True)
    rows = np.array(strengths).reshape(-1, 3)
    return rows[:, 1:] - (len(pips) - 1) / 2, rows[:, 0]


def _fits(places: npt.NDArray[np.float64], value: int) -> bool:
    """Return whether pips lie as those of a face do, seen from above or somewhat from a side."""
    middle = places.mean(0)
    off = np.hypot(*middle)
    if value == 1 or off > _OFF:
        return bool(off <= _OFF_ONE)
    apart = places - middle
    if value <= 3:
        order = np.argsort(-np.hypot(*apart.T))
        ends = places[order[:2]]
        half = np.hypot(*(ends[1] - ends[0])) / 2
        miss = np.hypot(*(places[order[2]] - ends.mean(0))) if value == 3 else 0.0
        return bool(_PITCH[0] < half / np.sqrt(2) < _PITCH[1] and miss < _MISS * half)
    return any(_matches(apart, value, turn) for turn in _TURNS)


def _matches(apart: npt.NDArray[np.float64], value: int, turn: float) -> bool:
    """Return whether places are those of a face's template, turned about so far."""
    template = _TEMPLATES[value]
    c, s = np.cos(turn), np.sin(turn)
    laid = template @ np.array(((c, s), (-s, c)))
    pitch = np.sqrt((apart**2).sum() / (template**2).sum())
    gaps = np.hypot(*(apart[:, None] / pitch - laid[None]).transpose(2, 0, 1))
    order = gaps.argmin(0)
    if len(set(order)) < len(order):
        return False
    way = _LEAST_SQUARES[value] @ apart[order]
    first, second = np.hypot(*way.T)
    miss = np.sqrt(((template @ way - apart[order]) ** 2).sum(1).mean())
    skew = abs(way[0] @ way[1]) / (first * second)
    return bool(
        miss < _MISS * pitch
        and skew < _SKEW
        and max(first, second) < _UNEVEN * min(first, second)
        and _PITCH[0] < np.sqrt(first * second) < _PITCH[1]
    )
