"""Grey frames of dice as a camera above a tray sees them: dice, light, shadows, sensor noise.

A die is a cube with rounded edges, pips and a gloss. A ray is cast for each sample, so side faces,
tilt and touching dice come out as a lens shows them. Lengths are in die edges, the table is z = 0,
x to the right and y down the picture. The same scene and seed give the same bytes; what the camera
ought to read comes with the scene. Shares nothing with the vision it tests.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Vector = tuple[float, float, float]
Floats = npt.NDArray[np.float64]
# Many vectors: of each direction one number for all of them, or one for each.
Vectors = tuple[Floats | float, Floats | float, Floats | float]
Faces = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# Places of pips on a face, in units of the pitch from its middle.
_CORNERS = ((-1, -1), (1, 1), (-1, 1), (1, -1))
PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: _CORNERS[:2],
    3: (*_CORNERS[:2], (0, 0)),
    4: _CORNERS,
    5: (*_CORNERS, (0, 0)),
    6: (*_CORNERS, (-1, 0), (1, 0)),
}


@dataclass(frozen=True)
class Style:
    """How a set of dice is made: greys 0-255, lengths in die edges.

    hollow: the pip is a ring. one: radius of the single pip of the 1. mottle: depth of a marbled
    body. gloss: strength of the highlight along the rim of the top.
    """

    body: float = 235.0
    pip: float = 25.0
    pitch: float = 0.26
    radius: float = 0.09
    one: float = 0.09
    corner: float = 0.12
    hollow: bool = False
    mottle: float = 0.0
    gloss: float = 0.0


@dataclass(frozen=True)
class Die:
    """A die at rest: middle of its foot, value on top, turn and tilt in radians, edge length.

    lift: how far the middle stands above where a flat die's would. faces: value by axis and sign,
    set from `value` and `spin` so that opposite faces sum to seven.
    """

    x: float
    y: float
    value: int
    turn: float
    style: Style
    tilt: float = 0.0
    tilt_to: float = 0.0
    lift: float = 0.0
    size: float = 1.0
    spin: int = 0
    axes: tuple[Vector, Vector, Vector] = field(init=False)
    faces: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", _axes(self.turn, self.tilt, self.tilt_to))
        sides = [value for value in range(1, 7) if value not in (self.value, 7 - self.value)]
        first = sides[self.spin % 4]
        second = next(value for value in sides if value not in (first, 7 - first))
        faces = (7 - first, first, 7 - second, second, 7 - self.value, self.value)
        object.__setattr__(self, "faces", faces)

    @property
    def middle(self) -> Vector:
        """Centre of the cube."""
        return (self.x, self.y, self.size / 2 + self.lift)

    def seen_from(self, eye: Vectors) -> Vectors:
        """Return the places of eyes in the cube's own directions, from its middle."""
        x, y, z = (eye[k] - self.middle[k] for k in range(3))
        first, second, third = (x * a + y * b + z * c for a, b, c in self.axes)
        return first, second, third

    def greys(self, start: Vectors, ray: Vectors, light: Vector) -> tuple[Floats, Mask]:
        """Return the greys at which rays meet the die, from seen_from(), and which of them do."""
        distance, face, hit = self.meets(start, ray)
        grey = np.zeros(hit.shape)
        x, y, z = (np.broadcast_to(each, hit.shape) for each in ray)
        for number in set(face[hit].tolist()):
            mask = hit & (face == number)
            axis, sign = number >> 1, 1 if number & 1 else -1
            a, b = (
                (
                    np.broadcast_to(start[index], hit.shape)[mask]
                    + distance[mask] * (x[mask] * way[0] + y[mask] * way[1] + z[mask] * way[2])
                )
                / self.size
                for index, way in enumerate(self.axes)
                if index != axis
            )
            u, v, w = self.axes[axis]
            shade = 0.55 + 0.45 * max(0.0, sign * (u * light[0] + v * light[1] + w * light[2]))
            grey[mask] = _colours(self.style, self.faces[number], a, b) * shade
        return grey, hit

    def meets(self, start: Vectors, ray: Vectors) -> tuple[Floats, Faces, Mask]:
        """Return (distance, face 0-5) where rays enter the cube, and which of them do."""
        half = self.size / 2
        shape = np.broadcast_shapes(*(np.shape(each) for each in (*start, *ray)))
        near, far = np.full(shape, -math.inf), np.full(shape, math.inf)
        face, beside = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        x, y, z = ray
        for index, (u, v, w) in enumerate(self.axes):
            speed = np.broadcast_to(x * u + y * v + z * w, shape)
            place = np.broadcast_to(start[index], shape)
            along = (speed > -1e-9) & (speed < 1e-9)
            beside |= along & (np.abs(place) > half)
            safe = np.where(along, 1.0, speed)
            one, other = (-half - place) / safe, (half - place) / safe
            low = np.where(along, -math.inf, np.minimum(one, other))
            high = np.where(along, math.inf, np.maximum(one, other))
            later = low > near
            face[later] = 2 * index + (speed[later] < 0)
            near, far = np.maximum(near, low), np.minimum(far, high)
        return near, face, ~beside & (near > 0) & (near < far)


