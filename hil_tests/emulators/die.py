"""One die as a camera above a tray sees it: a cube with rounded edges, pips and a gloss.

Lengths are in die edges, the table is z = 0, x to the right and y down the picture. A ray is cast
for each sample, so side faces, tilt and touching dice come out as a lens shows them. Shares
nothing with the vision it tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

Vector = tuple[float, float, float]

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
        found = (7 - first, first, 7 - second, second, 7 - self.value, self.value)
        object.__setattr__(self, "faces", found)

    @property
    def middle(self) -> Vector:
        """Centre of the cube."""
        return (self.x, self.y, self.size / 2 + self.lift)

    def seen_from(self, eye: Vector) -> Vector:
        """Return the place of an eye in the cube's own directions, from its middle."""
        x, y, z = (eye[k] - self.middle[k] for k in range(3))
        first, second, third = (x * a + y * b + z * c for a, b, c in self.axes)
        return first, second, third

    def grey(self, start: Vector, ray: Vector, light: Vector) -> float | None:
        """Return the grey at which a ray meets the die, from seen_from(); None beside it."""
        hit = self.meets(start, ray)
        if hit is None:
            return None
        distance, face = hit
        x, y, z = ray
        axis, sign = face >> 1, 1 if face & 1 else -1
        a, b = (
            (start[index] + distance * (x * way[0] + y * way[1] + z * way[2])) / self.size
            for index, way in enumerate(self.axes)
            if index != axis
        )
        u, v, w = self.axes[axis]
        shade = 0.55 + 0.45 * max(0.0, sign * (u * light[0] + v * light[1] + w * light[2]))
        return _colour(self.style, self.faces[face], a, b) * shade

    def meets(self, start: Vector, ray: Vector) -> tuple[float, int] | None:
        """Return (distance, face 0-5) where a ray enters the cube; None when it misses."""
        near, far, face, half = -math.inf, math.inf, 0, self.size / 2
        x, y, z = ray
        for index, (u, v, w) in enumerate(self.axes):
            speed = x * u + y * v + z * w
            if -1e-9 < speed < 1e-9:
                if abs(start[index]) > half:
                    return None
                continue
            low = (-half - start[index]) / speed
            high = (half - start[index]) / speed
            if low > high:
                low, high = high, low
            if low > near:
                near, face = low, 2 * index + (speed < 0)
            far = min(far, high)
            if near > far:
                return None
        return (near, face) if 0 < near < far else None


def _axes(turn: float, tilt: float, tilt_to: float) -> tuple[Vector, Vector, Vector]:
    """Return the cube's three directions: turned about z, then tilted about a level axis."""
    c, s = math.cos(turn), math.sin(turn)
    level = (math.cos(tilt_to), math.sin(tilt_to), 0.0)
    first, second, third = (
        _rotated(way, level, tilt) for way in ((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0))
    )
    return first, second, third


def _rotated(vector: Vector, about: Vector, angle: float) -> Vector:
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = vector
    u, v, w = about
    dot = (x * u + y * v + z * w) * (1 - c)
    return (
        u * dot + x * c + (v * z - w * y) * s,
        v * dot + y * c + (w * x - u * z) * s,
        w * dot + z * c + (u * y - v * x) * s,
    )


def _colour(style: Style, value: int, a: float, b: float) -> float:
    """Return the grey of a face at (a, b), -0.5..0.5 from its middle, before shading."""
    grey = style.body
    if style.mottle:
        wave = math.sin(9 * a + 4 * math.sin(7 * b)) * math.sin(8 * b + 3 * math.sin(6 * a))
        grey += style.mottle * wave
    radius = style.one if value == 1 else style.radius
    for i, j in PIPS[value]:
        apart = math.hypot(a - i * style.pitch, b - j * style.pitch)
        if apart < radius and not (style.hollow and apart < radius * 0.45):
            return style.pip
    edge = max(abs(a), abs(b))
    if edge > 0.5 - style.corner / 2:
        grey *= 0.85
    if style.gloss and 0.36 < edge < 0.43 and a > 0.1:
        grey += style.gloss
    return grey
