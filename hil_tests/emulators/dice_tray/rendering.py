"""A camera above a dice tray: grey frames of dice, their light and shadows, and what goes wrong.

A scene is made from a seed and the name of a family; the same seed gives the same bytes. What
the camera ought to read comes with it. Shares nothing with the vision it tests.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import numpy as np

from hil_tests.emulators.die import Die, Floats, Vector


@dataclass(frozen=True)
class Walls:
    """The walls of a tray: feet, px from the left, top, right and bottom, below 0 out of view.

    shades: of each wall, as a share of the cloth's grey. turn: of the tray, radians. wide, rim: of
    a wall and of its top, px; edge, beyond: greys of that top and of what the tray stands on.
    """

    feet: tuple[float, float, float, float]
    shades: tuple[float, float, float, float]
    turn: float
    wide: float
    rim: float
    edge: float
    beyond: float


@dataclass
class Scene:
    """What lies in the tray and how it is seen.

    width, height: of the frame, px. scale: px of a die edge on the table. above: height of the
    lens in die edges. table: grey of the cloth; slope: its change over the frame; weave: depth of
    its texture. light: where it comes from. shadow: 0-1. blur: passes. noise: sigma in grey.
    bar: a rim of the tray along the left, px; wall: the far wall along the top, px; mark: where a
    light patch of it begins, px, 0 for none. walls: of the tray, None where none is in view. arm:
    a forearm reaches in. readable: the dice may be accepted; False when every right answer is a
    refusal.
    """

    width: int = 160
    height: int = 120
    scale: float = 24.0
    above: float = 20.0
    table: float = 90.0
    slope: tuple[float, float] = (0.0, 0.0)
    weave: float = 0.0
    light: Vector = (0.3, -0.2, 0.93)
    shadow: float = 0.3
    blur: int = 1
    noise: float = 1.5
    bar: int = 0
    wall: int = 0
    mark: int = 0
    walls: Walls | None = None
    arm: bool = False
    readable: bool = True
    dice: list[Die] = field(default_factory=list)

    @property
    def values(self) -> list[int]:
        """Faces on top, sorted."""
        return sorted(die.value for die in self.dice)


def render(scene: Scene, seed: int) -> bytes:
    """Return the frame, width * height bytes of grey, row by row."""
    rng = random.Random(seed)
    picture = _ground(scene, rng)
    _shadows(scene, picture)
    for die in sorted(scene.dice, key=lambda each: -math.hypot(each.x, each.y)):
        _draw(scene, die, picture)
    if scene.arm:
        _draw_arm(scene, picture)
    for _ in range(scene.blur):
        picture = _blurred(picture)
    return camera_noise(_greys(picture), scene.noise, seed)


def camera_noise(frame: bytes, sigma: float, seed: int) -> bytes:
    """Return the frame as a small sensor reads it: Gaussian noise of sigma greys on each pixel."""
    if not sigma:
        return frame
    gauss = random.Random(seed).gauss
    noise = [gauss(0.0, sigma) for _ in frame]
    return _greys(np.frombuffer(frame, np.uint8) + np.array(noise))


def _greys(picture: Floats) -> bytes:
    return (np.clip(picture, 0, 255) + 0.5).astype(np.uint8).tobytes()


def _ground(scene: Scene, rng: random.Random) -> Floats:
    right, down = scene.slope
    wave = rng.uniform(0.5, 1.4)
    x, y = np.arange(scene.width), np.arange(scene.height)[:, None]
    picture = scene.table + right * x / scene.width + down * y / scene.height
    if scene.weave:
        wide = [math.sin(wave * column) for column in range(scene.width)]
        high = [math.sin(wave * row) for row in range(scene.height)]
        thread = [rng.gauss(0, 0.4) for _ in range(picture.size)]
        picture += scene.weave * (
            np.array(wide) * np.array(high)[:, None] + np.reshape(thread, picture.shape)
        )
    marked = (x >= scene.mark) & (x - scene.mark < 24) & bool(scene.mark)
    rim = (x < scene.bar) | (y < scene.wall)
    picture[rim] *= np.broadcast_to(np.where(marked, 1.5, 0.5), picture.shape)[rim]
    if scene.walls:
        _stand_walls(scene, scene.walls, picture)
    return picture


def _stand_walls(scene: Scene, walls: Walls, picture: Floats) -> None:
    """Draw what lies outside the feet of the walls: wall, its top, and what is beyond."""
    x = np.arange(scene.width) - scene.width / 2
    y = np.arange(scene.height)[:, None] - scene.height / 2
    along = x * math.cos(walls.turn) + y * math.sin(walls.turn)
    across = y * math.cos(walls.turn) - x * math.sin(walls.turn)
    left, top, right, bottom = walls.feet
    outside = np.stack([
        left - scene.width / 2 - along, top - scene.height / 2 - across,
        along - scene.width / 2 + right, across - scene.height / 2 + bottom,
    ])  # fmt: skip
    far = outside.max(0)
    wall = np.array(walls.shades)[outside.argmax(0)] * scene.table
    top_or_beyond = np.where(far < walls.wide + walls.rim, walls.edge, walls.beyond)
    picture[far > 0] = np.where(far < walls.wide, wall, top_or_beyond)[far > 0]


def _shadows(scene: Scene, picture: Floats) -> None:
    """Darken the table where a die stands between it and the light."""
    if not scene.shadow:
        return
    for die in scene.dice:
        reach = 1.4 * die.size * scene.scale + die.lift * scene.scale
        rows, columns = _window(scene, [(die.x, die.y)], reach)
        x, y = _on_table(scene, rows, columns)
        _, _, hit = die.meets(die.seen_from((x, y, 0.0)), scene.light)
        picture[rows, columns][hit] *= 1 - scene.shadow


def _window(scene: Scene, middles: list[tuple[float, float]], reach: float) -> tuple[slice, slice]:
    """Return the rows and columns within reach px of the middles (in die edges)."""
    across = [scene.width / 2 + x * scene.scale for x, _ in middles]
    down = [scene.height / 2 + y * scene.scale for _, y in middles]
    rows = slice(max(0, int(min(down) - reach)), min(scene.height, int(max(down) + reach) + 1))
    columns = slice(
        max(0, int(min(across) - reach)), min(scene.width, int(max(across) + reach) + 1)
    )
    return rows, columns


def _on_table(
    scene: Scene, rows: slice, columns: slice, dx: float = 0.0, dy: float = 0.0
) -> tuple[Floats, Floats]:
    """Return where pixels, and so much beside them, lie on the table: x, y in die edges."""
    x = np.arange(columns.start, max(columns.start, columns.stop))
    y = np.arange(rows.start, max(rows.start, rows.stop))[:, None]
    return (
        (x + dx - scene.width / 2) / scene.scale,
        (y + dy - scene.height / 2) / scene.scale,
    )


def _draw(scene: Scene, die: Die, picture: Floats) -> None:
    """Cast four rays through each pixel the die can touch."""
    start = die.seen_from((0.0, 0.0, scene.above))
    low, high = (scene.above / (scene.above - die.lift - h * die.size) for h in (0, 1.2))
    middles = [(die.x * low, die.y * low), (die.x * high, die.y * high)]
    rows, columns = _window(scene, middles, 0.9 * die.size * scene.scale * high)
    part = picture[rows, columns]
    total, covered = np.zeros(part.shape), np.zeros(part.shape)
    for dx, dy in ((-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)):
        x, y = _on_table(scene, rows, columns, dx, dy)
        greys, hit = die.greys(start, (x, y, -scene.above), scene.light)
        total += greys
        covered += hit
    part[:] = np.where(covered > 0, (total + (4 - covered) * part) / 4, part)


def _draw_arm(scene: Scene, picture: Floats) -> None:
    """Lay a forearm with a rounded hand over the right of the frame."""
    tip = scene.width * 0.45
    for y in range(scene.height):
        across = abs(y - scene.height * 0.5) / (scene.height * 0.16)
        if across < 1:
            begins = math.floor(tip + 0.1 * scene.width * across**2) + 1
            picture[y, begins:] = 165 - 40 * across**2


def _blurred(picture: Floats) -> Floats:
    """Return the picture after one pass of 1-2-1 each way; the border stays."""
    width = picture.shape[1]
    flat = picture.ravel()
    rows = flat.copy()
    rows[1:-1] = (flat[:-2] + 2 * flat[1:-1] + flat[2:]) / 4
    out = rows.copy()
    out[width:-width] = (rows[: -2 * width] + 2 * rows[width:-width] + rows[2 * width :]) / 4
    return out.reshape(picture.shape)
