"""One picture read by the host: every die found, its face by two readings, and what else is there.

The network names the face of a die as a whole. Its pips have to lie on the lattice that dice have,
found in the network's map of pips or, without a network, in the picture itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from tablelogic.dice.reasons import (
    AMBIGUOUS,
    COCKED,
    CUT_OFF,
    FOREIGN,
    NO_DICE,
    READ,
    TOO_DARK,
    UNREADABLE,
)
from tabletools.dice import thresholds
from tabletools.dice.maps import CELL, Die, Sight, Top, look, look_closer
from tabletools.dice.patches import Grey
from tabletools.dice.pip_lattice import face_of
from tabletools.dice.pips import read_pips

_CONTRADICTED = -1  # instead of a face: two clear readings differ


@dataclass(frozen=True)
class _Look:
    """turns: of patches for the network, radians. sides: of a top's, for the lattice of pips."""

    turns: tuple[float, ...]
    sides: tuple[float, ...]


_FIRST = _Look((0.4, 2.5), (1.1,))
_IN_DOUBT = _Look((0.4, 1.1, 2.5, 3.2, 4.6, 5.6), (1.0, 1.1, 1.2))


def read_by_maps(picture: Grey) -> tuple[int, list[int], list[Top]]:
    """Return (reason, sorted values, tops) of a picture; the values are of dice surely read."""
    if int(cv2.blur(picture, (8, 8)).max()) < thresholds.DARKEST:
        return TOO_DARK, [], []
    sight = look(picture)
    dice = look_closer(picture, _of_one_size(sight.tops), _FIRST.turns)
    reason = _scene(sight, [die.top for die in dice])
    faces = [_face(picture, die, _FIRST) for die in dice]
    if reason == READ:
        faces = [
            face if face > 0 else _again(picture, die)
            for face, die in zip(faces, dice, strict=True)
        ]
        if _CONTRADICTED in faces:
            reason = AMBIGUOUS
        elif 0 in faces:
            reason = UNREADABLE
    return reason, sorted(face for face in faces if face > 0), [die.top for die in dice]


def _again(picture: Grey, die: Die) -> int:
    """Return the face of a die that was in doubt: looked at in more turns and sizes."""
    (more,) = look_closer(picture, [die.top], _IN_DOUBT.turns)
    return _face(picture, more, _IN_DOUBT)


def _of_one_size(tops: Sequence[Top]) -> list[Top]:
    """Return tops, their sides not far from the middle one: dice of a table are of one make."""
    if not tops:
        return []
    usual = float(np.median([top.side for top in tops]))
    low, high = (usual * part for part in thresholds.SIDES)
    return [replace(top, side=min(max(top.side, low), high)) for top in tops]


def _face(picture: Grey, die: Die, how: _Look) -> int:
    """Return the face that two readings surely show, 0 for none, _CONTRADICTED."""
    top = die.top
    value = int(top.chances.argmax())
    if not value:
        return 0
    place = top.x + 0.5, top.y + 0.5
    seconds = [
        face_of(die.pips),
        *(read_pips(picture, place, side * top.side) for side in how.sides),
    ]
    agrees = max((pips.share for pips in seconds if pips.value == value), default=0.0)
    differs = max((pips.share for pips in seconds if pips.value not in (0, value)), default=0.0)
    if differs >= max(agrees, thresholds.CONTRADICTS):
        return _CONTRADICTED
    sure = top.chances[value] >= thresholds.LEAST_CHANCE and top.body >= thresholds.LEAST_BODY
    return value if sure and agrees >= thresholds.LEAST_SHARE else 0


def _scene(sight: Sight, tops: Sequence[Top]) -> int:
    """Return what stands against a throw, whatever the faces."""
    apart = _apart(sight.foreign.shape, tops)
    reason: int = READ
    foreign = (sight.foreign > thresholds.IS_FOREIGN) & (apart >= thresholds.BESIDE)
    if _largest(foreign) >= thresholds.LEAST_FOREIGN:
        reason = FOREIGN
    elif _is_cut(sight.die > thresholds.IS_DIE, apart):
        reason = CUT_OFF
    elif not tops:
        reason = NO_DICE
    elif _leans(sight.foreign.shape, tops):
        reason = COCKED
    elif any(
        np.hypot(a.x - b.x, a.y - b.y) < thresholds.ON_EACH_OTHER * max(a.side, b.side)
        for a, b in combinations(tops, 2)
    ):
        reason = AMBIGUOUS
    return reason


def _apart(shape: tuple[int, ...], tops: Sequence[Top]) -> npt.NDArray[np.float64]:
    """Return how far each cell is from the next top, in its sides."""
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]] * CELL + (CELL - 1) / 2
    least = np.full(shape, np.inf)
    for top in tops:
        least = np.minimum(least, np.hypot(columns - top.x, rows - top.y) / top.side)
    return least


def _largest(cells: npt.NDArray[np.bool_]) -> int:
    """Return how many cells the largest piece has."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(cells.astype(np.uint8), connectivity=8)
    return int(stats[1:, cv2.CC_STAT_AREA].max()) if count > 1 else 0


def _is_cut(die: npt.NDArray[np.bool_], apart: npt.NDArray[np.float64]) -> bool:
    """Return whether cells show a die where no top is near, or a part of one at the edge of the
    picture: towards the edge nothing of a whole die is seen beside its top."""
    edge = np.ones_like(die)
    edge[1:-1, 1:-1] = False
    alone = _largest(die & (apart >= thresholds.REACH))
    beside = _largest(die & edge & (apart >= thresholds.BESIDE))
    return alone >= thresholds.LEAST_CUT or beside >= thresholds.LEAST_CUT_AT_EDGE


def _leans(shape: tuple[int, ...], tops: Sequence[Top]) -> bool:
    """Return whether a die leans: it looks so, or its foot is seen where that of no flat one is.

    From above, the foot of a flat die is seen towards the middle of the picture, the farther the
    farther out the die lies.
    """
    if max(top.lean for top in tops) >= thresholds.LEANS:
        return True
    middle = np.array((shape[1] - 1, shape[0] - 1)) * CELL / 2 + (CELL - 1) / 2
    side = float(np.median([top.side for top in tops]))
    out = (np.array([(top.x, top.y) for top in tops]) - middle) / side
    feet = np.array([top.foot for top in tops])
    pull = -float((out * feet).sum()) / max(float((out * out).sum()), 1e-6)
    beside = feet + min(max(pull, 0.0), 1 / thresholds.LOWEST_LENS) * out
    return bool(np.hypot(*beside.T).max() >= thresholds.FOOT_BESIDE)
