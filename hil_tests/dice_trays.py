"""Photographs of dice laid on drawn trays: walls with folds, grain, a printed line.

The photographs beside the project show white paper. A rig is made of one by multiplying the ground
around its dice with a drawn tray, and its empty-tray reference by painting the dice over. The
picture is then shifted against the reference, darker and noisy.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

Grey = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Box = tuple[float, float, float, float]

KINDS = ("walls", "grain")  # grain: walls, wood grain, a printed line and light from one side
_BESIDE = 4  # px of ground around a die's box that are painted over
_STEP = 18  # greys by which a die stands out from its ground
_SHIFT, _DARKER, _NOISE = 2.0, 0.9, 1.5


def on_tray(picture: Grey, boxes: Sequence[Box], kind: str, seed: int) -> tuple[Grey, Grey]:
    """Return (picture, reference). boxes: x0, y0, x1, y1 of the dice."""
    rng = np.random.default_rng(seed)
    mask, ground = _ground(picture, boxes)
    tray = _walls(picture.shape, rng)
    if kind == "grain":
        tray *= _grain(picture.shape, rng)
    dice = _dice(picture, ground, mask)
    image = picture * (dice + (1 - dice) * tray) * _DARKER + rng.normal(0, _NOISE, picture.shape)
    right, down = rng.uniform(-_SHIFT, _SHIFT, 2)
    way = np.array(((1, 0, right), (0, 1, down)))
    size = picture.shape[::-1]
    empty = cv2.warpAffine(ground * tray, way, size, borderMode=cv2.BORDER_REPLICATE)
    return image.clip(0, 255).astype(np.uint8), empty.clip(0, 255).astype(np.uint8)


def stands_out(picture: Grey, boxes: Sequence[Box]) -> Floats:
    """Return how much of each pixel of a picture on an even ground is a die or its shadow, 0-1."""
    mask, ground = _ground(picture, boxes)
    return _dice(picture, ground, mask)


def _ground(picture: Grey, boxes: Sequence[Box]) -> tuple[Grey, Floats]:
    """Return (where dice are, 0 or 255; the ground as it would be without them)."""
    mask = np.zeros(picture.shape, np.uint8)
    for x0, y0, x1, y1 in boxes:
        low, high = (int(x0) - _BESIDE, int(y0) - _BESIDE), (int(x1) + _BESIDE, int(y1) + _BESIDE)
        cv2.rectangle(mask, low, high, 255, -1)
    return mask, cv2.inpaint(picture, mask, 5, cv2.INPAINT_TELEA).astype(np.float32)


def _dice(picture: Grey, ground: Floats, mask: Grey) -> Floats:
    """Return how much of each pixel is a die or its shadow, 0-1."""
    stands_out = ((np.abs(picture - ground) > _STEP) & (mask > 0)).astype(np.uint8)
    stands_out = cv2.morphologyEx(stands_out, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    outlines, _ = cv2.findContours(stands_out, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.drawContours(stands_out, outlines, -1, 1, -1)
    return np.asarray(cv2.GaussianBlur(filled.astype(np.float32), (0, 0), 0.7), np.float32)


def _walls(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Return a tray with four walls, each with a dark fold."""
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32)
    tray = np.ones(shape, np.float32)
    for deep in (columns, rows, shape[1] - 1 - columns, shape[0] - 1 - rows):
        foot = rng.uniform(0.05, 0.12) * min(shape)
        fold = foot * rng.uniform(0.4, 0.7)
        tray[deep < foot] *= rng.uniform(0.4, 0.8)
        tray[np.abs(deep - fold) < 1.5] *= rng.uniform(0.4, 0.7)
    return tray


def _grain(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Return a ground with wood grain, a printed line and light from one side."""
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32)
    noise = rng.normal(0, 1, shape).astype(np.float32)
    grain = cv2.GaussianBlur(noise, (0, 0), sigmaX=25, sigmaY=1.2)
    ground = 1 + 0.1 * grain / grain.std()
    turn = rng.uniform(0, np.pi)
    across = (columns - shape[1] / 2) * np.cos(turn) + (rows - shape[0] / 2) * np.sin(turn)
    ground[np.abs(across - rng.uniform(-50, 50)) < 2] *= 0.6
    return np.asarray(ground * (1 + 0.3 * (columns / shape[1] - 0.5)), np.float32)
