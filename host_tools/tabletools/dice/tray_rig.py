"""The empty tray of a rig, from pictures of throws in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.maps import around, look
from tabletools.dice.picture_patches import Grey, Mask
from tabletools.dice.reference import Reference, move, shift_between

_UNSEEN = 256  # above every grey, so that it is sorted last


def empty_trays(pictures: Iterable[Grey]) -> dict[tuple[int, ...], Reference]:
    """Return the empty tray of each size of which there are enough pictures."""
    groups: dict[tuple[int, ...], list[Grey]] = {}
    for picture in pictures:
        groups.setdefault(picture.shape, []).append(picture)
    return {
        shape: _empty(group)
        for shape, group in groups.items()
        if len(group) >= thresholds.LEAST_PICTURES
    }


def _empty(pictures: Sequence[Grey]) -> Reference:
    """Return the median of pictures without the dice in them, each shifted onto the first."""
    first = np.median(np.stack(pictures), 0).astype(np.uint8)
    greys, unseen = [], []
    for picture in pictures:
        shift = -shift_between(first, picture)
        greys.append(move(picture, shift))
        dice = around(picture.shape, look(picture).tops, thresholds.SHADED)
        unseen.append(move(dice.astype(np.uint8), shift) > 0)
    return Reference(_median(np.stack(greys), np.stack(unseen)))


def _median(greys: Grey, unseen: Mask) -> Grey:
    """Return the median (h, w) of greys (n, h, w) that are seen; of all where none is."""
    unseen &= ~unseen.all(0)
    sorted_greys = np.sort(np.where(unseen, _UNSEEN, greys.astype(np.uint16)), 0)
    middle = (len(greys) - unseen.sum(0) - 1) // 2
    return np.asarray(np.take_along_axis(sorted_greys, middle[None], 0)[0], np.uint8)
