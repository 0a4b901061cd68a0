"""A picture read by the logic of the tray in its four quarter turns, then pip by pip.

The logic of the tray reads a face by its pips or by a classifier; `pips.py` is unlike both. A face
counts when two of the three agree and the third does not clearly contradict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from tablelogic.dice.reader import Reader
from tablelogic.dice.reasons import AMBIGUOUS, READ, UNREADABLE
from tabletools.dice.pips import read_pips
from tabletools.dice.thresholds import CONTRADICTS

_TURNS = 4  # quarter turns: a verdict must not depend on how the camera is mounted


@dataclass(frozen=True)
class _Die:
    """x, y, side: px of the picture as it was turned. by_pips: the tray's logic read its pips."""

    x: float
    y: float
    side: int
    value: int
    by_pips: bool


class _Second(Enum):
    """A second reading of every face, of not every one, or another face read clearly."""

    AGREES = 0
    MISSING = 1
    CONTRADICTS = 2


def read_turned(picture: npt.NDArray[np.uint8]) -> tuple[int, list[int]]:
    """Return (reason, sorted values) of a picture.

    It is read when one turn reads it with two readings of each face and no turn finds a reason
    against it. That a turn cannot read a die is no such reason; other faces or a clear second
    reading of another face are.
    """
    found: set[tuple[int, ...]] = set()
    refused: list[int] = []
    confirmed = False
    for turn in range(_TURNS):
        turned = np.ascontiguousarray(np.rot90(picture, turn))
        reader = Reader(turned.shape[1], turned.shape[0])
        reason, values = reader.read(turned.tobytes(), 0)
        if reason == UNREADABLE:
            refused = max(refused, values, key=len)
            continue
        if reason != READ:
            return reason, values
        second = _second(turned, [_Die(x / 16, y / 16, *rest) for x, y, *rest in reader.dice])
        found.add(tuple(values))
        if second == _Second.CONTRADICTS or len(found) > 1:
            return AMBIGUOUS, values
        confirmed |= second == _Second.AGREES
    if not found:
        return UNREADABLE, refused
    return (READ if confirmed else AMBIGUOUS), list(found.pop())


def _second(picture: npt.NDArray[np.uint8], dice: Sequence[_Die]) -> _Second:
    """Return what the second readings of dice make of them: the worst of any."""
    worst = _Second.AGREES
    for die in dice:
        pips = read_pips(picture, (die.x, die.y), die.side)
        clear = pips.share >= CONTRADICTS
        if pips.value == die.value or (die.by_pips and not clear):
            continue
        if clear:
            return _Second.CONTRADICTS
        worst = _Second.MISSING
    return worst
