"""A camera above a dice tray: grey frames of dice, their light and shadows, and what goes wrong.

A scene is made from a seed and the name of a family; the same seed gives the same bytes. What
the camera ought to read comes with it. Shares nothing with the vision it tests.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from hil_tests.emulators.die import Die, Vector

Picture = list[float]


@dataclass
class Scene:
    """What lies in the tray and how it is seen.

    width, height: of the frame, px. scale: px of a die edge on the table. above: height of the
    lens in die edges. table: grey of the cloth; slope: its change over the frame; weave: depth of
    its texture. light: where it comes from. shadow: 0-1. blur: passes. noise: sigma in grey.
    bar: a rim of the tray along the left, px; wall: the far wall along the top, px; mark: where a
    light patch of it begins, px, 0 for none. arm: a forearm reaches in. readable: the dice may be
    accepted; False when every right answer is a refusal.
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
        picture = _blurred(picture, scene.width)
    return camera_noise(bytes(_grey(value) for value in picture), scene.noise, seed)


def camera_noise(frame: bytes, sigma: float, seed: int) -> bytes:
    """Return the frame as a small sensor reads it: Gaussian noise of sigma greys on each pixel."""
    if not sigma:
        return frame
    gauss = random.Random(seed).gauss
    return bytes(_grey(value + gauss(0.0, sigma)) for value in frame)


def _grey(value: float) -> int:
    return 0 if value < 0 else 255 if value > 255 else int(value + 0.5)


def _ground(scene: Scene, rng: random.Random) -> Picture:
    right, down = scene.slope
    wave = rng.uniform(0.5, 1.4)
    picture = []
    for y in range(scene.height):
        for x in range(scene.width):
            grey = scene.table + right * x / scene.width + down * y / scene.height
            if scene.weave:
                grey += scene.weave * (math.sin(wave * x) * math.sin(wave * y) + rng.gauss(0, 0.4))
            if x < scene.bar or y < scene.wall:
                grey *= 1.5 if scene.mark and 0 <= x - scene.mark < 24 else 0.5
            picture.append(grey)
    return picture


def _shadows(scene: Scene, picture: Picture) -> None:
    """Darken the table where a die stands between it and the light."""
    if not scene.shadow:
        return
    for die in scene.dice:
        reach = 1.4 * die.size * scene.scale + die.lift * scene.scale
        for y, x in _window(scene, [(die.x, die.y)], reach):
            foot = ((x - scene.width / 2) / scene.scale, (y - scene.height / 2) / scene.scale, 0.0)
            if die.meets(die.seen_from(foot), scene.light):
                picture[y * scene.width + x] *= 1 - scene.shadow


def _window(
    scene: Scene, middles: list[tuple[float, float]], reach: float
) -> list[tuple[int, int]]:
    """Return the (y, x) of the pixels within reach px of the middles (in die edges)."""
    across = [scene.width / 2 + x * scene.scale for x, _ in middles]
    down = [scene.height / 2 + y * scene.scale for _, y in middles]
    rows = range(max(0, int(min(down) - reach)), min(scene.height, int(max(down) + reach) + 1))
    columns = range(
        max(0, int(min(across) - reach)), min(scene.width, int(max(across) + reach) + 1)
    )
    return [(row, column) for row in rows for column in columns]


def _draw(scene: Scene, die: Die, picture: Picture) -> None:
    """Cast four rays through each pixel the die can touch."""
    eye = (0.0, 0.0, scene.above)
    start = die.seen_from(eye)
    low, high = (scene.above / (scene.above - die.lift - h * die.size) for h in (0, 1.2))
    middles = [(die.x * low, die.y * low), (die.x * high, die.y * high)]
    for y, x in _window(scene, middles, 0.9 * die.size * scene.scale * high):
        total, covered = 0.0, 0
        for dx, dy in ((-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)):
            foot_x = (x + dx - scene.width / 2) / scene.scale
            foot_y = (y + dy - scene.height / 2) / scene.scale
            grey = die.grey(start, (foot_x, foot_y, -scene.above), scene.light)
            if grey is not None:
                total, covered = total + grey, covered + 1
        if covered:
            place = y * scene.width + x
            picture[place] = (total + (4 - covered) * picture[place]) / 4


def _draw_arm(scene: Scene, picture: Picture) -> None:
    """Lay a forearm with a rounded hand over the right of the frame."""
    tip = scene.width * 0.45
    for y in range(scene.height):
        for x in range(scene.width):
            across = abs(y - scene.height * 0.5) / (scene.height * 0.16)
            if x > tip + 0.1 * scene.width * across**2 and across < 1:
                picture[y * scene.width + x] = 165 - 40 * across**2


def _blurred(picture: Picture, width: int) -> Picture:
    """Return the picture after one pass of 1-2-1 each way; the border stays."""
    size = len(picture)
    rows = list(picture)
    for i in range(1, size - 1):
        rows[i] = (picture[i - 1] + 2 * picture[i] + picture[i + 1]) / 4
    out = list(rows)
    for i in range(width, size - width):
        out[i] = (rows[i - width] + 2 * rows[i] + rows[i + width]) / 4
    return out
