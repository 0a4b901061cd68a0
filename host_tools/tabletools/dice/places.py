"""Where dice lie: the network looks over everything that stands out from the cloth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from tablelogic.dice.cells import SIDE, Cells
from tabletools.dice.network import Place, read
from tabletools.dice.patches import Floats, Grey

Outline = npt.NDArray[np.int32]

_FAINT = 10  # greys beside the noise that make a body
_LEAST, _MOST = 9, 80  # px of a die's side
_SINGLE = 1.5  # times its width a body is long that may be one die
_FULL = 0.6  # of the box around it that one die fills
_SIDES = (1.0, 0.86, 0.73)  # of a body's width: sides and shadow are seen beside the top
_MANY = (0.9, 0.72, 0.55)  # of a group's width, when no die of the picture has been found
_PARTS = (1.0, 1.3, 1.7)  # of a group of pieces, then
_LARGEST = 112  # px of a body that is one die
_GAP = 9  # px between pieces of one die
_MOST_GROUPS = 12
_STEP = 0.3  # of the side between places looked at
_COVERED = 0.75  # of the square around a place that stands out
_FACE = -1.2  # how far the best face may be behind the best class at first
_APART = 0.62  # of the side: nearer places are one die
_TURNS = tuple(0.2 + k * np.pi / 4 for k in range(8))
_LOOKS = 6
_SMALLEST = 0.7  # of the side of the middle one of the sure dice
_SURE = 1.5  # margin of a die that tells the size of others


@dataclass(frozen=True)
class Found:
    """A place, the face read there and its margin: how far it is ahead, natural logarithm."""

    place: Place
    value: int
    margin: float


def find(picture: Grey, cells: Cells) -> list[Found]:
    """Return the dice of a picture, surest first. cells: as find_cloth() filled them."""
    outlines = _bodies(picture, cells)
    boxes = [_Box(each) for each in outlines]
    seeds = [place for box in boxes if box.is_one for place in box.places(_SIDES)]
    found = _climbed(picture, seeds)
    sides = sorted(each.place.side for each in found if each.margin > _SURE)
    least = _SMALLEST * sides[len(sides) // 2] if sides else 0.0
    sides = sorted({sides[0], sides[len(sides) // 2], sides[-1]}) if sides else []
    rest = [box for box in boxes if not box.has_sure(found, least)]
    seeds = []
    for box in rest:
        for side in sides or [part * box.width for part in _MANY]:
            if _LEAST <= side <= min(_MOST, 1.15 * box.width):
                seeds += _grid(box.outline, side)
    for box in _grouped(picture, rest):
        wide = [part * box.width for part in _PARTS]
        seeds += box.places([side / box.width for side in sides or wide])
    return _distinct(found + _climbed(picture, seeds))


class _Box:
    """The smallest box around an outline. x, y: its middle; width: the shorter side; px."""

    def __init__(self, outline: Outline) -> None:
        (x, y), (a, b), _ = cv2.minAreaRect(outline)
        self.outline = outline
        self.x, self.y = x + 0.5, y + 0.5
        self.width, self.length = sorted((a + 1, b + 1))
        self.area = cv2.contourArea(outline) + cv2.arcLength(outline, True) / 2

    @property
    def is_one(self) -> bool:
        """Whether it may be one die."""
        return (
            self.length <= _SINGLE * self.width
            and self.area >= _FULL * self.width * self.length
            and _LEAST <= self.width <= _LARGEST
        )

    def places(self, parts: Iterable[float]) -> list[Place]:
        """Return its middle as a place of so large parts of its width."""
        return [Place(self.x, self.y, self.width * part) for part in parts]

    def has_sure(self, found: Sequence[Found], least: float) -> bool:
        """Return whether a die of at least that side was surely found in it."""
        return any(
            each.margin > _SURE
            and each.place.side >= least
            and cv2.pointPolygonTest(self.outline, each.place[:2], False) >= 0
            for each in found
        )


def _grouped(picture: Grey, boxes: Sequence[_Box]) -> list[_Box]:
    """Return pieces of one die as one: of a die of the cloth's grey its pips and edges show."""
    mask: Grey = np.zeros(picture.shape, np.uint8)
    cv2.drawContours(mask, [box.outline for box in boxes if box.length <= _LARGEST], -1, 1, -1)
    gap = np.ones((_GAP, _GAP), np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, gap), np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    found = [_Box(np.asarray(each, np.int32)) for each in outlines]
    return sorted(found, key=lambda box: -box.area)[:_MOST_GROUPS]


