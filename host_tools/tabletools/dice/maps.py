"""The host's network, in onnxruntime: it maps a picture, and once more each die it found there.

`python -m hil_tests.dice_training.maps` makes its file. Every look is a mean: of the picture and
its mirror image, and of patches with a die in one size and turned about, so that what the network
says depends less on how a picture lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime

from tabletools.dice.picture_patches import SOFTENED, Floats, Grey, Mask, soften, way
from tabletools.dice.windows import ROUND, windows

CELL = 4  # px of the picture for one of a map
USUAL_SIDE = 28.0  # px; the network gives a side as a logarithm against it
# Its maps: where tops are; which face; from a cell to the top's middle, cells; its side; ground,
# die or neither; whether it leans; its foot beside the middle, sides; pips, 16 px of each cell.
HEAT, FACE, OFFSET, SIDE, KIND = 0, slice(1, 8), slice(8, 10), 10, slice(11, 14)
LEAN, FOOT, PIPS = 14, slice(15, 17), slice(17, 33)
MAPS = 33
PATCH, DIE = 64, 30  # px of a patch, and of a top's edge in it
FILE = Path(__file__).with_name("maps.onnx")
_NOTHING = -20.0  # of a map of chances, where there is ground alone
_LEAST_HEAT = 0.3  # of a peak that is a top
_PEAK = 3  # cells in which there is one peak
_APART = 0.5  # sides; nearer peaks are of one top
_CELLS = PATCH // CELL, PATCH // CELL
_MIDDLE = slice(_CELLS[0] // 2 - 2, _CELLS[0] // 2 + 2)  # where the middle of the top may be


@dataclass(frozen=True)
class Top:
    """x, y: its middle; side; px. heat: how likely it is the middle of a top; body: that there is
    a die, 0-1. chances (7): of no face that counts, 1 to 6. lean: how likely it leans or lies on
    another die, 0-1. foot: where the middle of the face below is seen, beside that of the top, in
    sides to the right and down. is_bodiless: its face is clear, but it may be one on paper."""

    x: float
    y: float
    side: float
    heat: float
    body: float
    chances: Floats
    lean: float
    foot: tuple[float, float]
    is_bodiless: bool = False


def usual_side(tops: Sequence[Top]) -> float:
    """Return the median side of tops, px; 0 of none."""
    return float(np.median([top.side for top in tops])) if tops else 0.0


def around(shape: tuple[int, ...], tops: Sequence[Top], sides: float) -> Mask:
    """Return which pixels lie within this many sides of the middle of a top."""
    disc = np.zeros(shape, np.uint8)
    for top in tops:
        cv2.circle(disc, (round(top.x), round(top.y)), round(sides * top.side), 1, -1)
    return disc > 0


def apart_from(tops: Sequence[Top], shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return how far each cell is from the next top, in its sides."""
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]] * CELL + (CELL - 1) / 2
    least = np.full(shape, np.inf)
    for top in tops:
        least = np.minimum(least, np.hypot(columns - top.x, rows - top.y) / top.side)
    return least


@dataclass(frozen=True)
class Sight:
    """tops: of dice, whole and flat or not. foreign, die: how much of each cell is no die and no
    ground, or a die, 0-1."""

    tops: list[Top]
    foreign: Floats
    die: Floats


@dataclass(frozen=True)
class Die:
    """top: as all looks show it. pips (PATCH, PATCH): how likely a pip's middle is there, 0-1, as
    the picture lies, the top in the middle and DIE px wide. body: that there is a die, by the
    second look alone."""

    top: Top
    pips: Floats
    body: float


@cache
def _network() -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # bets and tables are served on the other cores
    return onnxruntime.InferenceSession(str(FILE), options, providers=["CPUExecutionProvider"])


def _maps(pictures: Floats) -> Floats:
    """Return the maps (n, 33, h / 4, w / 4) of pictures (n, h, w)."""
    (maps,) = _network().run(["maps"], {"grey": pictures[:, None]})
    return np.asarray(maps, np.float32)


