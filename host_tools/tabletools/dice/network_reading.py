"""A picture read in one look: a network finds and reads the dice, the lattice of pips confirms.

What else lies there, and whether a die leans, is cut off or lies on another, is judged by the
logic of the tray.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from tablelogic.dice.checks import pips_are_alike
from tablelogic.dice.choice import choose
from tablelogic.dice.cloth import find_cloth
from tablelogic.dice.face import Face
from tablelogic.dice.outline import trace
from tablelogic.dice.picture import Picture, root
from tablelogic.dice.reader import Reader
from tablelogic.dice.reasons import AMBIGUOUS, READ, TOO_DARK, UNREADABLE
from tablelogic.dice.spots import find_spots
from tabletools.dice import thresholds
from tabletools.dice.patches import Grey
from tabletools.dice.pips import Lattice, read_pips
from tabletools.dice.places import Found, find

_UNIT = 16  # of the tray's logic: places in sixteenths of a pixel, margins of a natural logarithm
_DARKEST = 6  # greys in the brightest cell's mean, as for the tray's logic
_BARE = 2  # of these, the one that shows the body: others are near pips

_BETWEEN: Sequence[tuple[float, float]] = (
    (-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5),
    (-1, -0.5), (-1, 0.5), (1, -0.5), (1, 0.5), (0, -1), (0, 1),
)  # fmt: skip


def read_by_network(picture: Grey) -> tuple[int, list[int]]:
    """Return (reason, sorted values) of a picture; the values are of dice that both read."""
    height, width = picture.shape
    reader = _NetworkReader(width, height)
    reason, values = reader.read(picture.tobytes(), 0)
    if reason in (READ, UNREADABLE) and reader.contradicted:
        reason = AMBIGUOUS
    return reason, values


class _NetworkReader(Reader):
    """The logic of the tray with other readers of a die.

    contradicted: on some die the lattice clearly shows another face than the network read.
    """

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height, smooths=False)
        self.contradicted = False

    def steps(
        self, frame: bytes, expected: int = 0
    ) -> Generator[None, None, tuple[int, list[int]]]:
        """Return (reason, sorted values) as the tray's logic does; expected is not compared."""
        picture = Picture(frame, self.width, self.height)
        self.dice = []
        yield from find_cloth(picture, self.cells)  # type: ignore[misc]
        if max(self.cells.mean) < _DARKEST:
            return TOO_DARK, []
        rings = yield from find_spots(picture, self.cells)  # type: ignore[misc]
        if rings is None:
            return UNREADABLE, []
        passed = self._faces(picture)
        chosen, clash = choose(passed)
        reason = yield from self._reason(picture, rings, chosen)  # type: ignore[misc]
        if clash and reason in (READ, UNREADABLE):
            reason = AMBIGUOUS
        return reason, sorted(face.value for face in chosen)

    def _faces(self, picture: Picture) -> list[Face]:
        """Return the faces that two readings agree on."""
        grey = np.frombuffer(picture.frame, np.uint8).reshape(self.height, self.width)
        faces = []
        for found in find(grey, self.cells):
            if found.margin < thresholds.LEAST_MARGIN[found.value]:
                continue
            x, y, side, _ = found.place
            pips = read_pips(grey, (x, y), thresholds.LATTICE_SIDE * side)
            if pips.value == found.value and pips.lattice:
                if pips.share >= thresholds.LEAST_SHARE[found.value]:
                    faces.append(self._face(picture, found, pips.lattice))
            elif pips.share >= thresholds.CONTRADICTS:
                self.contradicted = True
        return faces

    def _face(self, picture: Picture, found: Found, lattice: Lattice) -> Face:
        """Return a die as the logic of the tray knows it."""
        x, y = (_at(place) for place in lattice.middle)
        u, v = (lattice.u, lattice.v) if found.value < 4 else _fitted(lattice)
        length = float(np.hypot(*u))
        face = Face(x, y, lattice.sign, max(2, round(length * 0.35)))
        face.value = found.value
        face.margin = round(_UNIT * found.margin)
        face.pips = [(_at(right), _at(down)) for right, down in lattice.pips]
        face.u, face.v = ((round(_UNIT * a), round(_UNIT * b)) for a, b in (u, v))
        if found.value > 1:
            face.pitch = root(abs(face.u[0] * face.v[1] - face.u[1] * face.v[0]))
        face.level = _body(picture, lattice) >> 4
        pips = [picture.level(*pip) for pip in face.pips]
        face.height = max(1, abs(sum(pips) // len(pips) - 16 * face.level) >> 4)
        trace(picture, self.cells, face)
        pips_are_alike(picture, face)
        return face


def _at(place: float) -> int:
    """Return a place as the logic of the tray has it, from the middle of the first pixel on."""
    return round(_UNIT * (place - 0.5))


def _fitted(lattice: Lattice) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return u and v by least squares over the pips: a top that leans is no square."""
    steps = np.array([(place % 3 - 1, place // 3 - 1, 1) for place in lattice.places], float)
    found, *_ = np.linalg.lstsq(steps, np.array(lattice.pips))
    (a, b), (c, d), _ = found.tolist()
    return (a, b), (c, d)


def _body(picture: Picture, lattice: Lattice) -> int:
    """Return 16 times the grey of the top between its pips."""
    (x, y), (a, b), (c, d) = lattice.middle, lattice.u, lattice.v
    levels = []
    for i, j in _BETWEEN:
        at = x + i * a + j * c, y + i * b + j * d
        levels.append(lattice.sign * picture.level(_at(at[0]), _at(at[1])))
    return lattice.sign * sorted(levels)[_BARE]