def _bodies(picture: Grey, cells: Cells) -> list[Outline]:
    """Return the outlines of what stands out from the cloth."""
    level = np.frombuffer(cells.level, np.uint8).reshape(cells.rows, cells.columns)
    size = SIDE * cells.columns, SIDE * cells.rows
    large = cv2.resize(level, size, None, 0, 0, cv2.INTER_LINEAR)
    right, below = picture.shape[1] - size[0], picture.shape[0] - size[1]
    ground = cv2.copyMakeBorder(large, 0, below, 0, right, cv2.BORDER_REPLICATE)
    mask = np.asarray(cv2.absdiff(picture, ground) > _FAINT + cells.noise, np.uint8)
    near = np.ones((3, 3), np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, near), np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, near), np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return [np.asarray(each, np.int32) for each in outlines]


def _grid(outline: Outline, side: float) -> list[Place]:
    """Return the places of a die of a side in a group."""
    left, top, width, height = cv2.boundingRect(outline)
    filled = np.zeros((height, width), np.uint8)
    cv2.drawContours(filled, [outline - (left, top)], 0, 1, -1)
    size = max(3, round(0.85 * side))
    share = cv2.boxFilter(filled.astype(np.float32), -1, (size, size),
                          borderType=cv2.BORDER_CONSTANT)  # fmt: skip
    step = max(2, round(_STEP * side))
    rows, columns = np.nonzero(share >= _COVERED)
    kept = (rows % step == step // 2) & (columns % step == step // 2)
    return [
        Place(left + column + 0.5, top + row + 0.5, side)
        for row, column in zip(rows[kept].tolist(), columns[kept].tolist(), strict=True)
    ]


def _climbed(picture: Grey, seeds: Sequence[Place]) -> list[Found]:
    """Return what is read at seeds once each is moved to where the network is surest."""
    at = _distinct(_look(picture, seeds, _FACE))
    for step in (0.13, 0.07):
        if not at:
            return []
        tried = [_beside(each.place, step) for each in at]
        flat = [place for places in tried for place in places]
        logs = read(picture, flat)
        found = []
        first = 0
        for each, places in zip(at, tried, strict=True):
            rows = logs[first : first + len(places)]
            first += len(places)
            ahead = _ahead(rows)
            best = int(ahead.argmax())
            if ahead[best] > each.margin:
                value = int(rows[best, 1:].argmax()) + 1
                found.append(Found(places[best], value, float(ahead[best])))
            else:
                found.append(each)
        at = _distinct(found)
    places = [Place(*each.place[:3], turn) for each in at for turn in _TURNS[:_LOOKS]]
    means = read(picture, places).reshape(len(at), _LOOKS, -1).mean(1)
    return [
        Found(each.place, int(mean[1:].argmax()) + 1, margin)
        for each, mean, margin in zip(at, means, _ahead(means).tolist(), strict=True)
    ]


def _look(picture: Grey, places: Sequence[Place], least: float) -> list[Found]:
    logs = read(picture, places)
    return [
        Found(place, int(row[1:].argmax()) + 1, margin)
        for place, row, margin in zip(places, logs, _ahead(logs).tolist(), strict=True)
        if margin >= least
    ]


def _ahead(logs: Floats) -> Floats:
    """Return how far the best face is ahead of every other class."""
    ranked = np.sort(logs[:, 1:], 1)
    return np.asarray(ranked[:, -1] - np.maximum(ranked[:, -2], logs[:, 0]))


def _beside(place: Place, step: float) -> list[Place]:
    x, y, side, turn = place
    far = step * side
    return [
        Place(x + far, y, side, turn), Place(x - far, y, side, turn),
        Place(x, y + far, side, turn), Place(x, y - far, side, turn),
        Place(x, y, side * (1 + step), turn), Place(x, y, side / (1 + step), turn),
    ]  # fmt: skip


def _distinct(found: Sequence[Found]) -> list[Found]:
    """Return the surest of each place."""
    kept: list[Found] = []
    for each in sorted(found, key=lambda one: -one.margin):
        x, y, side, _ = each.place
        if all(
            np.hypot(x - other.place.x, y - other.place.y) > _APART * max(side, other.place.side)
            for other in kept
        ):
            kept.append(each)
    return kept
