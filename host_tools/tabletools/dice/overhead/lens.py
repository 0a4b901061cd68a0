"""Where the lens is above a tray: how a flat die's top and foot look at each place.

It is measured from flat dice when the tray is calibrated. A die is as long as it is high, so
lengths are in its edges.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from tabletools.dice.least_squares import nearest
from tabletools.dice.overhead.die_outline import DieOutline, Doubles

_SWEEP = np.linspace(0, 1, 9)[:, None]  # from the top of a die to its foot
_LEAST, _MOST = 0.005, 0.2  # of Lens.near
# By how much each field may well differ from a guess, and steps in which its effect is measured.
_USUAL = np.array((100.0, 100.0, 0.05, 3.0, 1e-4, 1e-4, 0.3))
_STEPS = np.array((1.0, 1.0, 0.001, 0.1, 1e-5, 1e-5, 0.05))
_LEAN = 0.105  # edges that a foot is off at 6 degrees
_TURNS = np.arange(16) * np.pi / 8
_LEANING = _LEAN * np.stack((np.cos(_TURNS), np.sin(_TURNS)), 1)
_SIDE = 0.8  # quantile of the rows of an outline: pips on a side hide its edge in some of them


class Lens(msgspec.Struct, frozen=True):
    """x, y: the point below it, px. near: the inverse of its height, edges. edge: of a die on the
    floor there, px. right, down: by what share that grows a px. blur: how much farther the edge of
    a top is seen than that of a foot, px: a foot has less contrast to the floor."""

    x: float
    y: float
    near: float
    edge: float
    right: float = 0.0
    down: float = 0.0
    blur: float = 0.0

    def growth(self, x: float, y: float) -> float:
        """Return how large a die is at a place, against one below the lens."""
        return 1 + self.right * (x - self.x) + self.down * (y - self.y)

    def off(self, die: DieOutline) -> Doubles:
        """Return how much farther a die reaches on each side than if it lay flat, edges."""
        (off,) = self._off(die, np.zeros((1, 2)))
        return np.asarray(off, np.float64)

    def margin(self, die: DieOutline) -> float:
        """Return by how much a die is nearer to a flat one than to any that leans by 6 degrees,
        edges: below 0 where it rather leans, hardly above where the top hides what would tell."""
        off = np.linalg.norm(self._off(die, np.vstack([np.zeros(2), _LEANING])), axis=1)
        return float(off[1:].min() - off[0])

    def _off(self, die: DieOutline, beside: Doubles) -> Doubles:
        """Return how much farther a die reaches on each side, edges, than one whose foot is so far
        beside that of a flat one. beside (n, 2): to the right and down as it is turned, edges."""
        edge = self.edge * self.growth(die.x, die.y)
        away = self.near * (self.x - die.x), self.near * (self.y - die.y)
        c, s = np.cos(die.turn), np.sin(die.turn)
        flat = np.array((c * away[0] + s * away[1], c * away[1] - s * away[0]))
        right, down = (flat + edge * beside).T[:, :, None, None]
        top, foot = edge / (1 - self.near) / 2 + self.blur, edge / 2
        half = top + _SWEEP * (foot - top)
        sides = []
        ways = ((right, down), (down, -right), (-right, -down), (-down, right))
        for reach, (out, across) in zip(die.reach, ways, strict=True):
            is_met = np.abs(die.rows - _SWEEP * across) <= half
            ends = np.where(is_met, _SWEEP * out + half, -np.inf).max(1)
            sides.append(np.quantile(reach - ends, _SIDE, axis=1))
        return np.stack(sides, 1) / edge


def lens_of(dice: Sequence[DieOutline], guess: Lens) -> Lens:
    """Return the lens below which flat dice look so, by least squares."""

    def off(facts: Doubles) -> Doubles:
        return np.concatenate([_within(facts).off(die) for die in dice])

    guessed = np.array(msgspec.structs.astuple(guess))
    return _within(nearest(off, guessed, _USUAL, _STEPS))


def _within(facts: Doubles) -> Lens:
    x, y, near, *rest = facts.tolist()
    return Lens(x, y, min(max(near, _LEAST), _MOST), *rest)
