"""What a second camera, aside of a tray, sees of the dice of a scene, and a chessboard in it.

Rays are cast at the same dice as those of the first camera. Lengths are in die edges, x to the
right, y down and z up, as in `tableemulator.machines.dice_tray.rendering`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from tableemulator.machines.dice_tray.rendering import Die, Floats, Mask, Scene, Vector, Vectors

Picture = npt.NDArray[np.uint8]
_SQUARES = 9, 6
_SAMPLES = [(dx, dy) for dx in (-0.25, 0.25) for dy in (-0.25, 0.25)]


@dataclass(frozen=True)
class Camera:
    """azimuth: where it is, 0: to the right, 90: below the picture's edge; height: over the floor;
    degrees. far: from the middle. focal: px; bend: of its lens, barrel when negative."""

    azimuth: float
    height: float
    far: float = 18.0
    focal: float = 900.0
    bend: float = -0.1
    wide: int = 640
    high: int = 480

    def place(self) -> Floats:
        """Return where it is."""
        round_, up = math.radians(self.azimuth), math.radians(self.height)
        level = self.far * math.cos(up)
        return np.array(
            (level * math.cos(round_), level * math.sin(round_), self.far * math.sin(up))
        )

    def rays(self, dx: float, dy: float) -> Floats:
        """Return the rays of all pixels (3, high, wide), dx and dy beside their middles."""
        x = (np.arange(self.wide) + dx - (self.wide - 1) / 2) / self.focal
        y = (np.arange(self.high)[:, None] + dy - (self.high - 1) / 2) / self.focal
        x, y = np.broadcast_arrays(x, y)
        square = x * x + y * y
        by = 1 + self.bend * square
        for _ in range(8):  # undo the bend of the lens
            by = 1 + self.bend * square / by**2
        ahead = -self.place() / self.far
        right = np.array((-ahead[1], ahead[0], 0.0)) / math.hypot(ahead[0], ahead[1])
        down = ahead[2] * ahead - np.array((0.0, 0.0, 1.0))
        down /= np.linalg.norm(down)
        parts = np.stack([x / by, y / by, np.ones_like(x)])
        return np.asarray(np.einsum("kyx,ki->iyx", parts, np.stack([right, down, ahead])))


def aside(
    scene: Scene, camera: Camera, seed: int, *, noise: float = 2.0, blur: float = 0.7
) -> Picture:
    """Return the picture (high, wide, 3) of a scene from aside."""
    grey = np.zeros((camera.high, camera.wide))
    eye = tuple(camera.place())
    for sample in _SAMPLES:
        ray = camera.rays(*sample)
        grey += _view(scene, (eye[0], eye[1], eye[2]), ray) / len(_SAMPLES)
    return _camera(grey, seed, noise, blur)


def _view(scene: Scene, eye: Vector, ray: Floats) -> Floats:
    to_floor = -eye[2] / np.minimum(ray[2], -1e-6)
    x, y = eye[0] + to_floor * ray[0], eye[1] + to_floor * ray[1]
    grey = np.full(x.shape, scene.table)
    for die in scene.dice:
        near = _is_near(die, (x, y, 0.0), scene.light)
        _, _, is_shadow = die.meets(die.seen_from((x[near], y[near], 0.0)), scene.light)
        grey[near] = np.where(is_shadow, scene.table * (1 - scene.shadow), grey[near])
    nearest = np.full(x.shape, math.inf)
    for die in scene.dice:
        near = _is_near(die, eye, (ray[0], ray[1], ray[2]))
        start = die.seen_from(eye)
        rays = ray[0][near], ray[1][near], ray[2][near]
        distance, _, _ = die.meets(start, rays)
        greys, hit = die.greys(start, rays, scene.light)
        first = hit & (distance < nearest[near])
        grey[near] = np.where(first, greys, grey[near])
        nearest[near] = np.where(first, distance, nearest[near])
    return grey


def _is_near(die: Die, start: Vectors, ray: Vectors) -> Mask:
    """Return which rays come as near to the middle of a die as its corners are; the rest, nearly
    all, cannot meet it.
    """
    away = [die.middle[k] - start[k] for k in range(3)]
    along = sum(a * r for a, r in zip(away, ray, strict=True))
    reach = sum(a * a for a in away) - 0.76 * die.size**2  # three quarters, and some for rounding
    return np.asarray(along * along >= reach * sum(r * r for r in ray))


def boards(scene: Scene, camera: Camera, square: float) -> tuple[Picture, Picture]:
    """Return pictures (grey) of a board of 9 x 6 squares in the tray, from above and from aside.

    square: its width, edges of a die.
    """
    x = (np.arange(scene.width) - scene.width / 2) / scene.scale
    y = (np.arange(scene.height)[:, None] - scene.height / 2) / scene.scale
    right, down = np.broadcast_arrays(x, y)
    above = _camera(_board(right, down, square), 1, 1.0, 0.5)
    eye, grey = camera.place(), np.zeros((camera.high, camera.wide))
    for sample in _SAMPLES:
        ray = camera.rays(*sample)
        to_floor = -eye[2] / np.minimum(ray[2], -1e-6)
        grey += _board(eye[0] + to_floor * ray[0], eye[1] + to_floor * ray[1], square) / 4
    return above[..., 0], _camera(grey, 2, 1.0, 0.5)[..., 0]


def _board(x: Floats, y: Floats, square: float) -> Floats:
    column = np.floor(x / square + _SQUARES[0] / 2)
    row = np.floor(y / square + _SQUARES[1] / 2)
    inside = (column >= 0) & (row >= 0) & (column < _SQUARES[0]) & (row < _SQUARES[1])
    return np.where(inside & ((column + row) % 2 == 0), 30.0, 220.0)


def _camera(grey: Floats, seed: int, noise: float, blur: float) -> Picture:
    soft = cv2.GaussianBlur(grey, (0, 0), blur)
    image = soft + np.random.default_rng(seed).normal(size=grey.shape) * noise
    return np.repeat(np.clip(np.rint(image), 0, 255).astype(np.uint8)[..., None], 3, -1)
