"""Where the lens is above a commissioned tray, by what flat dice show of their sides.

The device compares dice with the same numbers (`tablelogic.tray_reader.lean`): what two opposite
sides differ by gives the place of the foot below the top, and that is nearer to the point below
the lens, by the distance from there over the height of the lens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tablelogic.tray_reader.outline import cosine, sine
from tabletools.dice.least_squares import Doubles, nearest

_USUAL = np.array((32.0, 32.0, 0.02))
_STEPS = np.array((4.0, 4.0, 0.001))
_LEAST, _MOST = 1 / 200, 1 / 3
"""The inverse of a lens's height, edges of a die."""


class FlatDie(NamedTuple):
    """x, y: middle of its pips. turn: 128ths of a turn. right, down: by how much it reaches
    farther that way than back, as it is turned. Lengths are sixteenths of a pixel."""

    x: int
    y: int
    turn: int
    right: int
    down: int


class TrayLens(NamedTuple):
    """x, y: the point below it, sixteenths of a pixel. height: edges of a die above the floor."""

    x: float
    y: float
    height: float

    def off(self, dice: Sequence[FlatDie], side: int) -> Doubles:
        """Return how far each foot is from where a flat die has it (dice, 2), edges of a top."""
        return _off(np.array((self.x, self.y, 1 / self.height)), dice, side)


def lens_of(dice: Sequence[FlatDie], side: int, guess: TrayLens) -> TrayLens:
    """Return the lens below which dice that show so much of their sides are flat.

    side: of a top, sixteenths of a pixel.
    """
    guessed = np.array((guess.x, guess.y, 1 / guess.height))
    x, y, near = nearest(
        lambda facts: _off(facts, dice, side).ravel(), guessed, _USUAL, _STEPS
    ).tolist()
    return TrayLens(x, y, 1 / min(max(near, _LEAST), _MOST))


def _off(facts: Doubles, dice: Sequence[FlatDie], side: int) -> Doubles:
    x, y, near = facts.tolist()
    off = []
    for die in dice:
        c, s = cosine(die.turn) / 256, sine(die.turn) / 256
        right, down = near * (x - die.x) / side, near * (y - die.y) / side
        feet = c * right + s * down, c * down - s * right
        differ = die.right / side, die.down / side
        off.append([way - _flat(foot, near / 2) for way, foot in zip(differ, feet, strict=True)])
    return np.array(off)


def _flat(foot: float, shorter: float) -> float:
    """Return what two sides of a flat die differ by."""
    return max(foot - shorter, 0) + min(foot + shorter, 0)
