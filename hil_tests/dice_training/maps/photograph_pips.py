"""Where the pips of photographed dice are: the known face laid on the network's map of pips."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from hil_tests.dice_training.maps.faces import FACES
from tabletools.dice.maps import DIE, look, look_closer
from tabletools.dice.picture_patches import Floats, Grey

_LOOKS = (0.4, 1.1, 2.5, 3.2, 4.6, 5.6)  # turns of patches, radians
_TURNS = np.radians(np.arange(0, 180, 3))
_PITCHES = np.arange(0.18, 0.32, 0.02) * DIE  # px of a patch
_OFF = np.arange(-4, 5)  # px of a patch, from its middle
_NEAR = 0.4  # sides between a top that was found and the middle of a die's box
_LEAST_MEAN, _LEAST, _LEAST_APART = 0.2, 0.05, 0.15  # of the map: at pips, and against no pips
_PEAK = 2  # px of a patch around a place in which a pip's middle is
_PLACES = np.array([(k % 3 - 1.0, k // 3 - 1.0) for k in range(9)])


def pips_of(
    picture: Grey, dice: Sequence[Sequence[float]]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return (places (n, 9, 2), px, there (n, 9)) of the pips of dice (x0, y0, x1, y1, value);
    none are there of a die where they are not found."""
    places = np.zeros((len(dice), 9, 2), np.float32)
    there = np.zeros((len(dice), 9), np.float32)
    tops = look(picture).tops
    for row, (x0, y0, x1, y1, value) in enumerate(dice):
        x, y, longest = (x0 + x1) / 2 - 0.5, (y0 + y1) / 2 - 0.5, max(x1 - x0, y1 - y0)
        near = [top for top in tops if np.hypot(top.x - x, top.y - y) < _NEAR * longest]
        if value < 1 or not near:
            continue
        top = near[0]
        (die,) = look_closer(picture, [top], _LOOKS)
        laid = _laid(die.pips, int(value))
        if laid is not None:
            dots, pattern = laid
            places[row] = (top.x, top.y) + (dots - (len(die.pips) - 1) / 2) * top.side / DIE
            there[row] = pattern
    return places, there


def _laid(
    pips: Floats, value: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]] | None:
    """Return (places (9, 2) of a lattice in a map, which are pips of a face), None if unclear."""
    blurred = np.asarray(cv2.GaussianBlur(pips, (0, 0), 0.7), np.float32)
    c, s = np.cos(_TURNS)[:, None, None], np.sin(_TURNS)[:, None, None]
    scaled = _PLACES * _PITCHES[:, None, None]  # pitch, 9, 2
    x, y = scaled[..., 0], scaled[..., 1]
    lattice = np.stack((c * x - s * y, s * x + c * y), -1).reshape(-1, 1, 9, 2)
    off = np.stack(np.meshgrid(_OFF, _OFF), -1).reshape(1, -1, 1, 2)
    every = (lattice + off + (len(pips) - 1) / 2).reshape(-1, 9, 2)
    index = np.rint(every).astype(int)
    values = blurred[index[..., 1], index[..., 0]]
    best: tuple[float, npt.NDArray[np.float64], npt.NDArray[np.bool_]] | None = None
    for bits in FACES[value]:
        pattern = np.array([bits >> k & 1 for k in range(9)], bool)
        mean, others = values[:, pattern].mean(1), values[:, ~pattern].mean(1)
        apart = np.where(values[:, pattern].min(1) > _LEAST, mean - others, 0)
        row = int(apart.argmax())
        least = _LEAST_APART if best is None else best[0]
        if mean[row] >= _LEAST_MEAN and apart[row] >= least:
            best = float(apart[row]), every[row], pattern
    if best is None:
        return None
    _, places, pattern = best
    return places + _beside(blurred, places[pattern]), pattern


def _beside(picture: Floats, places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how far the peaks of a map lie beside places, on average."""
    offsets = np.arange(-_PEAK, _PEAK + 1)
    places_found = []
    for x, y in np.rint(places).astype(int):
        part = picture[y - _PEAK : y + _PEAK + 1, x - _PEAK : x + _PEAK + 1].astype(float)
        off = np.array(((part * offsets).sum(), (part * offsets[:, None]).sum())) / max(
            part.sum(), 1e-6
        )
        places_found.append(np.array((x, y)) + off)
    return np.asarray(np.mean(places_found - places, 0))
