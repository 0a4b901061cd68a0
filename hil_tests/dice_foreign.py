"""Rendered throws with one thing beside the dice that is no die: coins, chips, cards, stickers.

Drawn apart from what the host's network is trained on (dice_training/maps/grounds.py).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from tableemulator.machines.dice_tray.rendering import PIPS, Scene, render
from tableemulator.machines.dice_tray.scene_families import scene

Grey = npt.NDArray[np.uint8]
_FINE = 4  # times finer a thing is drawn than it is seen
_BEYOND = 1.0  # die edges that a thing keeps from dice and edges
_COVERS, _DEEPEST = 0.8, 0.3  # die edges past a die's middle; of the picture: of a strip


def with_thing(kind: str, seed: int) -> tuple[Scene, Grey]:
    """Return a throw and its picture with a thing of a kind of KINDS in it.

    Raises ValueError for a seed that leaves no room, KeyError for an unknown kind.
    """
    rng = random.Random(f"{kind} {seed}")
    base = scene("clean", seed)
    rows = np.frombuffer(bytes(render(base, seed)), np.uint8).reshape(base.height, base.width)
    radius = KINDS[kind][0] * rng.uniform(0.9, 1.1) * base.scale
    x, y = _free(rng, base, radius)
    grey = cv2.resize(rows, None, fx=_FINE, fy=_FINE, interpolation=cv2.INTER_CUBIC)
    size = int(2.2 * radius * _FINE)
    thing, cover = np.zeros((size, size), np.uint8), np.zeros((size, size), np.uint8)
    KINDS[kind][1](rng, thing, cover)
    turn = cv2.getRotationMatrix2D((size / 2, size / 2), rng.uniform(0, 360), 1)
    turned = cv2.warpAffine(thing, turn, (size, size))
    covered = cv2.warpAffine(cover, turn, (size, size)) > 127
    left, top = int(x * _FINE) - size // 2, int(y * _FINE) - size // 2
    part = grey[top : top + size, left : left + size]
    part[covered] = turned[covered]
    small = cv2.resize(grey, rows.shape[::-1], interpolation=cv2.INTER_AREA).astype(np.float32)
    small += np.random.default_rng(seed).normal(0, 1, small.shape)
    return base, np.asarray(small.round().clip(0, 255), np.uint8)


def with_strip(seed: int) -> tuple[Scene, Grey]:
    """Return a throw and its picture with a strip along the left side, over the leftmost die.

    Raises ValueError for a seed with one die, or none near that side.
    """
    rng = random.Random(seed)
    base = scene("clean", seed)
    grey = np.frombuffer(bytes(render(base, seed)), np.uint8).reshape(base.height, base.width)
    deep = int(base.width / 2 + base.scale * (min(die.x for die in base.dice) + _COVERS))
    if len(base.dice) < 2 or deep > _DEEPEST * base.width:
        raise ValueError("no die to cover")
    long = int(rng.choice((0.5, 0.7, 0.85, 1.0)) * base.height)
    first = rng.randint(0, base.height - long)
    covered = grey.astype(np.float32)
    covered[first : first + long, :deep] = rng.choice((rng.uniform(20, 90), rng.uniform(170, 245)))
    noise = np.random.default_rng(seed).normal(0, 1, covered.shape)
    picture = cv2.GaussianBlur(covered, (0, 0), 0.6) + noise
    return base, np.asarray(picture.round().clip(0, 255), np.uint8)


def _free(rng: random.Random, base: Scene, radius: float) -> tuple[float, float]:
    edge = 1.15 * radius + 2
    for _ in range(300):
        x, y = rng.uniform(edge, base.width - edge), rng.uniform(edge, base.height - edge)
        apart = (
            math.hypot(
                base.width / 2 + base.scale * die.x - x, base.height / 2 + base.scale * die.y - y
            )
            for die in base.dice
        )
        if all(each > radius + _BEYOND * base.scale for each in apart):
            return x, y
    raise ValueError("no room for a thing")


def _disc(rng: random.Random, thing: Grey, cover: Grey) -> tuple[int, int, int, int]:
    """Draw a plain disc; return its middle, radius and another grey."""
    middle, radius = thing.shape[0] // 2, int(thing.shape[0] / 2.2)
    level = rng.choice((rng.randint(20, 90), rng.randint(150, 240)))
    cv2.circle(cover, (middle, middle), radius, 255, -1)
    thing[:] = level
    other = level + rng.choice((-1, 1)) * rng.randint(60, 150)
    other = other if 0 <= other <= 255 else 255 - level
    return middle, radius, level, other


def _coin(rng: random.Random, thing: Grey, cover: Grey) -> None:
    middle, radius, _, other = _disc(rng, thing, cover)
    cv2.circle(thing, (middle, middle), int(0.9 * radius), other, max(1, radius // 14))
    cv2.circle(thing, (middle, middle), int(rng.uniform(0.15, 0.3) * radius), other, -1)


def _pipped_chip(rng: random.Random, thing: Grey, cover: Grey) -> None:
    _, radius, _, other = _disc(rng, thing, cover)
    _dots(rng, thing, 0.4 * radius, 0.15 * radius, other)


def _striped_chip(rng: random.Random, thing: Grey, cover: Grey) -> None:
    middle, radius, _, other = _disc(rng, thing, cover)
    for k in range(6):
        turn = k * 60
        cv2.ellipse(thing, (middle, middle), (radius, radius), 0, turn, turn + 25, other, -1)
    cv2.circle(thing, (middle, middle), int(0.65 * radius), int(thing[0, 0]), -1)


def _card(rng: random.Random, thing: Grey, cover: Grey) -> None:
    size = thing.shape[0]
    wide, long = int(0.27 * size), int(0.38 * size)
    middle = size // 2
    low, high = (middle - wide, middle - long), (middle + wide, middle + long)
    cv2.rectangle(cover, low, high, 255, -1)
    thing[:] = rng.randint(200, 245)
    value = rng.choice((2, 4, 5, 6))
    for x, y in PIPS[value]:
        point = (middle + int(0.5 * x * wide), middle + int(0.6 * y * long))
        cv2.circle(thing, point, wide // 6, rng.randint(20, 90), -1)


def _sheet(rng: random.Random, thing: Grey, cover: Grey) -> None:
    size = thing.shape[0]
    points = np.array([(0.15, 0.2), (0.85, 0.15), (0.8, 0.85), (0.2, 0.8)]) * size
    cv2.fillPoly(cover, [points.astype(np.int32)], 255)
    thing[:] = rng.choice((rng.randint(20, 70), rng.randint(190, 250)))
    for k in range(4):
        row = int((0.3 + 0.12 * k) * size)
        cv2.line(thing, (size // 4, row), (3 * size // 4, row), 128, max(1, size // 60))


def _sticker(rng: random.Random, thing: Grey, cover: Grey) -> None:
    """A die's face on paper, of a die's size."""
    size = thing.shape[0]
    half, middle = int(size / 2.2 * 0.7), size // 2
    cv2.rectangle(cover, (middle - half, middle - half), (middle + half, middle + half), 255, -1)
    light = rng.random() < 0.5
    thing[:] = rng.randint(200, 245) if light else rng.randint(20, 70)
    _dots(rng, thing, 0.52 * half, 0.2 * half, 30 if light else 230)


def _dots(rng: random.Random, thing: Grey, pitch: float, radius: float, level: int) -> None:
    middle = thing.shape[0] // 2
    for x, y in PIPS[rng.randint(1, 6)]:
        point = (middle + int(x * pitch), middle + int(y * pitch))
        cv2.circle(thing, point, max(1, int(radius)), level, -1)


# Of each: half of its size, die edges, and what draws it.
KINDS: dict[str, tuple[float, Callable[[random.Random, Grey, Grey], None]]] = {
    "coin": (0.65, _coin),
    "pipped chip": (0.9, _pipped_chip),
    "striped chip": (1.1, _striped_chip),
    "card": (1.6, _card),
    "sheet": (1.4, _sheet),
    "sticker": (0.71, _sticker),
}
