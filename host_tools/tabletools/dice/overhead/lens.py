"""Where the lens is above a tray: how a flat die's top and foot look at each place.

It is measured from flat dice when the tray is calibrated. A die is as long as it is high, so
lengths are in its edges.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from tabletools.dice.overhead.die_outline import DieOutline, Doubles

_SWEEP = np.linspace(0, 1, 9)[:, None]  # from the top of a die to its foot
_ROUNDS = 8
_LEAST, _MOST = 0.005, 0.2  # of Lens.near
# By how much each field may well differ from a guess, and steps in which its effect is measured.
_USUAL = np.array((100.0, 100.0, 0.05, 3.0, 1e-4, 1e-4))
_STEPS = np.array((1.0, 1.0, 0.001, 0.1, 1e-5, 1e-5))
_GUESSED = 0.01  # weight of the guess, so that dice in one place leave nothing undetermined
_SIDE = 0.8  # quantile of the rows of an outline: pips on a side hide its edge in some of them


class Lens(msgspec.Struct, frozen=True):
    """x, y: the point below it, px. near: the inverse of its height, edges. edge: of a die on the
    floor there, px. right, down: by what share that grows a px."""

    x: float
    y: float
    near: float
    edge: float
    right: float = 0.0
    down: float = 0.0

    def growth(self, x: float, y: float) -> float:
        """Return how large a die is at a place, against one below the lens."""
        return 1 + self.right * (x - self.x) + self.down * (y - self.y)

    def off(self, die: DieOutline) -> Doubles:
        """Return how much farther a die reaches on each side than if it lay flat, edges."""
        edge = self.edge * self.growth(die.x, die.y)
        top, foot = edge / (1 - self.near) / 2, edge / 2
        away = self.near * (self.x - die.x), self.near * (self.y - die.y)
        c, s = np.cos(die.turn), np.sin(die.turn)
        right, down = c * away[0] + s * away[1], c * away[1] - s * away[0]
        half = top + _SWEEP * (foot - top)
        ways = ((right, down), (down, -right), (-right, -down), (-down, right))
        sides = []
        for reach, (out, across) in zip(die.reach, ways, strict=True):
            is_met = np.abs(die.rows - _SWEEP * across) <= half
            flat = np.where(is_met, _SWEEP * out + half, -np.inf).max(0)
            sides.append(np.quantile(reach - flat, _SIDE))
        return np.array(sides) / edge


def lens_of(dice: Sequence[DieOutline], guess: Lens) -> Lens:
    """Return the lens below which flat dice look so, by least squares."""
    guessed = np.array(msgspec.structs.astuple(guess))
    weights = np.diag(_GUESSED / _USUAL)

    def off(facts: Doubles) -> Doubles:
        return np.concatenate([Lens(*facts.tolist()).off(die) for die in dice])

    facts = guessed
    for _ in range(_ROUNDS):
        now = off(facts)
        slopes = [(off(facts + step) - now) / step.sum() for step in np.diag(_STEPS)]
        system = np.vstack([np.stack(slopes, 1), weights])
        wanted = np.concatenate([-now, weights @ (guessed - facts)])
        facts = facts + np.linalg.lstsq(system, wanted, rcond=None)[0]
        facts[2] = min(max(facts[2], _LEAST), _MOST)
    return Lens(*facts.tolist())
