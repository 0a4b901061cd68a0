"""Patches of real dice: where the reader itself would look, turned, shifted, scaled and worn.

Only the half of the photographs that `is_held()` calls tuned, and of those only the ones from
above: the other half and the hand-held set stay new to the classifier. Pictures with a label known
to be wrong are left out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np

from hil_tests.dice_accuracy import CORRECTED, is_held
from hil_tests.dice_training.die_patches import DIE, SIZE, Patches
from hil_tests.dice_training.styles import Floats, Ints
from tablelogic.dice.cloth import find_cloth
from tablelogic.dice.picture import Picture
from tablelogic.dice.picture_reader import Reader
from tablelogic.dice.stepwise import finish
from tabletools.dice import open_picture

_NOT_TAKEN = ("handheld", "low_contrast")
_NEAR, _FAR = 0.3, 0.45  # of a box: a place is that die; of a side: it is none
_FEWER = 4  # for each patch of a die so many times fewer of what is none

Box = tuple[int, float, float, float]  # value, middle, width
Place = tuple[float, float, float, int]  # middle and side, px, and class


def photographed(rng: np.random.Generator, folder: Path, each: int) -> tuple[Patches, Ints]:
    """Return `each` patches of every place a die was looked for at, and their classes."""
    patches: list[Floats] = []
    classes: list[int] = []
    for grey, places in _pictures(rng, folder):
        for x, y, side, value in places:
            for _ in range(each if value else max(1, each // _FEWER)):
                patches.append(_worn(rng, _cut(rng, grey, (x, y, side))))
                classes.append(value)
    return np.array(patches).astype(np.uint8), np.array(classes)


def tuned(folder: Path) -> Iterator[tuple[dict[str, str], list[dict[str, str]]]]:
    """Yield the labels of each photograph of the tuned half, and those of its dice."""
    boxes: dict[str, list[dict[str, str]]] = {}
    with (folder / "boxes.csv").open(newline="", encoding="utf-8") as file:
        for box in csv.DictReader(file):
            boxes.setdefault(box["file"], []).append(box)
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        name = Path(row["file"]).name
        if not is_held(name) and name not in CORRECTED:
            yield row, boxes[row["file"]]


def _die(box: dict[str, str]) -> Box:
    x0, y0, x1, y1 = (float(box[name]) for name in ("x0", "y0", "x1", "y1"))
    return int(box["value"]), (x0 + x1) / 2, (y0 + y1) / 2, max(x1 - x0, y1 - y0)


def _pictures(rng: np.random.Generator, folder: Path) -> Iterator[tuple[Floats, list[Place]]]:
    for row, boxes in tuned(folder):
        if any(flag in row["flags"] for flag in _NOT_TAKEN):
            continue
        frame = open_picture(folder / row["file"])
        picture = Picture(frame.grey, frame.width, frame.height)
        reader = Reader(frame.width, frame.height)
        finish(find_cloth(picture, reader.cells))
        _, put = cast("tuple[object, list[object] | None]", finish(reader.put_forward(picture)))
        grey = np.frombuffer(frame.grey, np.uint8).reshape(frame.height, frame.width)
        yield grey.astype(float), list(_places(rng, put or [], [_die(box) for box in boxes]))


def _places(rng: np.random.Generator, put: list[object], boxes: list[Box]) -> Iterator[Place]:
    """Yield what is put forward with the die that lies there, and places beside the dice."""
    for face in put:
        x, y, side = face.x / 16, face.y / 16, float(face.side)  # type: ignore[attr-defined]
        apart, (value, _, _, width) = min((np.hypot(b[1] - x, b[2] - y), b) for b in boxes)
        fits = 0.55 * width < side < 1.25 * width
        said = face.value  # type: ignore[attr-defined]
        if apart < _NEAR * width and fits and said in (0, value):
            yield x, y, side, value
            angle, away = rng.uniform(0, 2 * np.pi), rng.uniform(0.42, 0.85) * side
            x, y = x + away * np.cos(angle), y + away * np.sin(angle)
            apart = min(np.hypot(b[1] - x, b[2] - y) for b in boxes)
        if apart > _FAR * side:
            yield x, y, side, 0


def _cut(rng: np.random.Generator, grey: Floats, place: tuple[float, float, float]) -> Floats:
    """Return the patch at a place, turned any way, not quite in its middle nor its scale."""
    x, y = np.array(place[:2]) + rng.normal(0, 0.04 * place[2], 2)
    side, turn = place[2] * np.exp(rng.normal(0, 0.08)), rng.uniform(0, 2 * np.pi)
    along = (np.arange(SIZE) - (SIZE - 1) / 2) / DIE * side
    u, v = np.meshgrid(along, along)
    column = np.clip(x + u * np.cos(turn) - v * np.sin(turn), 0, grey.shape[1] - 1.001)
    row = np.clip(y + u * np.sin(turn) + v * np.cos(turn), 0, grey.shape[0] - 1.001)
    i, j = row.astype(int), column.astype(int)
    b, a = row - i, column - j
    above = grey[i, j] * (1 - a) + grey[i, j + 1] * a
    below = grey[i + 1, j] * (1 - a) + grey[i + 1, j + 1] * a
    return np.asarray(above * (1 - b) + below * b)


def _worn(rng: np.random.Generator, patch: Floats) -> Floats:
    """Return a patch as other cameras would show it: tone, light and noise."""
    if rng.random() < 0.3:
        patch = 255 * (patch / 255) ** np.exp(rng.normal(0, 0.35))
    if rng.random() < 0.3:
        patch = patch * rng.uniform(0.4, 1)
    if rng.random() < 0.5:
        patch = patch + rng.normal(0, abs(rng.normal(0, 4)), patch.shape)
    return np.asarray(np.clip(patch + 0.5, 0, 255))
