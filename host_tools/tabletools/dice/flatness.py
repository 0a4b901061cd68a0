"""Whether dice lie flat, by their edges in the picture of the second camera.

Cubes near the place of a die are projected into the picture, flat ones, leaning ones and ones on
top of another die. The cube whose visible edges lie on most of the picture's edges shows how the
die lies. Edges of pips do not count, nor do those behind a nearer die.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice import thresholds
from tabletools.dice.cube_edges import SIZE, Edges, Poses, edges, outline
from tabletools.dice.picture_edges import BINS, edge_maps
from tabletools.dice.picture_patches import Floats, Mask
from tabletools.dice.second_camera import Colour, Doubles, SecondCamera

EDGE_PX = 48  # of a die in the part of the picture that is compared
_REACH = 1.6  # edges to each side of a die that are compared
_WHOLE = 0.6  # edges to each side that have to be seen
_HIGHEST = 2.1  # edges
_LEAST_PX = 40  # of a part of the picture
_COARSE, _FINE = 4, 8  # points of an edge
_BEST, _LAST = 24, 6  # poses that are refined, coarse and fine
_DIRECTIONS = np.arange(8) * np.pi / 4
_SIDES = np.arange(-2, 3) * 0.2
_TURNS = np.arange(7) * np.pi / 14
_LEANS = [(0.0, 0.0)] + [
    (float(lean * np.cos(way)), float(lean * np.sin(way)))
    for lean in np.radians((14, 24, 36))
    for way in _DIRECTIONS
]
_USUAL_ROUND = 0.08
# Steps of a pose: right, down, turn, lean about both axes of the floor, size, rounding.
_FIRST_STEPS = np.array((0.1, 0.1, 0.12, 0.1, 0.1, 0.03, 0.03))
_LAST_STEPS = np.array((0.05, 0.05, 0.05, 0.05, 0.05, 0.02, 0.03))
_LEANING = slice(3, 5)
_SHRINK = 0.6


@dataclass(frozen=True)
class Lie:
    """How a die lies. share: of the edges of a flat cube that are seen, 0-1; None when the second
    camera does not see all of its place, or a nearer die hides most of it. agrees: by how much
    more that is than of a cube that leans. lean: degrees, 0 of one that is rather flat. stands: by
    how much more it is than of a cube on top of another."""

    share: float | None
    agrees: float
    lean: float
    stands: float

    @property
    def is_flat(self) -> bool:
        """Whether the die certainly lies flat."""
        is_seen = self.share is not None and self.share >= thresholds.LEAST_EDGES
        is_best = self.agrees >= thresholds.FLAT and self.stands >= thresholds.ON_FLOOR
        return is_seen and is_best


@dataclass(frozen=True)
class _Part:
    """A part of the picture around a die. left, top: px of the picture; scale: px of it for one of
    the picture. maps: see edge_maps, for few and for many points. hidden: behind a nearer die."""

    left: int
    top: int
    scale: float
    maps: list[Floats]
    hidden: Mask


def lies(
    camera: SecondCamera, picture: Colour, places: Sequence[tuple[float, float]]
) -> list[Lie]:
    """Return how the dice at these places of the floor lie, according to the second picture."""
    from_camera = [float(np.hypot(*(camera.place()[:2] - place))) for place in places]
    hidden = np.zeros(picture.shape[:2], np.uint8)
    lies_by_place = [Lie(None, 0.0, 0.0, 0.0)] * len(places)
    lowered = camera.at_base()
    for number in np.argsort(from_camera):
        part = _part(camera, picture, places[number], hidden)
        if part is None:
            continue
        (flat, level), (leaning, tilted) = (
            _fit(camera, part, places[number], flat=flat) for flat in (True, False)
        )
        agrees = flat - leaning
        best = level if agrees >= thresholds.FLAT else tilted
        if _seen_share(camera, part, best) >= thresholds.LEAST_SEEN:
            lean = float(np.degrees(np.hypot(*best[_LEANING])))
            raised, _ = _fit(lowered, part, places[number], flat=True)
            lies_by_place[number] = Lie(flat, agrees, lean, flat - raised)
        cv2.fillConvexPoly(hidden, outline(camera, best), 1)
    return lies_by_place


def _part(
    camera: SecondCamera,
    picture: Colour,
    place: tuple[float, float],
    hidden: npt.NDArray[np.uint8],
) -> _Part | None:
    """Return the part around a die; None when the picture does not show the whole die."""
    box, die = (
        np.array([*product((-side, side), (-side, side), (0.0, top))]) + np.array((*place, 0.0))
        for side, top in ((_REACH, _HIGHEST), (_WHOLE, 1.0))
    )
    high, wide = picture.shape[:2]
    inside = camera.project(die)
    if inside.min() < 0 or (inside.max(0) >= (wide, high)).any():
        return None
    outline = camera.project(box)
    left, top = (int(side) for side in np.maximum(np.floor(outline.min(0)), 0))
    right, bottom = (int(side) + 1 for side in np.minimum(outline.max(0), (wide - 1, high - 1)))
    scale = EDGE_PX / camera.edge_px(np.array((*place, 0.5)))
    size = round((right - left) * scale), round((bottom - top) * scale)
    if min(size) < _LEAST_PX:
        return None
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    cut = cv2.resize(picture[top:bottom, left:right], size, interpolation=how)
    behind = cv2.resize(hidden[top:bottom, left:right], size, interpolation=cv2.INTER_NEAREST)
    return _Part(left, top, scale, edge_maps(np.asarray(cut, np.uint8)), behind > 0)


def _fit(
    camera: SecondCamera, part: _Part, place: tuple[float, float], *, flat: bool
) -> tuple[float, Doubles]:
    """Return the best pose of a flat or of a leaning cube, and its score."""
    leans = _LEANS[:1] if flat else _LEANS[1:]
    starts = [(turn, *lean) for turn, lean in product(_TURNS, leans)]
    poses = np.array(
        [
            (place[0] + right, place[1] + down, *start, 1.0, _USUAL_ROUND)
            for start, right, down in product(starts, _SIDES, _SIDES)
        ]
    )
    scores = _scores(camera, part, 0, poses, place).reshape(len(starts), -1)
    poses = poses.reshape(*scores.shape, -1)[np.arange(len(starts)), scores.argmax(1)]
    poses = poses[np.argsort(-scores.max(1))[:_BEST]]
    poses, scores = _climb(camera, part, 0, poses, place, flat=flat)
    poses = poses[np.argsort(-scores)[:_LAST]]
    poses, scores = _climb(camera, part, 1, poses, place, flat=flat)
    best = int(scores.argmax())
    return float(scores[best]), poses[best]


def _climb(
    camera: SecondCamera,
    part: _Part,
    fine: int,
    poses: Poses,
    place: tuple[float, float],
    *,
    flat: bool,
) -> tuple[Poses, Doubles]:
    """Return poses changed step by step while that raises their scores."""
    steps = (_LAST_STEPS if fine else _FIRST_STEPS).copy()
    if flat:
        steps[_LEANING] = 0
    moves = np.diag(steps)[steps > 0]
    moves = np.concatenate([moves, -moves])
    scores, rows = _scores(camera, part, fine, poses, place), np.arange(len(poses))
    for _ in range(8 if fine else 6):
        for _ in range(2):
            near = (poses[:, None] + moves).reshape(-1, len(steps))
            near = _within_limits(near, place, flat=flat)
            tried = _scores(camera, part, fine, near, place).reshape(len(poses), -1)
            best = tried.argmax(1)
            better = tried[rows, best] > scores
            chosen = near.reshape(len(poses), -1, len(steps))[rows, best]
            poses = np.where(better[:, None], chosen, poses)
            scores = np.maximum(scores, tried.max(1))
            if not better.any():
                break
        moves = moves * _SHRINK
    return poses, scores


def _within_limits(poses: Poses, place: tuple[float, float], *, flat: bool) -> Poses:
    """Return poses within the limits of place, size, rounding and, of leaning ones, lean."""
    usual = np.array((*place, 1.0))
    most = np.array((thresholds.FARTHEST_PLACE, thresholds.FARTHEST_PLACE, thresholds.SIZE_OFF))
    poses[:, (0, 1, SIZE)] = poses[:, (0, 1, SIZE)].clip(usual - most, usual + most)
    poses[:, -1] = poses[:, -1].clip(*thresholds.ROUNDING)
    if not flat:
        lean = np.hypot(*poses[:, _LEANING].T)
        by = lean.clip(*np.radians(thresholds.LEAN_DEGREES)) / np.maximum(lean, 1e-9)
        poses[:, _LEANING] *= by[:, None]
    return poses


def _sample(
    camera: SecondCamera, part: _Part, fine: int, poses: Poses
) -> tuple[Edges, npt.NDArray[np.int64], Mask]:
    """Return the edges of cubes, columns and rows of their points, and which of these are seen."""
    normals = edges(camera, poses, _FINE if fine else _COARSE)
    px = np.rint((normals.px - (part.left, part.top)) * part.scale).astype(np.int64)
    column, row = px[..., 0], px[..., 1]
    high, wide = part.hidden.shape
    visible = (column >= 0) & (row >= 0) & (column < wide) & (row < high)
    column, row = column.clip(0, wide - 1), row.clip(0, high - 1)
    visible &= ~part.hidden[row, column]
    return normals, np.stack([column, row]), visible


def _seen_share(camera: SecondCamera, part: _Part, pose: Doubles) -> float:
    """Return how much of a cube's edges that look at the camera nothing hides, 0-1."""
    normals, _, visible = _sample(camera, part, 1, pose[None])
    lengths = normals.visible * np.hypot(*np.moveaxis(normals.along, -1, 0))
    return float((lengths * visible.mean(-1)).sum() / max(lengths.sum(), 1e-6))


def _scores(
    camera: SecondCamera, part: _Part, fine: int, poses: Poses, place: tuple[float, float]
) -> Doubles:
    """Return how much of the visible edges of cubes are edges of the picture, 0-1, less what their
    place is off. An edge counts by its length, and is lighter on one side all along."""
    normals, (column, row), visible = _sample(camera, part, fine, poses)
    field = part.maps[fine]
    across = np.arctan2(normals.along[..., 1], normals.along[..., 0]) + np.pi / 2
    way = (across % (2 * np.pi) / (2 * np.pi) * BINS).astype(np.int64)[..., None] % BINS
    sums = [(field[(way + side) % BINS, row, column] * visible).sum(-1) for side in (0, BINS // 2)]
    shares = np.maximum(*sums) / np.maximum(visible.sum(-1), 1)
    weights = normals.visible * np.hypot(*np.moveaxis(normals.along, -1, 0)) * visible.mean(-1)
    off = ((poses[:, :2] - place) ** 2).sum(1)
    whole = np.maximum(weights.sum(1), 1e-6)
    return np.asarray((weights * shares).sum(1) / whole - thresholds.PLACE_COST * off)
