"""Batches of patches: a die in the middle or not quite, neighbours, cloth, shadow, camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hil_tests.dice_training.cube import MISSED, F, View, cast, turned
from hil_tests.dice_training.foreign import add_gloss, draw_foreign, waves
from hil_tests.dice_training.styles import (
    Floats,
    Ints,
    Style,
    cubes,
    false_face,
    mixed,
    rows_of,
    styles,
)

SIZE = 32  # px of a patch
DIE = 20  # px of a die in it
_OVER = 2  # samples for each pixel, each way
# Shares of a batch, summed up: readable dice, then those that have to be called none.
_READABLE, _COCKED, _BLANK, _FALSE, _BESIDE, _SCALE = 0.56, 0.76, 0.80, 0.88, 0.93, 0.96

Patches = npt.NDArray[np.uint8]


@dataclass
class Ground:
    """Where rays meet the table (n, p, 2), its grey (n, p), and the shadow beside each die."""

    foot: Floats
    grey: Floats
    depth: Floats
    reach: Floats
    shift: Floats


def batch(rng: np.random.Generator, count: int) -> tuple[Patches, Ints]:
    """Return patches (count, SIZE, SIZE) and their classes: 0 none, 1-6 the face on top."""
    kind = rng.random(count)
    tops = rng.integers(1, 7, count)
    style = styles(rng, count)
    blank = (kind >= _COCKED) & (kind < _BLANK)
    style["pip"] = np.where(blank, style["body"] + rng.uniform(-4, 4, count), style["pip"])
    false = (kind >= _BLANK) & (kind < _FALSE)
    bits = np.array([false_face(rng) if wrong else 0 for wrong in false])
    leaning = (kind >= _READABLE) & (kind < _COCKED)
    tilt = np.where(leaning, rng.uniform(0.22, 0.85, count), abs(rng.normal(0, 0.02, count)))
    turn = rng.uniform(0, 2 * np.pi, count)
    rotation = turned(turn, tilt, rng.uniform(0, 2 * np.pi, count))
    middle = np.zeros((count, 3))
    middle[:, 2] = (np.cos(tilt) + np.sin(tilt)) / 2
    view = _view(rng, kind)
    ground = _ground(rng, view, style["body"])
    dice = np.flatnonzero(kind < _SCALE)
    neighbours = _neighbours(rng, turn, style)
    for rows, where, way in ((dice, middle[dice], turn[dice]), *(n[:3] for n in neighbours)):
        _shade(ground, rows, where, way)
    nearest = np.full(ground.grey.shape, MISSED)
    table = cubes(rng, tops, bits)
    _draw(
        ground,
        nearest,
        dice,
        cast(rows_of(style, dice), table[dice], (rotation[dice], middle[dice]), view.rows(dice)),
    )
    for rows, where, way, other in neighbours:
        level = np.zeros(len(rows))
        pose = (turned(way, level, level), where)
        own = cubes(rng, rng.integers(1, 7, len(rows)))
        _draw(ground, nearest, rows, cast(other, own, pose, view.rows(rows)))
    grey = ground.grey.reshape(count, SIZE * _OVER, SIZE * _OVER)
    for row in np.flatnonzero(kind >= _SCALE):
        grey[row] = draw_foreign(rng, grey[row])
    return _photograph(rng, grey), np.where(kind < _READABLE, tops, 0)


def _view(rng: np.random.Generator, kind: Floats) -> View:
    """Place camera and patch: on the top's middle or the outline's; or on a pip, or beside."""
    count = len(kind)
    u = rng.uniform
    high = np.exp(u(np.log(6), np.log(40), count))
    slant = np.tan(abs(rng.normal(0, 0.22, count)).clip(0, 0.55))
    way = u(0, 2 * np.pi, count)
    aside = np.stack([np.cos(way), np.sin(way)], -1) * slant[:, None]
    camera = np.concatenate([high[:, None] * aside, high[:, None] + 1], -1)
    scale, shift = u(0.86, 1.2, count), rng.normal(0, 0.06, (count, 2)).clip(-0.15, 0.15)
    beside = (kind >= _FALSE) & (kind < _BESIDE)
    angle, apart = u(0, 2 * np.pi, count), u(0.42, 0.9, count)
    off = np.stack([np.cos(angle) * apart, np.sin(angle) * apart], -1)
    shift = np.where(beside[:, None], off, shift)
    on_pip = beside & (rng.random(count) < 0.5)
    corner = rng.choice((-1, 0, 1), (count, 2)) * 0.26
    corner[(corner == 0).all(1)] = 0.26
    shift = np.where(on_pip[:, None], corner, shift)
    scale = np.where(on_pip, u(0.5, 1, count), scale)
    wrong = np.where(rng.random(count) < 0.5, u(0.35, 0.6, count), u(1.6, 2.6, count))
    scale = np.where((kind >= _BESIDE) & (kind < _SCALE), wrong, scale)
    outline = rng.random(count) * (rng.random(count) < 0.6)
    shift = shift - 0.5 * aside * outline[:, None]
    scale = scale * (1 + 0.25 * slant * outline)
    wide = SIZE * _OVER
    step = (np.arange(wide) + 0.5 - wide / 2) * SIZE / (DIE * wide)
    grid = np.stack(np.meshgrid(step, step), -1).reshape(1, -1, 2)
    flat = grid * scale[:, None, None] + shift[:, None]
    ray = np.concatenate([flat, np.ones((*flat.shape[:2], 1))], -1) - camera[:, None]
    light = np.concatenate([rng.normal(0, 0.35, (count, 2)), np.ones((count, 1))], -1)
    light /= np.linalg.norm(light, axis=-1, keepdims=True)
    return View(camera.astype(F), ray.astype(F), light.astype(F))


def _ground(rng: np.random.Generator, view: View, body: Floats) -> Ground:
    """A table of any grey, at times the die's; slopes, weave and grain."""
    count = len(body)
    u = rng.uniform
    along = -view.camera[:, 2:] / view.ray[..., 2]
    wide = round(view.ray.shape[1] ** 0.5)
    foot = view.camera[:, None, :2] + along[..., None] * view.ray[..., :2]
    level = np.where(rng.random(count) < 0.08, body + u(-30, 30, count), u(10, 250, count))
    grey = level.clip(5, 252)[:, None] + (foot * rng.normal(0, 8, (count, 1, 2))).sum(-1)
    for row in np.flatnonzero(rng.random(count) < 0.25):
        grey[row] += u(0, 25) * waves(rng, wide, 4).ravel()
    for row in np.flatnonzero(rng.random(count) < 0.1):
        angle = u(0, np.pi)
        across = foot[row, :, 0] * np.cos(angle) + foot[row, :, 1] * np.sin(angle)
        grey[row] += u(0, 25) * np.sin(across * u(3, 20))
    depth = np.where(rng.random(count) < 0.75, u(0, 0.55, count), 0)
    return Ground(
        foot, grey.astype(F), depth, u(0.04, 0.35, count), rng.normal(0, 0.12, (count, 2))
    )


