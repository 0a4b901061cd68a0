"""Single dice, rendered once and laid into many scenes: grey and cover of each sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hil_tests.dice_training.cube import MISSED, F, View, cast, turned
from hil_tests.dice_training.styles import Floats, Ints, Style, cubes, false_face, styles

SIZE = 64  # samples of a sprite, each way
DIE = 28  # samples along the edge of its top
UNREADABLE = 7  # class of a die whose top is no face: it leans, is blank, or has false pips
_FLAT, _LEANING = 0.72, 0.92  # shares, summed up; the rest is blank or false
_LEAST_LEAN, _MOST_LEAN = 0.19, 0.8  # radians: 11 to 46 degrees
_AT_ONCE = 128


@dataclass(frozen=True)
class Sprites:
    """Dice ordered by slant: pictures (n, 2, SIZE, SIZE) of grey and cover, classes 1-7, and the
    slant of the line of sight, towards +x, as a tangent."""

    pictures: npt.NDArray[np.uint8]
    classes: Ints
    slants: Floats


def rendered(rng: np.random.Generator, count: int) -> Sprites:
    """Return so many dice."""
    parts = [_batch(rng, min(_AT_ONCE, count - k)) for k in range(0, count, _AT_ONCE)]
    pictures, classes, slants = (np.concatenate(found) for found in zip(*parts, strict=True))
    order = np.argsort(slants, kind="stable")
    return Sprites(pictures[order], classes[order], slants[order])


def _batch(rng: np.random.Generator, count: int) -> tuple[npt.NDArray[np.uint8], Ints, Floats]:
    u = rng.uniform
    kind, tops, style = rng.random(count), rng.integers(1, 7, count), _styles(rng, count)
    leaning = (kind >= _FLAT) & (kind < _LEANING)
    wrong = kind >= _LEANING
    blank = wrong & (rng.random(count) < 0.3)
    style["pip"] = np.where(blank, style["body"] + u(-3, 3, count), style["pip"])
    bits = np.array([false_face(rng) if each else 0 for each in wrong & ~blank])
    tilt = np.where(leaning, u(_LEAST_LEAN, _MOST_LEAN, count), abs(rng.normal(0, 0.015, count)))
    turn, slant = u(0, 2 * np.pi, count), abs(rng.normal(0, 0.2, count)).clip(0, 0.5)
    middle = np.zeros((count, 3))
    middle[:, 2] = (np.cos(tilt) + np.sin(tilt)) / 2
    high = np.exp(u(np.log(7), np.log(40), count))
    camera = np.stack([-high * slant, np.zeros(count), high + 1], -1)
    step = (np.arange(SIZE) + 0.5 - SIZE / 2) / DIE
    flat = np.stack(np.meshgrid(step, step), -1).reshape(1, -1, 2)
    flat = np.broadcast_to(flat, (count, SIZE * SIZE, 2))
    ray = np.concatenate([flat, np.ones((count, SIZE * SIZE, 1))], -1) - camera[:, None]
    light = np.concatenate([rng.normal(0, 0.4, (count, 2)), np.ones((count, 1))], -1)
    light /= np.linalg.norm(light, axis=-1, keepdims=True)
    pose = turned(turn, tilt, u(0, 2 * np.pi, count)), middle
    view = View(camera.astype(F), ray.astype(F), light.astype(F))
    distance, grey = cast(style, cubes(rng, tops, bits), pose, view)
    hit = (distance < MISSED).reshape(count, 1, SIZE, SIZE)
    grey = np.clip(grey, 0, 255).reshape(count, 1, SIZE, SIZE) * hit
    pictures = np.concatenate([grey, 255 * hit], 1).astype(np.uint8)
    return pictures, np.where(kind < _FLAT, tops, UNREADABLE), slant


def _styles(rng: np.random.Generator, count: int) -> Style:
    """Return dice as they are sold; some with the sharp edges and large pips of a casino's."""
    style = styles(rng, count)
    casino = rng.random(count) < 0.2
    style["ball"] = np.where(casino, 0.87, style["ball"])
    style["radius"] = np.where(casino, rng.uniform(0.08, 0.11, count), style["radius"])
    style["one"] = np.where(casino, style["radius"], style["one"])
    style["pitch"] = np.where(casino, rng.uniform(0.25, 0.3, count), style["pitch"])
    return style
