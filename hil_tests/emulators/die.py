"""One die as a camera above a tray sees it: a cube with rounded edges, pips and a gloss.

Lengths are in die edges, the table is z = 0, x to the right and y down the picture. A ray is cast
for each sample, so side faces, tilt and touching dice come out as a lens shows them. Shares
nothing with the vision it tests.
"""

from __future__ import annotations

import math
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
        found = (7 - first, first, 7 - second, second, 7 - self.value, self.value)
        object.__setattr__(self, "faces", found)

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
        found = np.zeros(hit.shape)
        x, y, z = (np.broadcast_to(each, hit.shape) for each in ray)
        for number in set(face[hit].tolist()):
            shown = hit & (face == number)
            axis, sign = number >> 1, 1 if number & 1 else -1
            a, b = (
                (
                    np.broadcast_to(start[index], hit.shape)[shown]
                    + distance[shown] * (x[shown] * way[0] + y[shown] * way[1] + z[shown] * way[2])
                )
                / self.size
                for index, way in enumerate(self.axes)
                if index != axis
            )
            u, v, w = self.axes[axis]
            shade = 0.55 + 0.45 * max(0.0, sign * (u * light[0] + v * light[1] + w * light[2]))
            found[shown] = _colours(self.style, self.faces[number], a, b) * shade
        return found, hit

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
