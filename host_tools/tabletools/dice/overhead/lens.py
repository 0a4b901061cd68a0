"""Where the lens is above a tray: how a flat die's top and foot look at each place.

It is measured from flat dice when the tray is calibrated. A die is as long as it is high, so
lengths are in its edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import msgspec
import numpy as np

from tabletools.dice.least_squares import nearest
from tabletools.dice.overhead.die_outline import DieOutline, Doubles

_LEAST, _MOST = 0.005, 0.2  # of Lens.near
# By how much each field may well differ from a guess, and steps in which its effect is measured.
_USUAL = np.array((100.0, 100.0, 0.05, 3.0, 1e-4, 1e-4, 0.3))
_STEPS = np.array((1.0, 1.0, 0.001, 0.1, 1e-5, 1e-5, 0.05))
_LEAN = 0.105  # edges that a foot is off at 6 degrees
_TURNS = np.arange(16) * np.pi / 8
_LEANING = _LEAN * np.stack((np.cos(_TURNS), np.sin(_TURNS)), 1)
_NORMAL = NormalDist()
_LEAST_BLUR = 0.05  # px
_LEAST_SHARE, _MOST_SHARE = 0.1, 0.9  # of the step of a top's edge; above a side is as its top
_WIDE = 3.5  # sigmas of blur, from which on the edge of a side is where it is
_SOME = np.linspace(1, 0, 13)[:-1]
_SIDE = 0.8  # quantile of the rows of an outline: pips on a side hide its edge in some of them


class Lens(msgspec.Struct, frozen=True):
    """x, y: the point below it, px. near: the inverse of its height, edges. edge: of a die on the
    floor there, px. right, down: by what share that grows a px. blur: of edges, sigma, px."""

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

    def edge_at(self, die: DieOutline) -> float:
        """Return how long the edge of a die is on the floor there, px."""
        return self.edge * self.growth(die.x, die.y)

    def off(self, die: DieOutline) -> Doubles:
        """Return how much farther a die reaches on each side than if it lay flat, edges."""
        (off,) = self._off(die, np.zeros((1, 2)))
        return np.asarray(off, np.float64)

    def margin(self, die: DieOutline) -> float:
        """Return by how much a die is nearer to a flat one than to any that leans by 6 degrees,
        edges: below 0 where it rather leans, hardly above where the top hides what would tell."""
        off = np.linalg.norm(self._off(die, np.vstack([np.zeros(2), _LEANING])), axis=1)
        return float(off[1:].min() - off[0])

    def visible(self, die: DieOutline) -> Doubles:
        """Return how wide the sides of a flat die look, px (4,): below 0 if the top hides one."""
        edge = self.edge_at(die)
        right, down = self._away(die)
        return np.array((right, down, -right, -down)) - self._hidden(edge)

    def _away(self, die: DieOutline) -> Doubles:
        """Return how far the foot of a flat die is to the right of its top and below it, px."""
        away = self.near * (self.x - die.x), self.near * (self.y - die.y)
        c, s = np.cos(die.turn), np.sin(die.turn)
        return np.array((c * away[0] + s * away[1], c * away[1] - s * away[0]))

    def _off(self, die: DieOutline, beside: Doubles) -> Doubles:
        """Return how much farther a die reaches on each side, edges, than one whose foot is so far
        beside that of a flat one. beside (n, 2): to the right and down as it is turned, edges."""
        edge = self.edge_at(die)
        right, down = (self._away(die) + edge * beside).T[:, :, None]
        top, hidden = edge / (1 - self.near) / 2, self._hidden(edge)
        sides = []
        ways = ((right, down), (down, -right), (-right, -down), (-down, right))
        measured = zip(die.rows, die.reach, die.steps, ways, strict=True)
        for rows, reach, step, (out, across) in measured:
            visible = np.maximum(out - hidden, 0) * _share_met(rows, across, top, hidden)
            beyond = _beyond(visible / max(self.blur, _LEAST_BLUR), float(step))
            ends = top + visible + self.blur * beyond
            sides.append(np.quantile(reach - ends, _SIDE, axis=1))
        return np.stack(sides, 1) / edge

    def _hidden(self, edge: float) -> float:
        """Return how much farther than its foot the top of a die reaches to each side, px."""
        return edge * self.near / (1 - self.near) / 2


def _share_met(rows: Doubles, across: Doubles, top: float, hidden: float) -> Doubles:
    """Return how far down a side the outline of a die is in each row: 1 at its foot, 0 at its top.

    across: how far its foot is beside its top along the rows, px. The outline of a side ends where
    the lines from the corners of the top to those of the foot are.
    """
    share = np.ones(np.broadcast(rows, across).shape)
    for way in (1, -1):
        beside = hidden - way * across  # how much farther out the corner of the top is that way
        met = (top - way * rows) / np.maximum(beside, 1e-6)
        share = np.minimum(share, np.where(beside > 0, met, 1.0))
    return np.asarray(np.maximum(share, 0.0), np.float64)


def _beyond(wide: Doubles, step: float) -> Doubles:
    """Return how much farther than it is the edge of a side is seen half way up its own step.

    wide: of the side, which is beside the blurred edge of a top. step: of its edge, of that of a
    top's. All in sigmas of the blur.
    """
    step = min(max(step, _LEAST_SHARE), _MOST_SHARE)
    narrowest = _NORMAL.inv_cdf(1 - step / 2)
    beyond = narrowest * _SOME
    # Where the blurred side and the blurred top sum up to half of the side's step.
    by_top = [(step / 2 - step * _NORMAL.cdf(-each)) / (1 - step) for each in beyond.tolist()]
    widths = [-each - _NORMAL.inv_cdf(share) for each, share in zip(beyond, by_top, strict=True)]
    return np.asarray(np.interp(wide, [*widths, _WIDE], [*beyond, 0.0]), np.float64)


def lens_of(dice: Sequence[DieOutline], guess: Lens) -> Lens:
    """Return the lens below which flat dice look so, by least squares."""

    def off(facts: Doubles) -> Doubles:
        return np.concatenate([_within(facts).off(die) for die in dice])

    guessed = np.array(msgspec.structs.astuple(guess))
    return _within(nearest(off, guessed, _USUAL, _STEPS))


def _within(facts: Doubles) -> Lens:
    x, y, near, *rest = facts.tolist()
    return Lens(x, y, min(max(near, _LEAST), _MOST), *rest)
