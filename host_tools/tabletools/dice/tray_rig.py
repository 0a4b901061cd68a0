"""The empty tray of a rig, from pictures of throws in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.maps import around, look
from tabletools.dice.picture_patches import Grey, Mask
from tabletools.dice.pictures import Frame
from tabletools.dice.reference import Reference, move, pixels, planes, shift_between

_UNSEEN = 256  # above every grey, so that it is sorted last


def empty_trays(pictures: Iterable[Frame]) -> dict[tuple[int, ...], Reference]:
    """Return the empty tray of each size of which there are enough pictures."""
    groups: dict[tuple[int, ...], list[Frame]] = {}
    for picture in pictures:
        groups.setdefault((picture.height, picture.width), []).append(picture)
    return {
        shape: _empty(group)
        for shape, group in groups.items()
        if len(group) >= thresholds.LEAST_PICTURES
    }


def _empty(pictures: Sequence[Frame]) -> Reference:
    """Return the median of pictures without the dice in them, each shifted onto the first."""
    greys = [*map(pixels, pictures)]
    first = np.median(np.stack(greys), 0).astype(np.uint8)
    shifts = [-shift_between(first, grey) for grey in greys]
    dice = (around(grey.shape, look(grey).tops, thresholds.SHADED) for grey in greys)
    unseen = np.stack(
        [move(each.astype(np.uint8), shift) > 0 for each, shift in zip(dice, shifts, strict=True)]
    )

    def median(rows: Sequence[Grey]) -> Grey:
        return _median(np.stack([*map(move, rows, shifts)]), unseen)

    colours = zip(*map(planes, pictures), strict=False)  # none where one of them is grey
    return Reference(median(greys), colours=tuple(map(median, colours)))


def _median(greys: Grey, unseen: Mask) -> Grey:
    """Return the median (h, w) of greys (n, h, w) that are seen; of all where none is."""
    unseen = unseen & ~unseen.all(0)
    sorted_greys = np.sort(np.where(unseen, _UNSEEN, greys.astype(np.uint16)), 0)
    middle = (len(greys) - unseen.sum(0) - 1) // 2
    return np.asarray(np.take_along_axis(sorted_greys, middle[None], 0)[0], np.uint8)
