"""The edges of round-edged cubes on the floor, as the second camera sees them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice.picture_patches import Mask
from tabletools.dice.second_camera import Doubles, SecondCamera

Poses = Doubles
"""(n, 7): right, down (of the middle, edges of a die), turn, lean about both axes of the floor
(radians), size, radius of the edges. The lowest point of a cube is on the floor."""
SIZE, ROUND = 5, 6
_CORNERS = np.array([*product((-0.5, 0.5), repeat=3)])
_NORMALS = np.array([*np.eye(3), *-np.eye(3)])
_ENDS = np.array(
    [(a, b) for a, b in combinations(range(8), 2) if (_CORNERS[a] != _CORNERS[b]).sum() == 1]
)
_BESIDE = np.array(
    [
        [face for face in range(6) if (_CORNERS[[a, b]] @ _NORMALS[face] > 0).all()]
        for a, b in _ENDS
    ]
)
_TRIM = 0.08  # of an edge at each end: corners are rounder than edges


@dataclass(frozen=True)
class Edges:
    """px (n, 12, points, 2): where points of the edges are in the picture. along (n, 12, 2): from
    the first to the last, px. visible (n, 12): whether an edge is seen."""

    px: Doubles
    along: Doubles
    visible: Mask


def edges(camera: SecondCamera, poses: Poses, points: int) -> Edges:
    """Return the edges of cubes.

    An outer edge, one of whose faces is seen, is where rays touch its rounding; an inner one is
    the middle of it.
    """
    turned = _rotations(poses)
    middle, inner = _place(turned, poses)
    normals = np.einsum("nij,kj->nki", turned, _NORMALS)
    facing = np.einsum("nki,ni->nk", normals, camera.place() - middle) - 0.5 * poses[:, None, SIZE]
    faces = (facing > 0)[:, _BESIDE].sum(-1)
    one, other = (normals[:, _BESIDE[:, side]] for side in (0, 1))
    near, far = (np.abs(facing[:, _BESIDE[:, side]])[..., None] for side in (0, 1))
    out = np.where((faces == 2)[..., None], one + other, one * far + other * near)
    out *= poses[:, None, ROUND, None] / np.maximum(np.linalg.norm(out, axis=-1), 1e-9)[..., None]
    first, last = (inner[:, _ENDS[:, end]] + out for end in (0, 1))
    share = (np.arange(points) + 0.5) / points * (1 - 2 * _TRIM) + _TRIM
    line = first[:, :, None] + (last - first)[:, :, None] * share[:, None]
    px = camera.project(line)
    return Edges(px, px[:, :, -1] - px[:, :, 0], faces > 0)


def outline(camera: SecondCamera, pose: Doubles) -> npt.NDArray[np.int32]:
    """Return the convex outline of a cube, px of the picture."""
    turned = _rotations(pose[None])
    middle, _ = _place(turned, pose[None])
    corners = np.einsum("nij,kj->nki", turned, _CORNERS) * pose[SIZE] + middle[:, None]
    px = np.rint(camera.project(corners[0])).astype(np.int32)
    return np.asarray(cv2.convexHull(px), np.int32)


def _place(turned: Doubles, poses: Poses) -> tuple[Doubles, Doubles]:
    """Return the middles (n, 3) and the corners (n, 8, 3) between which the roundings lie."""
    inner = np.einsum("nij,kj->nki", turned, _CORNERS)
    inner *= (poses[:, SIZE] - 2 * poses[:, ROUND])[:, None, None]
    height = poses[:, ROUND] - inner[..., 2].min(1)
    middle = np.concatenate([poses[:, :2], height[:, None]], 1)
    return middle, inner + middle[:, None]


def _rotations(poses: Poses) -> Doubles:
    """Return matrices (n, 3, 3): turned about the vertical, then leaned about a level axis."""
    turn, none, one = poses[:, 2], np.zeros(len(poses)), np.ones(len(poses))
    c, s = np.cos(turn), np.sin(turn)
    lean = np.hypot(poses[:, 3], poses[:, 4])
    x, y = poses[:, 3:5].T / np.maximum(lean, 1e-9)
    k, m = np.cos(lean), np.sin(lean)
    q = 1 - k
    about = np.stack([c, -s, none, s, c, none, none, none, one], -1)
    tilt = [k + x * x * q, x * y * q, y * m, x * y * q, k + y * y * q, -x * m, -y * m, x * m, k]
    return np.asarray(np.stack(tilt, -1).reshape(-1, 3, 3) @ about.reshape(-1, 3, 3))
