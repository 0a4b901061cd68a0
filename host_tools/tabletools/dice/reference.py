"""The empty tray: made from the pictures of a rig, and what differs from it in another picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice.network import Grey

LEAST_PICTURES = 5  # of a rig: with fewer the median keeps dice that lie at one place twice
_FARTHEST = 6.0  # px a picture of a fixed rig may be shifted
_LEAST_STEP = 10.0  # greys, beside the noise, by which something differs
_NOISES = 4.0
_MOST_NOISE = 15.0  # greys: with more it is a picture of something else
_MOST = 0.5  # share of a picture that may differ before it is one of another rig

_GRAIN = np.ones((2, 2), np.uint8)  # single pixels are noise

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Difference:
    """differs: what is not the tray's own. strongly: so much that no shadow explains it."""

    differs: Mask
    strongly: Mask


@dataclass(frozen=True)
class Reference:
    """Grey of the empty tray."""

    grey: Grey

    def difference(self, picture: Grey) -> Difference | None:
        """Return what differs; None when the picture is not one of this rig."""
        if picture.shape != self.grey.shape:
            return None
        empty = _shifted(self.grey, _shift(self.grey, picture)).astype(np.float32)
        seen = picture.astype(np.float32)
        gain = np.median((seen + 8) / (empty + 8))
        low, high = (gain * (way(empty, np.ones((3, 3), np.uint8)) + 8) - 8
                     for way in (cv2.erode, cv2.dilate))  # fmt: skip
        over = np.maximum(seen - high, low - seen)
        noise = 1.5 * float(np.median(np.abs(seen - gain * (empty + 8) + 8)))
        if noise > _MOST_NOISE:
            return None
        least = max(_LEAST_STEP, _NOISES * noise)
        differs = cv2.morphologyEx((over > least).astype(np.uint8), cv2.MORPH_OPEN, _GRAIN) > 0
        if (over > least).mean() > _MOST:
            return None
        shade = np.clip(0.45 * gain * empty, 0, None)
        return Difference(differs, differs & ((seen > high) | (low - seen > shade) | (over > 60)))


def of_pictures(pictures: Iterable[Grey]) -> dict[tuple[int, ...], Reference]:
    """Return, by their size, the median of pictures of one rig, each shifted onto the first."""
    groups: dict[tuple[int, ...], list[Grey]] = {}
    for picture in pictures:
        groups.setdefault(picture.shape, []).append(picture)
    return {
        shape: _median(group) for shape, group in groups.items() if len(group) >= LEAST_PICTURES
    }


def _median(pictures: list[Grey]) -> Reference:
    first = np.median(np.stack(pictures), 0).astype(np.uint8)
    moved = [_shifted(each, -_shift(first, each)) for each in pictures]
    return Reference(np.median(np.stack(moved), 0).astype(np.uint8))


def _shift(reference: Grey, picture: Grey) -> npt.NDArray[np.float64]:
    """Return how far a picture is shifted against the reference, px; none when that is unsure."""
    window = cv2.createHanningWindow(picture.shape[::-1], cv2.CV_32F)
    edges = [cv2.Laplacian(cv2.GaussianBlur(each, (0, 0), 1.5), cv2.CV_32F).clip(-12, 12)
             for each in (reference, picture)]  # fmt: skip
    shift, sure = cv2.phaseCorrelate(*edges, window)
    if sure < 0.1 or max(map(abs, shift)) > _FARTHEST:
        return np.zeros(2)
    return np.array(shift)


def _shifted(picture: Grey, shift: npt.NDArray[np.float64]) -> Grey:
    if max(abs(shift)) < 0.2:
        return picture
    way = np.array(((1, 0, shift[0]), (0, 1, shift[1])))
    return cv2.warpAffine(picture, way, picture.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
