"""Where dice are in a picture, and what the network reads of each from several sides."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from tabletools.dice.network import (
    DIE,
    STRIDE,
    Cells,
    Floats,
    Grey,
    look,
    read_faces,
    scaled,
)

_FIRST = 320  # px: the longer side of the picture at the first look
_SMALLEST, _LARGEST = 15.0, 34.0  # px of an edge that the network was trained on
_LEAST_HEAT = 0.2  # of a place that may be a die
_APART = 0.6  # of an edge: nearer places are one die
_PATCH = 64  # px of a second look
_TURNS = (0, 45)  # degrees of it
FACE_DIE, FACE_PATCH = 26.0, 40  # px of an edge, and of the patch, that show a face
FACE_TURNS = (0, 60, 120, 180, 240, 300)


@dataclass(frozen=True)
class Seen:
    """A die. x, y, edge: px of the picture. heat: of a die there, 0-1. faces: likelihood of none
    and of 1-6, mean of the looks; least: that of the best of them in the look that doubts it most.
    """

    x: float
    y: float
    edge: float
    heat: float
    faces: tuple[float, ...]
    least: float

    @property
    def value(self) -> int:
        """The likeliest face; 0 for none."""
        return int(np.argmax(self.faces))

    @property
    def sure(self) -> float:
        """How likely it is."""
        return max(self.faces)


@dataclass(frozen=True)
class View:
    """A picture at the scale of the network: kind of each cell, and px of a cell in the picture."""

    kind: Floats
    cell: float
    dice: tuple[Seen, ...]


def find(picture: Grey) -> View:
    """Return the dice of a picture and what else its cells show."""
    scale = min(1.0, _FIRST / max(picture.shape))
    found, cells = _at(picture, scale)
    sizes = [place[2] * scale for place in found if place[3] > 0.4]
    if scale < 1 and (not sizes or np.median(sizes) < _SMALLEST * 1.1):
        again, other = _at(picture, min(1.0, 2 * scale))
        if again:
            found, cells, scale = again, other, min(1.0, 2 * scale)
    for _ in range(2):
        if not found:
            break
        edge = float(np.median([place[2] for place in found]))
        if abs(np.log(edge * scale / DIE)) < 0.06:
            break
        scale = float(np.clip(DIE / edge, 0.05, 2.5))
        found, cells = _at(picture, scale)
    dice = [_again(picture, place) for place in found]
    return View(cells.kind, STRIDE / scale, tuple(dice))


def _at(picture: Grey, scale: float) -> tuple[list[tuple[float, float, float, float]], Cells]:
    """Return (x, y, edge, heat) of places that may be dice, in px of the picture."""
    (cells,) = look(scaled(picture, scale)[None])
    heat = cells.heat.max(0)
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    found: list[tuple[float, float, float, float]] = []
    rows, columns = np.nonzero((heat >= top) & (heat > _LEAST_HEAT))
    for i, j in sorted(zip(rows, columns, strict=True), key=lambda at: -heat[at]):
        dx, dy, size = cells.place[:, i, j]
        x, y = (j + 0.5 + dx) * STRIDE / scale, (i + 0.5 + dy) * STRIDE / scale
        edge = DIE * float(np.exp(size)) / scale
        if all(np.hypot(x - a, y - b) > _APART * max(edge, c) for a, b, c, _ in found):
            found.append((x, y, edge, float(heat[i, j])))
    return found, cells


def _again(picture: Grey, place: tuple[float, float, float, float]) -> Seen:
    """Look at a place from several sides, always at one scale."""
    x, y, edge, heat = place
    looks = np.stack([cut(picture, (x, y), edge, DIE, _PATCH, turn) for turn in _TURNS])
    middle = _PATCH // STRIDE // 2
    near = slice(middle - 2, middle + 2)
    offs = []
    for turn, cells in zip(_TURNS, look(looks), strict=True):
        part = cells.heat[:, near, near].max(0)
        i, j = np.unravel_index(int(part.argmax()), part.shape)
        dx, dy, size = cells.place[:, middle - 2 + i, middle - 2 + j]
        right, down = (j - 1.5 + dx) * STRIDE, (i - 1.5 + dy) * STRIDE
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        offs.append((right * c - down * s, right * s + down * c, np.exp(size)))
    right, down, size = (float(each) for each in np.mean(offs, 0))
    x, y, edge = x + right * edge / DIE, y + down * edge / DIE, edge * size
    looks = np.stack(
        [cut(picture, (x, y), edge, FACE_DIE, FACE_PATCH, turn) for turn in FACE_TURNS]
    )
    faces = read_faces(looks)
    mean = faces.mean(0)
    return Seen(x, y, edge, heat, tuple(float(each) for each in mean),
                float(faces[:, int(mean.argmax())].min()))  # fmt: skip


def cut(picture: Grey, middle: tuple[float, float], edge: float, wanted: float, size: int,
        turn: float = 0.0) -> Grey:  # fmt: skip
    """Return a patch of size px around a die, its edge so many px wide, the picture turned."""
    scale = wanted / edge
    if scale < 0.7:  # an even mean first, so that no pixel is passed over
        step = int(1 / scale + 0.5)
        reach = int(size / scale) + 2 * step
        left, top = max(0, int(middle[0]) - reach), max(0, int(middle[1]) - reach)
        part = picture[top : top + 2 * reach, left : left + 2 * reach]
        part = part[: part.shape[0] // step * step, : part.shape[1] // step * step]
        picture = cv2.resize(
            part, (part.shape[1] // step, part.shape[0] // step), interpolation=cv2.INTER_AREA
        )
        middle = (middle[0] - left + 0.5) / step - 0.5, (middle[1] - top + 0.5) / step - 0.5
        scale *= step
    c, s = scale * np.cos(np.radians(turn)), scale * np.sin(np.radians(turn))
    way = np.array(((c, s, 0.0), (-s, c, 0.0)))
    way[:, 2] = size / 2 - 0.5 - way[:, :2] @ np.array(middle)
    return cv2.warpAffine(
        picture, way, (size, size), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