def _neighbours(
    rng: np.random.Generator, turn: Floats, style: Style
) -> list[tuple[Ints, Floats, Floats, Style]]:
    """Return up to two more dice beside each: rows, middles, turns, styles. None overlap."""
    count = len(turn)
    number = rng.choice((0, 1, 2), count, p=(0.6, 0.27, 0.13))
    first = rng.uniform(0, 2 * np.pi, count)
    patches = []
    for which, ways in ((1, first), (2, first + rng.uniform(1.2, 5.08, count))):
        rows = np.flatnonzero(number >= which)
        k = len(rows)
        way = ways[rows]
        own = np.where(rng.random(k) < 0.4, turn[rows], rng.uniform(0, 2 * np.pi, k))
        need = _half(way - turn[rows]) + _half(way - own)
        apart = np.maximum(rng.uniform(1.03, 1.75, k), np.minimum(need, 1.45) + 0.04)
        middle = np.stack([np.cos(way) * apart, np.sin(way) * apart, np.full(k, 0.5)], -1)
        kind = mixed(rows_of(style, rows), styles(rng, k), rng.random(k) < 0.5)
        patches.append((rows, middle, own, kind))
    return patches


def _half(angle: Floats) -> Floats:
    """Return how far a square of side 1 reaches in a direction."""
    return np.asarray(0.5 / np.maximum(np.abs(np.cos(angle)), np.abs(np.sin(angle))))


def _shade(ground: Ground, rows: Ints, middle: Floats, turn: Floats) -> None:
    """Darken the table around dice."""
    offset = ground.foot[rows] - middle[:, None, :2] - ground.shift[rows][:, None]
    c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
    across = np.maximum(np.abs(c * offset[..., 0] + s * offset[..., 1]) - 0.45, 0)
    down = np.maximum(np.abs(c * offset[..., 1] - s * offset[..., 0]) - 0.45, 0)
    fall = np.exp(-np.hypot(across, down) / ground.reach[rows][:, None])
    ground.grey[rows] *= 1 - ground.depth[rows][:, None] * fall


def _draw(
    ground: Ground, nearest: Floats, rows: Ints, nearest_face: tuple[Floats, Floats]
) -> None:
    """Draw dice over what is farther from the camera."""
    distance, grey = nearest_face
    over = distance < nearest[rows]
    ground.grey[rows] = np.where(over, grey, ground.grey[rows])
    nearest[rows] = np.where(over, distance, nearest[rows])


def _photograph(rng: np.random.Generator, grey: Floats) -> Patches:
    """Return what a camera makes of it: gloss, blur, noise (even or grained), either polarity."""
    count = len(grey)
    for row in np.flatnonzero(rng.random(count) < 0.15):
        grey[row] = add_gloss(rng, grey[row])
    size = grey.shape[1] // _OVER
    small = grey.reshape(count, size, _OVER, size, _OVER).mean((2, 4))
    for part in np.array_split(rng.permutation(count), 8):
        small[part] = _blur(small[part], rng.uniform(0.2, 1.0))
    noise = rng.normal(0, 1, small.shape)
    right, down = np.roll(noise, 1, 2), np.roll(noise, 1, 1)
    grained = (noise + right + down + np.roll(right, 1, 1)) / 2
    noise = np.where((rng.random(count) < 0.5)[:, None, None], noise, grained)
    small = small + abs(rng.normal(0, 3, count))[:, None, None] * noise
    small = np.where((rng.random(count) < 0.25)[:, None, None], 255 - small, small)
    return np.asarray(np.clip(small + 0.5, 0, 255), np.uint8)


def _blur(grey: Floats, sigma: float) -> Floats:
    weights = np.exp(-(np.arange(-3, 4) ** 2) / (2 * sigma * sigma))
    weights /= weights.sum()
    size = grey.shape[1]
    wide = np.pad(grey, ((0, 0), (3, 3), (3, 3)), mode="edge")
    wide = np.sum([w * wide[:, k : k + size] for k, w in enumerate(weights)], 0)
    return np.asarray(np.sum([w * wide[:, :, k : k + size] for k, w in enumerate(weights)], 0))