def _axes(turn: float, tilt: float, tilt_to: float) -> tuple[Vector, Vector, Vector]:
    """Return the cube's three directions: turned about z, then tilted about a level axis."""
    c, s = math.cos(turn), math.sin(turn)
    level = (math.cos(tilt_to), math.sin(tilt_to), 0.0)
    first, second, third = (
        _rotate(way, level, tilt) for way in ((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0))
    )
    return first, second, third


def _rotate(vector: Vector, about: Vector, angle: float) -> Vector:
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = vector
    u, v, w = about
    dot = (x * u + y * v + z * w) * (1 - c)
    return (
        u * dot + x * c + (v * z - w * y) * s,
        v * dot + y * c + (w * x - u * z) * s,
        w * dot + z * c + (u * y - v * x) * s,
    )


def _colours(style: Style, value: int, a: Floats, b: Floats) -> Floats:
    """Return the greys of a face at (a, b), -0.5..0.5 from its middle, before shading."""
    grey = np.full(a.shape, style.body)
    if style.mottle:
        grey += style.mottle * _marble(a, b)
    edge = np.maximum(np.abs(a), np.abs(b))
    grey[edge > 0.5 - style.corner / 2] *= 0.85
    if style.gloss:
        grey[(edge > 0.36) & (edge < 0.43) & (a > 0.1)] += style.gloss
    radius = style.one if value == 1 else style.radius
    for i, j in PIPS[value]:
        apart = np.hypot(a - i * style.pitch, b - j * style.pitch)
        pip = apart < radius
        if style.hollow:
            pip &= apart >= radius * 0.45
        grey[pip] = style.pip
    return grey


def _marble(a: Floats, b: Floats) -> Floats:
    # The sine of this interpreter: the one of arrays may differ in its last bit.
    sin = math.sin
    places = zip(a.tolist(), b.tolist(), strict=True)
    return np.array([sin(9 * x + 4 * sin(7 * y)) * sin(8 * y + 3 * sin(6 * x)) for x, y in places])


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
    a forearm reaches in. sleeve: its grey. readable: the dice may be accepted; False when every
    right answer is a refusal.
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
    sleeve: float = 165.0
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
        picture = _blur(picture)
    return camera_noise(_greys(picture), scene.noise, seed)


def camera_noise(frame: bytes, sigma: float, seed: int) -> bytes:
    """Return the frame as a small sensor reads it: Gaussian noise of sigma greys on each pixel."""
    if not sigma:
        return frame
    return _greys(
        np.frombuffer(frame, np.uint8) + gaussian(random.Random(seed), sigma, len(frame))
    )


def gaussian(rng: random.Random, sigma: float, count: int) -> Floats:
    """Return the next numbers of rng.gauss(0, sigma), an even count of a generator that has drawn
    none by itself: by the same formula (Box and Muller) in a sixth of the time.
    """
    drawn = np.array([rng.random() for _ in range(count)]).reshape(-1, 2)
    turn, radius = 2 * math.pi * drawn[:, 0], np.sqrt(-2 * np.log(1 - drawn[:, 1]))
    pairs: Floats = np.stack([np.cos(turn) * radius, np.sin(turn) * radius], axis=1)
    return pairs.ravel() * sigma


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
        thread = gaussian(rng, 0.4, picture.size).reshape(picture.shape)
        picture += scene.weave * (np.array(wide) * np.array(high)[:, None] + thread)
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
    outside = np.stack(
        [
            left - scene.width / 2 - along,
            top - scene.height / 2 - across,
            along - scene.width / 2 + right,
            across - scene.height / 2 + bottom,
        ]
    )
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
            picture[y, begins:] = scene.sleeve - 40 * across**2


def _blur(picture: Floats) -> Floats:
    """Return the picture after one pass of 1-2-1 each way; the border stays."""
    width = picture.shape[1]
    flat = picture.ravel()
    rows = flat.copy()
    rows[1:-1] = (flat[:-2] + 2 * flat[1:-1] + flat[2:]) / 4
    out = rows.copy()
    out[width:-width] = (rows[: -2 * width] + 2 * rows[width:-width] + rows[2 * width :]) / 4
    return out.reshape(picture.shape)
