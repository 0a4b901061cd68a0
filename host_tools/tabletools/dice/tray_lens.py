"""Where the lens is above a commissioned tray, and how bright the sides of dice are there.

What two opposite sides differ by, as `tablelogic.tray_reader.lean` measures it, gives the place of
the foot below the top; that is nearer to the point below the lens, by the distance from there over
the height of the lens. A side counts by its rise, its share of the step from tray to top. That is
seen where a side is wide, and is another one to each side, as the light falls, and above a lighter
tray. What stays the same is the grey of a side, its shade: a share of the top's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from tablelogic.tray_reader.outline import cosine, sine
from tabletools.dice.least_squares import Doubles, nearest, standard_errors

_USUAL = np.array((32.0, 32.0, 0.02, 0.3, 0.3, 0.3, 0.3))
_STEPS = np.array((4.0, 4.0, 0.001, 0.01, 0.01, 0.01, 0.01))
_LEAST, _MOST = 1 / 200, 1 / 3
"""The inverse of a lens's height, edges of a die."""
_RISE_OFF = 0.1
"""How much one measured rise counts against an edge of a die in what sides differ by."""


class FlatDie(NamedTuple):
    """x, y: middle of its pips. turn: 128ths of a turn. visible: how much farther it reaches to
    the right than to the left, and down than up, as it is turned; lengths are sixteenths of a
    pixel. rises: of its sides to the right, below, left and above, 0-1; nan where none is
    wide enough. floors: the tray's grey beside these, shares of the top's; 0 for dark dice."""

    x: int
    y: int
    turn: int
    visible: tuple[int, int]
    rises: tuple[float, ...]
    floors: tuple[float, ...]


class TrayLens(NamedTuple):
    """x, y: the point below it, sixteenths of a pixel. height: edges of a die above the floor.
    shades: of sides that face right, down, left and up in the picture, 0-1."""

    x: float
    y: float
    height: float
    shades: tuple[float, ...]

    def off(self, dice: Sequence[FlatDie], side: int) -> Doubles:
        """Return how far each foot is from where a flat die has it (dice, 2), edges of a top."""
        rises = [
            _rise(shade, floor) for die in dice for floor in die.floors for shade in self.shades
        ]
        feet = _off(self.facts(), dice, side)[: 2 * len(dice)]
        return feet.reshape(-1, 2) / np.mean(rises)

    def doubt(self, dice: Sequence[FlatDie], side: int) -> float:
        """Return the standard error of the height, a share of it: large where no side is wide
        enough to show how bright sides are, so that a higher lens explains as much."""
        errors = standard_errors(partial(_off, dice=dice, side=side), self.facts(), _STEPS)
        return float(errors[2]) * self.height

    def facts(self) -> Doubles:
        """Return what is fitted: x, y, the inverse of the height, and the shades (7,)."""
        return np.array((self.x, self.y, 1 / self.height, *self.shades))

    def rises(self, floor: float) -> tuple[float, ...]:
        """Return the rises of these sides above a tray with that share of the top's grey."""
        return tuple(_rise(shade, floor) for shade in self.shades)


def lens_of(dice: Sequence[FlatDie], side: int, guess: TrayLens) -> TrayLens:
    """Return the lens below which dice that show so much of their sides are flat.

    side: of a top, sixteenths of a pixel.
    """
    facts = nearest(partial(_off, dice=dice, side=side), guess.facts(), _USUAL, _STEPS)
    x, y, near, *shades = facts.tolist()
    return TrayLens(x, y, 1 / min(max(near, _LEAST), _MOST), tuple(shades))


def _off(facts: Doubles, dice: Sequence[FlatDie], side: int) -> Doubles:
    """Return by how much opposite sides differ more than those of flat dice, two for each die,
    edges of a top, and after them what rises differ by from those of the light."""
    x, y, near, *shades = facts.tolist()
    reaches, lit = [], []
    for die in dice:
        c, s = cosine(die.turn) / 256, sine(die.turn) / 256
        right, down = near * (x - die.x) / side, near * (y - die.y) / side
        feet = c * right + s * down, c * down - s * right
        ways = ((c, s), (-s, c), (-c, -s), (s, -c))
        sides = [
            _rise(_shade_to(way, shades), floor)
            for way, floor in zip(ways, die.floors, strict=True)
        ]
        for k, foot in enumerate(feet):
            out, back = max(foot - near / 2, 0), min(foot + near / 2, 0)
            reaches.append(die.visible[k] / side - sides[k] * out - sides[k + 2] * back)
        lit += [
            0.0 if np.isnan(measured) else _RISE_OFF * (measured - rise)
            for measured, rise in zip(die.rises, sides, strict=True)
        ]
    return np.array(reaches + lit)


def _shade_to(way: tuple[float, float], shades: Sequence[float]) -> float:
    """Return the shade of a side that faces a way, from those of the sides of a picture.

    What light adds that falls from one side goes by the cosine of the angle between.
    """
    c, s = way
    right, below, left, above = shades
    all_have = min(right, left) * c**2 + min(below, above) * s**2
    return all_have + max((right - left) * c + (below - above) * s, 0.0)


def _rise(shade: float, floor: float) -> float:
    """Return the rise of a side above a tray of a grey, both shares of the top's."""
    return (shade - floor) / (1 - floor)
