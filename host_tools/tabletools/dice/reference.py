"""The empty tray of a rig, and a picture in which all that does not differ from it is plain cloth.

What differs keeps its contrast against the ground below it. So walls, rims, print and grain are
gone before a picture is read, and an arm, a chip or a card is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice import thresholds
from tabletools.dice.picture_patches import FEW, Floats, Grey, Mask
from tabletools.dice.pictures import Frame

_OFFSET = 8.0  # greys of a black pixel, so that the ratio of two dark pictures is defined


def pixels(frame: Frame) -> Grey:
    """Return the rows of grey of a frame."""
    return np.frombuffer(frame.grey, np.uint8).reshape(frame.height, frame.width)


def planes(frame: Frame) -> list[Grey]:
    """Return the rows of red, green and blue of a frame, none of a grey one."""
    colour = np.frombuffer(frame.colour, np.uint8).reshape(-1, frame.height, frame.width, 3)
    return [np.ascontiguousarray(colour[0, ..., plane]) for plane in range(3 * len(colour))]


@dataclass(frozen=True)
class Compared:
    """plain: the picture with plain cloth wherever it shows the empty tray. differs: elsewhere."""

    plain: Grey
    differs: Mask


class Floor(NamedTuple):
    """Where dice may lie. mask: the floor; near: it and what a top on it may cover beside it."""

    mask: Mask
    near: Mask


@dataclass(frozen=True)
class Reference:
    """Grey of the empty tray. floor: None where dice may lie anywhere in the picture. colours: its
    red, green and blue, or none."""

    grey: Grey
    floor: Floor | None = None
    colours: tuple[Grey, ...] = ()

    @classmethod
    def from_frame(cls, frame: Frame) -> Reference:
        """Return the empty tray of a picture of it."""
        return cls(pixels(frame), colours=tuple(planes(frame)))

    def differing(self, colours: Sequence[Grey]) -> list[Mask]:
        """Return where each of a picture's colours differs from that of the empty tray: a thing of
        the ground's own grey differs in one of them. None where either is grey."""
        masks = []
        for empty, colour in zip(self.colours, colours, strict=False):
            compared = Reference(empty, self.floor).compared(colour)
            masks.append(compared.differs if compared else np.ones(colour.shape, np.bool_))
        return masks

    def compared(self, picture: Grey) -> Compared | None:
        """Return what a picture shows beside the empty tray.

        None when it cannot be a picture of this rig in its light: it has another size, is too
        dark, or differs too much.
        """
        if picture.shape != self.grey.shape:
            return None
        greys = picture.astype(np.float32)
        empty = move(self.grey, shift_between(self.grey, picture)).astype(np.float32)
        ground = self.floor.mask if self.floor else np.ones(picture.shape, np.bool_)
        few = ground[FEW]
        gain = _gain(empty[FEW][few], greys[FEW][few])
        empty = gain * (empty + _OFFSET) - _OFFSET
        noise = 1.5 * float(np.median(np.abs(greys[FEW] - empty[FEW])[few]))
        above = _above(greys, empty)
        least = max(thresholds.LEAST_STEP, thresholds.NOISES * noise)
        things = _things(np.abs(above) > least)
        if gain < thresholds.LEAST_GAIN or noise > thresholds.MOST_NOISE:
            return None
        if things[ground].mean() > thresholds.MOST_DIFFERS:
            return None
        cloth = float(np.median(empty[FEW][few & ~things[FEW]]))
        plain = cloth + np.clip(above, -least, least)
        if self.floor:
            things = _on_floor(things, self.floor)
            plain[~ground] = cloth
        count, labels = cv2.connectedComponents(things.astype(np.uint8), connectivity=8)
        for label in range(1, count):
            thing = labels == label
            plain[thing] = greys[thing] + (cloth - float(np.median(empty[thing])))
        return Compared(np.asarray(np.clip(np.rint(plain), 0, 255), np.uint8), things)


