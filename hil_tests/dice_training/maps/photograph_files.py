"""The half of the photographs that may be trained on, as arrays."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from hil_tests.dice_accuracy import CORRECTED, is_held
from hil_tests.dice_training.maps.photograph_pips import pips_of
from hil_tests.dice_trays import stands_out

_SIZE = 416  # px of the largest, to which the others are filled up
_MOST = 32  # dice of one
_FAINT = 20.0  # greys between pips and body: less is not learned
_WHOLE = 0.5  # of a die's box: with less covered it is as grey as its ground


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


def stored(folder: Path, pips: bool) -> dict[str, npt.NDArray[np.float32]]:
    """Return the tuned half of the photographs from above.

    pictures and covers (n, 416, 416): greys, and where dice are, 0-255; sizes (n, 2); dice
    (n, 32, 5): x0, y0, x1, y1, value, -1 where there is none, -2 where it is not known; parted
    (n): the cover holds each of its dice; spans (n, 32): by how much the greys of a top differ.
    pips (n, 32, 9, 2), there (n, 32, 9): where pips are, if asked for, and which are known.
    """
    pictures, covers, sizes, dice, parted, spans = [], [], [], [], [], []
    places: list[npt.NDArray[np.float32]] = []
    there: list[npt.NDArray[np.float32]] = []
    for row, boxes in tuned(folder):
        if row["source"] != "byler_d6" or row["flags"] not in ("", "low_contrast", "tray"):
            continue
        with Image.open(folder / row["file"]) as picture:
            grey = np.array(picture.convert("L"))
        outlines = [_die(box) for box in boxes]
        cover = stands_out(grey, [(x0, y0, x1, y1) for x0, y0, x1, y1, _ in outlines])
        cover = np.asarray(cv2.erode(cover, np.ones((3, 3), np.uint8)), np.float32)
        shares = [
            float(cover[int(y0) : int(y1), int(x0) : int(x1)].mean())
            for x0, y0, x1, y1, _ in outlines
        ]
        parted.append(min(shares) > _WHOLE)
        fill = [(0, _SIZE - length) for length in grey.shape]
        pictures.append(np.pad(grey, fill, mode="edge"))
        covers.append(np.pad((255 * cover).astype(np.uint8), fill, mode="edge"))
        laid = pips_of(grey, outlines if pips else [])
        for array, rows in zip((places, there), laid, strict=True):
            array.append(np.pad(rows, [(0, _MOST - len(rows)), *[(0, 0)] * (rows.ndim - 1)]))
        sizes.append(grey.shape[::-1])
        spans.append([*(_span(grey, die) for die in outlines), *[255.0] * (_MOST - len(outlines))])
        dice.append([*outlines, *[(0, 0, 0, 0, -1)] * (_MOST - len(outlines))])
    return {
        "pictures": np.stack(pictures).astype(np.float32),
        "covers": np.stack(covers).astype(np.float32),
        "sizes": np.array(sizes, np.float32),
        "dice": np.array(dice, np.float32),
        "parted": np.array(parted, np.float32),
        "spans": np.array(spans, np.float32),
        "pips": np.stack(places),
        "there": np.stack(there),
    }


def _die(box: dict[str, str]) -> tuple[float, ...]:
    x0, y0, x1, y1 = (float(box[name]) for name in ("x0", "y0", "x1", "y1"))
    return x0, y0, x1, y1, int(box["value"]) if float(box["contrast"]) >= _FAINT else -2


def _span(grey: npt.NDArray[np.uint8], die: tuple[float, ...]) -> float:
    """Return by how much the greys differ in the middle of a die's box."""
    x0, y0, x1, y1, _ = die
    wide, high = (x1 - x0) / 5, (y1 - y0) / 5
    part = grey[round(y0 + high) : round(y1 - high), round(x0 + wide) : round(x1 - wide)]
    low, top = np.percentile(part, (3, 97))
    return float(top - low)
