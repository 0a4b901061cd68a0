"""The host's two networks, run by OpenCV: one finds dice in a picture, one finds pips on a die.

`python -m hil_tests.dice_training.maps` makes their files. Each sees its pictures in more
than one turn, so that what it says does not hang on how the camera is mounted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from tabletools.dice.patches import SOFTENED, Floats, Grey, softened, way

CELL = 4  # px of the picture for one of a map of places
PATCH, DIE = 64, 36  # px of a patch, and of a top's edge in it
PIP_CELL = 2  # px of the patch for one of a map of pips
FILE = Path(__file__).with_name("maps.onnx")
FILES = tuple(Path(__file__).with_name(f"{name}.onnx") for name in ("places", "pips"))
_ROUND = 8  # a picture's sides are filled up to a multiple of it
_USUAL_SIDE = 28.0  # px; the network gives a side as a logarithm against it
_HEAT, _FACE, _OFFSET, _SIDE, _KIND = 0, slice(1, 8), slice(8, 10), 10, slice(11, 14)
_LEAST_HEAT = 0.3  # of a peak that is a top
_APART = 5  # cells in which there is one peak
_PATCH_TURNS = (0.0, 2.1, 4.2)  # radians
_LEAST_SPREAD = 6.0  # greys of a patch


@dataclass(frozen=True)
class Top:
    """x, y: its middle, px; side: px. value: what the network of places reads, 0 for no face that
    counts; chance: how sure it is, 0-1."""

    x: float
    y: float
    side: float
    value: int
    chance: float


@dataclass(frozen=True)
class Sight:
    """tops: of dice, whole and flat or not. foreign, die: how much of each cell is no die and no
    ground, or a die, 0-1."""

    tops: list[Top]
    foreign: Floats
    die: Floats


@cache
def _network(path: Path) -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(str(path))


def look(picture: Grey) -> Sight:
    """Return what lies in a picture, looked at as it is and turned about."""
    high, wide = picture.shape
    more = 0, -high % _ROUND, 0, -wide % _ROUND
    filled = np.asarray(cv2.copyMakeBorder(picture, *more, cv2.BORDER_REPLICATE), np.uint8)
    about = np.rot90(_maps(np.ascontiguousarray(np.rot90(filled, 2))), 2, (1, 2)).copy()
    about[_OFFSET] *= -1
    maps = (_maps(filled) + about) / np.float32(2)
    kinds = _shares(maps[_KIND])
    return Sight(_tops(maps), kinds[2], kinds[1])


def _maps(picture: Grey) -> Floats:
    network = _network(FILES[0])
    network.setInput(picture[None, None].astype(np.float32))
    return np.asarray(network.forward()[0], np.float32)


def _shares(maps: Floats) -> Floats:
    grown = np.exp(maps - maps.max(0))
    return np.asarray(grown / grown.sum(0), np.float32)


def _tops(maps: Floats) -> list[Top]:
    heat = 1 / (1 + np.exp(-maps[_HEAT]))
    peaks = (heat == cv2.dilate(heat, np.ones((_APART, _APART), np.uint8))) & (heat > _LEAST_HEAT)
    near = cv2.blur(maps[_FACE].transpose(1, 2, 0), (3, 3)).transpose(2, 0, 1)
    faces = _shares(np.asarray(near, np.float32))
    found = []
    for row, column in zip(*np.nonzero(peaks), strict=True):
        right, down = CELL * maps[_OFFSET, row, column]
        middle = (CELL - 1) / 2
        face = faces[:, row, column]
        found.append(
            Top(
                float(CELL * column + middle + right),
                float(CELL * row + middle + down),
                float(_USUAL_SIDE * np.exp(maps[_SIDE, row, column])),
                int(face.argmax()),
                float(face.max()),
            )
        )
    return found


def pip_maps(picture: Grey, tops: Sequence[Top]) -> Floats:
    """Return for each top a map (n, 32, 32) of how likely a pip's middle is there, 0-1.

    A patch is upright as the picture is, the top in its middle; its turns are averaged.
    """
    if not tops:
        return np.zeros((0, PATCH // PIP_CELL, PATCH // PIP_CELL), np.float32)
    patches = np.stack([_cut(picture, top, turn) for top in tops for turn in _PATCH_TURNS])
    grey = patches.astype(np.float32)
    spread = np.maximum(grey.std((1, 2), keepdims=True), _LEAST_SPREAD)
    network = _network(FILES[1])
    network.setInput(((grey - grey.mean((1, 2), keepdims=True)) / spread)[:, None])
    heat = 1 / (1 + np.exp(-network.forward()[:, 0]))
    heat = heat.reshape(len(tops), len(_PATCH_TURNS), *heat.shape[1:])
    size = heat.shape[-1]
    maps = np.zeros((len(tops), size, size), np.float32)
    for row, turns in zip(maps, heat, strict=True):
        for turn, each in zip(_PATCH_TURNS, turns, strict=True):
            lying = way(-turn, 1.0, (size - 1) / 2, ((size - 1) / 2, (size - 1) / 2))
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            row += cv2.warpAffine(each, lying, (size, size), flags=flags) / len(_PATCH_TURNS)
    return maps


def _cut(picture: Grey, top: Top, turn: float) -> Grey:
    step = top.side / DIE
    source = softened(picture, step) if step > SOFTENED else picture
    lying = way(turn, step, (PATCH - 1) / 2, (top.x, top.y))
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    found = cv2.warpAffine(
        source, lying, (PATCH, PATCH), flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(found, np.uint8)
