"""One picture read by the host's networks: every die found, its face by two networks apart.

What the network of places reads as a whole and what the pips found one by one make on the lattice
of a die must be the same face.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from tablelogic.dice.reasons import AMBIGUOUS, CUT_OFF, FOREIGN, NO_DICE, READ, UNREADABLE
from tabletools.dice import thresholds
from tabletools.dice.maps import CELL, Sight, Top, look, pip_maps
from tabletools.dice.patches import Grey
from tabletools.dice.pip_lattice import face_of
from tabletools.dice.pips import Pips


@dataclass(frozen=True)
class Seen:
    """reason: as of the tray's logic. values: faces that both networks read, sorted. dice: how
    many lie there, read or not."""

    reason: int
    values: list[int]
    dice: int


def read_by_maps(picture: Grey) -> Seen:
    """Return what the networks make of a picture."""
    sight = look(picture)
    tops = _of_one_size(sight.tops)
    maps = pip_maps(picture, tops)
    faces = [_face(top, face_of(pips)) for top, pips in zip(tops, maps, strict=True)]
    values = sorted(face for face in faces if face)
    return Seen(_reason(sight, tops, len(values)), values, len(tops))


def _of_one_size(tops: Sequence[Top]) -> list[Top]:
    """Return tops, their sides not far from the middle one: dice of a table are of one make."""
    if not tops:
        return []
    usual = float(np.median([top.side for top in tops]))
    low, high = (usual * part for part in thresholds.SIDES)
    return [replace(top, side=min(max(top.side, low), high)) for top in tops]


def _face(top: Top, pips: Pips) -> int:
    """Return the face that both surely read, 0 for none."""
    sure = top.chance >= thresholds.LEAST_CHANCE and pips.share >= thresholds.LEAST_PIP_SHARE
    return pips.value if sure and top.value == pips.value else 0


def _reason(sight: Sight, tops: Sequence[Top], read: int) -> int:
    """Return what stands against a throw; read: how many dice were."""
    reason: int = READ if read == len(tops) else UNREADABLE
    if int((sight.foreign > thresholds.IS_FOREIGN).sum()) >= thresholds.MOST_CELLS:
        reason = FOREIGN
    elif _left_over(sight, tops) >= thresholds.MOST_CELLS:
        reason = CUT_OFF
    elif not tops:
        reason = NO_DICE
    elif any(
        np.hypot(a.x - b.x, a.y - b.y) < thresholds.ON_EACH_OTHER * max(a.side, b.side)
        for a, b in combinations(tops, 2)
    ):
        reason = AMBIGUOUS
    return reason


def _left_over(sight: Sight, tops: Sequence[Top]) -> int:
    """Return how many cells show a die where no top is near."""
    left = sight.die > thresholds.IS_DIE
    rows, columns = np.mgrid[0 : left.shape[0], 0 : left.shape[1]] * CELL + (CELL - 1) / 2
    for top in tops:
        left &= np.hypot(columns - top.x, rows - top.y) >= thresholds.REACH * top.side
    return int(left.sum())