def _above(greys: Floats, empty: Floats) -> Floats:
    """Return by how much each pixel is above or below every grey of the empty tray near it."""
    near = np.ones((thresholds.NEIGHBOURS_PX, thresholds.NEIGHBOURS_PX), np.uint8)
    low, high = cv2.erode(empty, near), cv2.dilate(empty, near)
    return np.asarray(greys - np.clip(greys, low, high), np.float32)


def _things(differs: Mask) -> Mask:
    """Return what differs without single pixels, gaps closed, each piece convex.

    The top of a die may have the ground's own grey; its edge, pips and shadow have not.
    """
    mask = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    gap = np.ones((thresholds.GAP_PX, thresholds.GAP_PX), np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, gap)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    for outline in outlines:
        cv2.fillConvexPoly(mask, cv2.convexHull(outline), 1)
    return np.asarray(mask > 0)


def _on_floor(things: Mask, floor: Floor) -> Mask:
    """Return the things that are on the floor, with what they cover near it."""
    _, labels = cv2.connectedComponents((things & floor.near).astype(np.uint8), connectivity=8)
    return np.asarray(np.isin(labels, np.unique(labels[floor.mask & (labels > 0)])))


def _gain(empty: Floats, greys: Floats) -> float:
    """Return by what a picture is brighter than the reference."""
    return float(np.median((greys + _OFFSET) / (empty + _OFFSET)))


def shift_between(reference: Grey, picture: Grey) -> npt.NDArray[np.float64]:
    """Return by how many px a picture is shifted: that with which the two differ least."""
    empty, greys = _smooth(reference), _smooth(picture)
    empty *= np.float32(_gain(empty[FEW], greys[FEW]))
    far = thresholds.FARTHEST_PX
    rough = _costs(empty[::2, ::2], greys[::2, ::2], far // 2)  # smoothed, it misses nothing
    x, y = min(product(range(-far // 2, far // 2 + 1), repeat=2), key=lambda place: rough(*place))
    cost = _costs(empty, greys, far)
    near = product(*((2 * along - 1, 2 * along, 2 * along + 1) for along in (x, y)))
    x, y = min(near, key=lambda place: cost(*place))
    return np.array(
        (
            x + _vertex(cost(x - 1, y), cost(x, y), cost(x + 1, y)),
            y + _vertex(cost(x, y - 1), cost(x, y), cost(x, y + 1)),
        )
    )


def _smooth(picture: Grey) -> Floats:
    grey = picture.astype(np.float32)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), thresholds.SHIFT_SMOOTH_PX), np.float32)


def _costs(empty: Floats, greys: Floats, far: int) -> Callable[[int, int], float]:
    """Return by how much two pictures differ when one is shifted so far, infinite beyond far."""
    height, width = (size - 2 * far for size in greys.shape)
    inner = np.ascontiguousarray(greys[far:-far, far:-far])
    empty = np.ascontiguousarray(empty)

    @cache
    def cost(x: int, y: int) -> float:
        if max(abs(x), abs(y)) > far:
            return math.inf
        part = empty[far - y :, far - x :][:height, :width]
        differs = cv2.absdiff(inner, part)
        cv2.threshold(differs, thresholds.SHIFT_MOST, 0, cv2.THRESH_TRUNC, differs)
        return cv2.norm(differs, cv2.NORM_L2SQR) / differs.size

    return cost


def _vertex(before: float, middle: float, after: float) -> float:
    """Return where the parabola through costs at -1, 0 and 1 is lowest; 0 when it has no place."""
    curve = before - 2 * middle + after
    if not 0 < curve < math.inf:
        return 0.0
    return max(-0.5, min(0.5, (before - after) / (2 * curve)))


def move(picture: Grey, shift: npt.NDArray[np.float64]) -> Grey:
    """Return a picture shifted so far, px."""
    if max(abs(shift)) < 0.2:
        return picture
    way = np.array(((1, 0, shift[0]), (0, 1, shift[1])))
    moved = cv2.warpAffine(picture, way, picture.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)
