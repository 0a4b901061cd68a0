"""What lies in a picture besides the dice that were read: nothing may be left unexplained."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tabletools.dice.finding import Seen, View
from tabletools.dice.network import BODY, FOREIGN, Floats
from tabletools.dice.reference import Difference, Mask

# Shares of a die's top: what is larger is no dust. Measured on the tuned photographs.
LEAST_BODY, LEAST_FOREIGN, LEAST_DIFFERENCE = 0.3, 0.7, 0.12
_SURE_BODY, _SURE_FOREIGN = 0.5, 0.6
_REACH = 1.05  # edges from the middle of a die: its sides and its corners
_SHADE = 1.7  # edges: its shadow
_AT_BORDER = 0.5  # edges


def unexplained(view: View, dice: Sequence[Seen]) -> str:
    """Return the reason, "" when there is none, by what the network sees: without a reference."""
    edge = float(np.median([die.edge for die in dice])) if dice else 24.0
    cells = edge / view.cell
    free = ~_near(dice, view.kind.shape[1:], view.cell, _REACH)
    if _largest((view.kind[FOREIGN] > _SURE_FOREIGN) & free)[0] > LEAST_FOREIGN * cells * cells:
        return "foreign_object"
    size, at_border = _largest((view.kind[BODY] > _SURE_BODY) & free)
    if size > LEAST_BODY * cells * cells:
        return "cut_off" if at_border else "unreadable"
    return ""


def differing(found: Difference, dice: Sequence[Seen]) -> str:
    """Return the reason, "" when there is none, by what differs from the empty tray."""
    edge = float(np.median([die.edge for die in dice])) if dice else 24.0
    shape = found.differs.shape
    rest = found.strongly & ~_near(dice, shape, 1.0, _REACH)
    rest |= found.differs & ~_near(dice, shape, 1.0, _SHADE)
    opened = cv2.morphologyEx(rest.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    size, at_border = _largest(opened > 0)
    if size <= LEAST_DIFFERENCE * edge * edge:
        return ""
    if size > 2.5 * edge * edge:
        return "foreign_object"
    return "cut_off" if at_border else "unreadable"


def is_cut(die: Seen, shape: tuple[int, ...]) -> bool:
    """Return whether a die reaches out of a picture of shape (height, width)."""
    near = _AT_BORDER * die.edge
    return min(die.x, die.y, shape[1] - die.x, shape[0] - die.y) < near


def _near(dice: Sequence[Seen], shape: tuple[int, ...], cell: float, reach: float) -> Mask:
    """Return the cells within so many edges of a die."""
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]]
    near = np.zeros(shape, bool)
    for die in dice:
        apart = np.hypot((columns + 0.5) * cell - die.x, (rows + 0.5) * cell - die.y)
        near |= apart < reach * die.edge
    return near


def _largest(mask: Mask) -> tuple[int, bool]:
    """Return the cells of the largest connected thing, and whether it is at the border."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    if len(stats) < 2:
        return 0, False
    x, y, wide, high, size = stats[1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())]
    at_border = x == 0 or y == 0 or x + wide == mask.shape[1] or y + high == mask.shape[0]
    return int(size), bool(at_border)


def share(mask: Mask, die: Seen, reach: float = 0.45) -> float:
    """Return the share of pixels around a die's middle that a mask has."""
    far = reach * die.edge
    rows = slice(max(0, int(die.y - far)), int(die.y + far) + 1)
    columns = slice(max(0, int(die.x - far)), int(die.x + far) + 1)
    part = mask[rows, columns]
    return float(part.mean()) if part.size else 0.0


def kind_at(view: View, die: Seen) -> Floats:
    """Return the shares of the kinds at a die's middle."""
    i, j = (min(int(at / view.cell), most - 1)
            for at, most in zip((die.y, die.x), view.kind.shape[1:], strict=True))  # fmt: skip
    return view.kind[:, max(0, i), max(0, j)]
