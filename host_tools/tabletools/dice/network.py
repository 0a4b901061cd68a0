"""The host's first reader: a small network that says of each cell of a picture what it shows.

One network finds dice in a picture, another reads the face of a single one. Their weights,
`dice_places.onnx` and `dice_faces.onnx` beside this file, are made by `python -m hil_tests.dice_network`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime

Grey = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

PLACES = Path(__file__).with_name("dice_places.onnx")
FACES = Path(__file__).with_name("dice_faces.onnx")
STRIDE = 4  # px of a cell
DIE = 24.0  # px of the edge of a die at the scale the network reads best
CLASSES = 7  # heat of the faces 1-6, and of a die whose top is no face
FOREIGN = 2  # kinds of cells: ground, body of a die, something else
BODY = 1


@dataclass(frozen=True)
class Cells:
    """What a network says. heat: (7, rows, columns), 0-1. place: dx, dy in cells from the middle
    of the cell, and the logarithm of a die's edge against DIE. kind: shares of the three kinds."""

    heat: Floats
    place: Floats
    kind: Floats


@cache
def _session(weights: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        weights.read_bytes(), options, providers=["CPUExecutionProvider"]
    )


def look(pictures: Grey) -> list[Cells]:
    """Return the cells of each picture. pictures: (n, h, w), h and w multiples of STRIDE."""
    out = _run(PLACES, pictures)
    heat = 1 / (1 + np.exp(-out[:, :CLASSES]))
    kind = np.exp(out[:, CLASSES + 3 :] - out[:, CLASSES + 3 :].max(1, keepdims=True))
    kind /= kind.sum(1, keepdims=True)
    return [Cells(*each) for each in zip(heat, out[:, CLASSES : CLASSES + 3], kind, strict=True)]


def read_faces(patches: Grey) -> Floats:
    """Return (n, 7): how likely each patch shows no face, 1, 2 .. 6. patches: (n, 40, 40)."""
    out = np.exp(_run(FACES, patches))
    return np.asarray(out / out.sum(1, keepdims=True))


def _run(weights: Path, pictures: Grey) -> Floats:
    (out,) = _session(weights).run(None, {"grey": pictures[:, None].astype(np.float32)})
    return np.asarray(out, np.float32)


def scaled(picture: Grey, scale: float) -> Grey:
    """Return a picture reduced or enlarged, then padded at its right and bottom to whole cells."""
    wide, high = (
        max(STRIDE, round(size * scale)) for size in (picture.shape[1], picture.shape[0])
    )
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    picture = cv2.resize(picture, (wide, high), interpolation=way)
    return cv2.copyMakeBorder(picture, 0, -high % STRIDE, 0, -wide % STRIDE, cv2.BORDER_REPLICATE)
