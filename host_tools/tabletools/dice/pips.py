"""Reads a face by its pips: round spots of one size on the lattice that dice have. No network.

The host's second reader. It shares nothing with the network but the place of the die.
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
_PITCHES = SIDE * np.array((0.165, 0.185, 0.205, 0.225, 0.25, 0.275, 0.3))
_SHIFTS = np.arange(-3.75, 3.8, 1.25)  # px from the place given to the middle of the top
_SMOOTH = 0.035 * SIDE  # sigma
# Wider than any pip: a wider spot is not one.
_DISC = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (11, 11))
_NEAR = 0.16 * SIDE  # px around a pip that belong to it
_REACH = int(_NEAR)
_TOP = 2.2  # steps of the lattice from the middle of the top to its edges, without the round part
_FAINTEST = 3  # greys of a smoothed pip: less is rounding
_MORE = 0.5  # of the best face's share: from here a face of more pips is preferred
_TRIED = 2  # lattices of each face that are examined closely

# Places of the lattice, row by row, that have a pip.
FACES = (
    (1, (4,)),
    (2, (0, 8)),
    (2, (2, 6)),
    (3, (0, 4, 8)),
    (3, (2, 4, 6)),
    (4, (0, 2, 6, 8)),
    (5, (0, 2, 4, 6, 8)),
    (6, (0, 2, 3, 5, 6, 8)),
    (6, (0, 1, 2, 6, 7, 8)),
)


@dataclass(frozen=True)
class Pips:
    """value: the face, 0 for none. share: how far its faintest pip stands out from every other
    spot on the top, in percent of its strongest pip."""

    value: int
    share: float


def _lattices() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return for each lattice the nine pixels it looks at, and (middle x, y, turn, pitch)."""
    pixels, frames = [], []
    steps = np.array(list(product((-1, 0, 1), (-1, 0, 1))))
    for turn, pitch in product(_TURNS, _PITCHES):
        c, s = np.cos(turn) * pitch, np.sin(turn) * pitch
        across = steps[:, 1] * c - steps[:, 0] * s
        down = steps[:, 1] * s + steps[:, 0] * c
        for dx, dy in product(_SHIFTS, _SHIFTS):
            middle = (PATCH - 1) / 2 + dx, (PATCH - 1) / 2 + dy
            x, y = np.rint(middle[0] + across), np.rint(middle[1] + down)
            pixels.append(y.astype(int) * PATCH + x.astype(int))
            frames.append((*middle, turn, pitch))
    return np.array(pixels), np.array(frames)


_PIXELS, _FRAMES = _lattices()
_BY_PLACE = np.ascontiguousarray(_PIXELS.T)
_ROWS, _COLUMNS = np.mgrid[0:PATCH, 0:PATCH].astype(np.float64)
_NEAR_PIP = np.hypot(*np.mgrid[-_REACH : _REACH + 1, -_REACH : _REACH + 1]) <= _NEAR
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
    patch = cv2.warpAffine(
        smooth, way, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(patch, np.uint8)


def read_patch(patch: npt.NDArray[np.uint8]) -> Pips:
    """Return the face in a patch of PATCH x PATCH px with a die of SIDE px in its middle."""
    grey = cv2.GaussianBlur(patch, (0, 0), _SMOOTH)
    body = np.full_like(grey, np.median(grey[_INSIDE]))  # bare, it is no spot
    tried: list[_Fit] = []
    for way, sign in ((cv2.MORPH_TOPHAT, 1), (cv2.MORPH_BLACKHAT, -1)):
        beyond = cv2.subtract(grey, body) if sign > 0 else cv2.subtract(body, grey)
        tried += _fits(np.minimum(cv2.morphologyEx(grey, way, _DISC), beyond))
    best: dict[int, float] = {}
    most = 0.0
    for fit in sorted(tried, key=lambda one: -one.most):
        if fit.most < max(_MORE * most, best.get(fit.value, 0.0)):
            continue
        share = fit.share()
        if share > best.get(fit.value, 0.0):
            best[fit.value] = share
            most = max(most, share)
    # Two pips of a four also make a two beside the middle: the face that explains more wins.
    faces = [value for value, share in best.items() if share >= _MORE * most]
    if not faces:
        return Pips(0, 0.0)
    return Pips(max(faces), 100 * best[max(faces)])


@dataclass(frozen=True)
class _Fit:
    """A face on a lattice. most: the share it has when no spot lies beside the lattice."""

    value: int
    most: float
    spots: npt.NDArray[np.uint8]
    row: int
    places: tuple[int, ...]

    def share(self) -> float:
        """Return how far the faintest pip stands out from all else there, of the strongest."""
        pixels = self.spots.ravel()[_PIXELS[self.row, list(self.places)]]
        x, y, turn, pitch = _FRAMES[self.row]
        c, s = np.cos(turn), np.sin(turn)
        across = np.abs((_COLUMNS - x) * c + (_ROWS - y) * s)
        down = np.abs((_ROWS - y) * c - (_COLUMNS - x) * s)
        free = np.maximum(across, down) < _TOP * pitch
        for pixel in _PIXELS[self.row, list(self.places)]:
            row, column = divmod(int(pixel), PATCH)
            top, left = max(0, row - _REACH), max(0, column - _REACH)
            part = free[top : row + _REACH + 1, left : column + _REACH + 1]
            near = _NEAR_PIP[top - row + _REACH :, left - column + _REACH :]
            part &= ~near[: part.shape[0], : part.shape[1]]
        elsewhere = float(self.spots[free].max()) if free.any() else 0.0
        return (float(pixels.min()) - elsewhere) / float(pixels.max())


def _fits(spots: npt.NDArray[np.uint8]) -> list[_Fit]:
    """Return the best lattices of each face."""
    pixels = spots.ravel()[_BY_PLACE]
    fits = []
    for value, places in FACES:
        on = np.minimum.reduce([pixels[place] for place in places])
        rest = np.maximum.reduce([pixels[place] for place in range(9) if place not in places])
        rise = on.astype(np.int16) - rest
        for row in np.argpartition(-rise, _TRIED)[:_TRIED]:
            if rise[row] > 0 and on[row] >= _FAINTEST:
                most = float(rise[row]) / float(pixels[list(places), row].max())
                fits.append(_Fit(value, most, spots, int(row), places))
    return fits