def look(picture: Grey, once: bool = False, things: Mask | None = None) -> Sight:
    """Return what lies in a picture; once: without its mirror image, in half of the time.

    things: beside which there is plain ground alone; None where that is not known.
    """
    high, wide = picture.shape
    more = 0, -high % ROUND, 0, -wide % ROUND
    filled = cv2.copyMakeBorder(picture, *more, cv2.BORDER_REPLICATE).astype(np.float32)
    maps = np.zeros((MAPS, *(side // CELL for side in filled.shape)), np.float32)
    maps[HEAT], maps[KIND.start] = _NOTHING, -_NOTHING
    for rows, columns in windows(filled.shape, things):
        part = filled[rows, columns]
        cells = (slice(each.start // CELL, each.stop // CELL) for each in (rows, columns))
        maps[(slice(None), *cells)] = _maps(part[None])[0] if once else _mirrored_mean(part)
    heat = _chance(maps[HEAT])
    peaks = (heat == cv2.dilate(heat, np.ones((_PEAK, _PEAK), np.uint8))) & (heat > _LEAST_HEAT)
    tops: list[Top] = []
    for row, column in sorted(
        np.argwhere(peaks).tolist(), key=lambda place: -heat[place[0], place[1]]
    ):
        top = _top(maps, row, column)
        if all(np.hypot(top.x - a.x, top.y - a.y) > _APART * top.side for a in tops):
            tops.append(top)
    kinds = _shares(maps[KIND])
    return Sight(tops, kinds[2], kinds[1])


def _mirrored_mean(picture: Floats) -> Floats:
    """Return the mean maps of a picture and of its mirror image; pips are not put back.

    Of a lean the surer counts: a die that leans to the side may look flat in one of the two.
    """
    maps, mirrored = _maps(np.stack([picture, picture[:, ::-1]]))
    back = mirrored[:, :, ::-1].copy()
    back[[OFFSET.start, FOOT.start]] *= -1  # to the right
    mean = (maps + back) / 2
    mean[LEAN] = np.maximum(maps[LEAN], back[LEAN])
    return np.asarray(mean, np.float32)


def _top(maps: Floats, row: int, column: int) -> Top:
    """Return what maps say of the top whose middle is in a cell."""
    right, down = CELL * maps[OFFSET, row, column]
    side = float(USUAL_SIDE * np.exp(maps[SIDE, row, column]))
    middle = (CELL - 1) / 2
    near = maps[:, max(0, row - 1) : row + 2, max(0, column - 1) : column + 2].mean((1, 2))
    return Top(
        float(CELL * column + middle + right),
        float(CELL * row + middle + down),
        side,
        float(_chance(maps[HEAT, row, column])),
        float(_shares(near[KIND])[1]),
        _shares(near[FACE]),
        float(_chance(near[LEAN])),
        (float(near[FOOT][0]), float(near[FOOT][1])),
    )


def look_closer(
    picture: Grey, tops: Sequence[Top], turns: Sequence[float], sizes: Sequence[float] = (1.0,)
) -> list[Die]:
    """Return what the first look and a second one show of each top; turns: of the second,
    radians. sizes: that a top is taken to have in it, of its own."""
    if not tops:
        return []
    views = [*product(turns, sizes)]
    patches = np.stack([_cut(picture, top, *view) for top in tops for view in views])
    maps = _maps(patches.astype(np.float32)).reshape(len(tops), len(views), -1, *_CELLS)
    return [_die(top, each, views) for top, each in zip(tops, maps, strict=True)]


def _die(first: Top, maps: Floats, views: Sequence[tuple[float, float]]) -> Die:
    """Return a die of the first look at it and of maps of the second, one of each turn and
    size."""
    turned = [first]
    pips = np.zeros((PATCH, PATCH), np.float32)
    middle = (PATCH - 1) / 2
    for (turn, size), each in zip(views, maps, strict=True):
        part = each[HEAT, _MIDDLE, _MIDDLE]
        row, column = divmod(int(part.argmax()), part.shape[1])
        turned.append(_turn(_top(each, _MIDDLE.start + row, _MIDDLE.start + column), turn))
        heat = each[PIPS].reshape(CELL, CELL, *_CELLS).transpose(2, 0, 3, 1)
        lying = way(-turn, 1 / size, middle, (middle, middle))
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        upright = cv2.warpAffine(
            _chance(heat.reshape(PATCH, PATCH)), lying, (PATCH, PATCH), flags=flags
        )
        pips += upright / np.float32(len(views))
    right, down = np.mean([top.foot for top in turned], 0).tolist()
    chances = np.asarray(np.mean([top.chances for top in turned[1:]], 0), np.float32)
    lean = max(first.lean, float(np.mean([top.lean for top in turned[1:]])))
    top = replace(first, chances=chances, lean=lean, foot=(right, down))
    return Die(top, pips, float(np.mean([top.body for top in turned[1:]])))


def _turn(top: Top, turn: float) -> Top:
    """Return a top of a patch that was turned, its foot as it is in the picture."""
    (right, down), c, s = top.foot, float(np.cos(turn)), float(np.sin(turn))
    return replace(top, foot=(c * right - s * down, s * right + c * down))


def _chance(logits: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)


def _shares(maps: Floats) -> Floats:
    grown = np.exp(maps - maps.max(0))
    return np.asarray(grown / grown.sum(0), np.float32)


def _cut(picture: Grey, top: Top, turn: float, size: float) -> Grey:
    step = size * top.side / DIE
    source = soften(picture, step) if step > SOFTENED else picture
    lying = way(turn, step, (PATCH - 1) / 2, (top.x, top.y))
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    patch = cv2.warpAffine(
        source, lying, (PATCH, PATCH), flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(patch, np.uint8)
