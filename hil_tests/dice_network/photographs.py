"""Pieces of the tuned half of the photographs from above, turned, mirrored, scaled and worn."""

from __future__ import annotations

import csv
from pathlib import Path

import cv2
import numpy as np

from hil_tests.dice_accuracy import CORRECTED, is_held
from hil_tests.dice_network.scenes import (
    BODY,
    GROUND,
    LARGEST,
    SIZE,
    SMALLEST,
    UNKNOWN,
    Piece,
    seen,
)

_LEAST_CONTRAST = 25.0  # greys of a die's pips; with less an eye cannot tell the face either
EDGE = 0.82  # of a box's longer side: about the edge of the die in it

Photograph = tuple[np.ndarray, list[tuple[float, float, float, int, float]]]


def photographs(folder: Path) -> list[Photograph]:
    """Return (picture, [(x, y, width of box, value, contrast)]) of each in the tuned half."""
    boxes: dict[str, list[tuple[float, float, float, int, float]]] = {}
    with (folder / "boxes.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            x0, y0, x1, y1 = (float(row[name]) for name in ("x0", "y0", "x1", "y1"))
            box = (x0 + x1) / 2, (y0 + y1) / 2, max(x1 - x0, y1 - y0), int(row["value"])
            boxes.setdefault(row["file"], []).append((*box, float(row["contrast"])))
    found = []
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name = Path(row["file"]).name
            if is_held(name) or name in CORRECTED or row["flags"] in ("handheld", "hand"):
                continue
            picture = cv2.imread(str(folder / row["file"]), cv2.IMREAD_GRAYSCALE)
            found.append((picture, boxes[row["file"]]))
    return found


def cut(rng: np.random.Generator, photograph: Photograph) -> Piece:
    """Return a piece around one of the dice."""
    picture, boxes = photograph
    u = rng.uniform
    x, y, wide, _, _ = boxes[int(rng.integers(len(boxes)))]
    scale = float(np.clip(u(SMALLEST, LARGEST) / (wide * EDGE), 0.55, 1.7))
    turn = cv2.getRotationMatrix2D((x, y), u(0, 360), scale)
    turn[:, 2] += SIZE / 2 - np.array((x, y)) + u(-SIZE / 3, SIZE / 3, 2)
    if rng.random() < 0.5:
        turn[0] *= -1
        turn[0, 2] += SIZE - 1
    flags = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    grey = cv2.warpAffine(picture, turn, (SIZE, SIZE), flags=flags, borderMode=cv2.BORDER_REFLECT)
    inside = cv2.warpAffine(np.full_like(picture, 255), turn, (SIZE, SIZE))
    piece = Piece(grey.astype(np.float32), np.full((SIZE, SIZE), GROUND, np.uint8))
    for part, kind in ((0.62, UNKNOWN), (0.4, BODY)):
        for a, b, width, _, _ in boxes:
            at = turn @ (a, b, 1)
            centre = int(at[0] + 0.5), int(at[1] + 0.5)
            cv2.circle(
                piece.kind,
                centre,
                int(part * width * scale * (1.25 if kind == UNKNOWN else 1)),
                kind,
                -1,
            )
    piece.kind[inside < 255] = UNKNOWN
    for a, b, width, value, contrast in boxes:
        at = turn @ (a, b, 1)
        if contrast < _LEAST_CONTRAST:
            value = 0
        piece.dice.append((float(at[0]), float(at[1]), 0.0, value))
        piece.edges.append(EDGE * width * scale)
    level = rng.random()
    if level < 0.25:  # as if the picture were taken in another light
        piece.grey = piece.grey * u(0.4, 0.95) + u(0, 15)
    piece.grey = seen(rng, piece.grey) if rng.random() < 0.6 else piece.grey
    return piece
