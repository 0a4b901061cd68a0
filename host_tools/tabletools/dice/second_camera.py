"""The second camera of a tray, which sees the dice from aside: its pose, and how it is calibrated.

A chessboard that lies in the tray is seen by both cameras. It gives the floor its coordinates, in
edges of a die; height is over the floor.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice import thresholds
from tabletools.dice.picture_patches import Grey
from tabletools.dice.pictures import open_colour
from tabletools.errors import ToolError

Doubles = npt.NDArray[np.float64]
Size = Sequence[int]

Colour = npt.NDArray[np.uint8]
"""(height, width, 3)"""
_FRAMES = 5  # the first ones of a camera are those before it adapts to the light
BOARD = 8, 5  # inner corners of a board of 9 x 6 squares
_SHAPES: dict[str, tuple[int, ...]] = {
    "overhead": (2,),
    "size": (2,),
    "to_floor": (3, 3),
    "focal": (),
    "bend": (),
    "turn": (3,),
    "shift": (3,),
}
_LENS = (
    cv2.CALIB_USE_INTRINSIC_GUESS
    | cv2.CALIB_FIX_PRINCIPAL_POINT
    | cv2.CALIB_FIX_ASPECT_RATIO
    | cv2.CALIB_ZERO_TANGENT_DIST
    | cv2.CALIB_FIX_K2
    | cv2.CALIB_FIX_K3
)


@dataclass(frozen=True)
class SecondCamera:
    """overhead, size: width and height of both cameras' pictures, px. to_floor: 3 x 3, from px of
    the first picture to the floor. focal: px. bend: of the lens, k1. turn, shift: from the floor
    to the camera, a rotation vector and edges; heights are negative there."""

    overhead: Size
    size: Size
    to_floor: Sequence[Sequence[float]]
    focal: float
    bend: float
    turn: Sequence[float]
    shift: Sequence[float]

    def floor(self, x: float, y: float) -> tuple[float, float]:
        """Return where on the floor a pixel of the first picture is."""
        right, down, by = np.array(self.to_floor) @ (x, y, 1.0)
        return float(right / by), float(down / by)

    def place(self) -> Doubles:
        """Return where the camera is (3)."""
        return np.asarray(-self._rotation().T @ np.array(self.shift)) * (1, 1, -1)

    def project(self, points: Doubles) -> Doubles:
        """Return where points (..., 3) are in its picture, px (..., 2)."""
        turned = points * (1, 1, -1) @ self._rotation().T + np.array(self.shift)
        flat = turned[..., :2] / np.maximum(turned[..., 2:], 1e-6)
        flat = flat * (1 + self.bend * (flat * flat).sum(-1, keepdims=True))
        return np.asarray(self.focal * flat + (np.array(self.size) - 1) / 2)

    def at_base(self) -> SecondCamera:
        """Return it one edge nearer to the floor: a die on top of another looks to it like one on
        the floor."""
        shift = np.array(self.shift) + self._rotation() @ (0.0, 0.0, -1.0)
        return replace(self, shift=shift.tolist())

    def edge_px(self, point: Doubles) -> float:
        """Return how long an edge of a die looks at a point (3), px."""
        return self.focal / float(np.linalg.norm(self.place() - point))

    def _rotation(self) -> Doubles:
        return np.asarray(cv2.Rodrigues(np.array(self.turn, np.float64))[0])


def read(path: Path) -> SecondCamera:
    """Return the camera of a file that `tabletool dice --calibrate-second` wrote.

    Raises ToolError.
    """
    step = "make it with `tabletool dice --calibrate-second`"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        camera = SecondCamera(
            **{
                name: np.array(data[name], np.float64).reshape(shape).tolist()
                for name, shape in _SHAPES.items()
            }
        )
        is_sound = len(data) == len(_SHAPES) and bool(
            np.isfinite(camera.project(np.zeros(3))).all() and min(*camera.size, camera.focal) > 0
        )
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}", step=step) from None
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        is_sound = False
    if not is_sound:
        raise ToolError(f"{path} does not describe a second camera", step=step)
    return camera


def file_text(camera: SecondCamera) -> str:
    """Return a camera as the content of its file."""
    return json.dumps(asdict(camera), indent=1) + "\n"


def open_aside(path: Path) -> Colour:
    """Return a picture of the second camera. Raises ToolError."""
    return np.asarray(open_colour(path), np.uint8)


def photograph(source: str) -> Colour:
    """Return what a camera sees now. source: its number, or a file or stream that OpenCV opens.

    Raises ToolError.
    """
    capture = cv2.VideoCapture(int(source) if source.isdecimal() else source)
    last = None
    try:
        for _ in range(_FRAMES):
            is_read, frame = capture.read()
            last = frame if is_read else last
    finally:
        capture.release()
    if last is None:
        what = f"the second camera {source} gives no picture"
        raise ToolError(what, step="check its cable and dice_second_source")
    return np.asarray(last, np.uint8)


def png(picture: Colour) -> bytes:
    """Return a picture of a camera as a file."""
    return bytes(cv2.imencode(".png", picture)[1])


def calibrated(overhead: Grey, seconds: Sequence[Grey], edge: float) -> SecondCamera:
    """Return the camera that took pictures of a board: in the first it lies where it lies in the
    overhead picture, in others anywhere. edge: of a die, in squares. Raises ToolError."""
    high, wide = seconds[0].shape
    columns, rows = BOARD
    grid = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 2) / edge
    board = np.pad(grid, ((0, 0), (0, 1))).astype(np.float32)
    corners = [
        _corners(picture, f"second picture {number}") for number, picture in enumerate(seconds, 1)
    ]
    to_floor, _ = cv2.findHomography(_corners(overhead, "first picture"), grid)
    guess = 1.2 * wide
    lens = np.array(((guess, 0, (wide - 1) / 2), (0, guess, (high - 1) / 2), (0, 0, 1)))
    off, lens, bend, turns, shifts = cv2.calibrateCamera(
        [board] * len(corners), corners, (wide, high), lens, np.zeros(5), flags=_LENS
    )
    camera = SecondCamera(
        (overhead.shape[1], overhead.shape[0]),
        (wide, high),
        to_floor.tolist(),
        float(lens[0, 0]),
        float(np.ravel(bend)[0]),
        np.ravel(turns[0]).tolist(),
        np.ravel(shifts[0]).tolist(),
    )
    _verify(camera, off, grid.mean(0))
    return camera


def _verify(camera: SecondCamera, off_px: float, middle: Doubles) -> None:
    """Raise ToolError unless flatness can be judged with a camera."""
    there = np.array((*middle, 0.0))
    up = camera.place() - there
    height = float(np.degrees(np.arctan2(up[2], np.hypot(*up[:2]))))
    low, high = thresholds.ELEVATION_DEGREES
    if off_px > thresholds.MOST_OFF_PX:
        what, limit = f"the board is {off_px:.1f} px off", f"{thresholds.MOST_OFF_PX} px"
        step = "lay it flat, light it evenly, focus the camera; picture 1 of both has to show it"
    elif not low <= height <= high:
        what = f"the second camera looks down at {height:.0f} degrees"
        limit, step = f"{low}..{high}", "mount it elsewhere"
    elif (edge_px := camera.edge_px(there)) < thresholds.LEAST_EDGE_PX:
        what, limit = f"a die is {edge_px:.0f} px wide", f"at least {thresholds.LEAST_EDGE_PX} px"
        step = "mount the second camera nearer, or use more of its pixels"
    else:
        return
    raise ToolError(what, where="--calibrate-second", limit=limit, step=step)


def _corners(picture: Grey, where: str) -> npt.NDArray[np.float32]:
    """Return the inner corners of the board (40, 2), the same one first from wherever it is seen.

    Raises ToolError.
    """
    how = cv2.CALIB_CB_EXHAUSTIVE | cv2.CALIB_CB_ACCURACY
    is_found, corners = cv2.findChessboardCornersSB(picture, BOARD, flags=how)
    if not is_found:
        step = "show all of the board with a white margin, without glare; see HARDWARE.md"
        raise ToolError("shows no chessboard", where=where, limit="9 x 6 squares", step=step)
    points = corners.reshape(BOARD[1], BOARD[0], 2)
    right, down = points[0, -1] - points[0, 0], points[-1, 0] - points[0, 0]
    if right[0] * down[1] < right[1] * down[0]:
        points = points[::-1]
    first, second = (points[:2, start : start + 2].mean((0, 1)) for start in (0, 1))
    (x, y), (next_x, next_y) = (np.rint(start).astype(np.int64) for start in (first, second))
    if picture[y, x] > picture[next_y, next_x]:  # a dark square is first
        points = points[::-1, ::-1]
    return np.ascontiguousarray(points.reshape(-1, 2), np.float32)
