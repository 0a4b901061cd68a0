"""How light the sides of dice are, each way that a side faces.

It is measured on the dice of the calibration where their sides are wide. A side that is narrow in
the picture shows little more than the blurred edge of its top, so its own grey has to be known.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

_LEAST_SIDES = 4
_WAYS = np.arange(24) * np.pi / 12
"""From which light is tried to come."""


class SideLight(msgspec.Struct, frozen=True):
    """base: what any side has of the contrast of a top and the tray. more: how much a side that
    faces the light has beside that. way: of that light, radians to the right and down."""

    base: float
    more: float = 0.0
    way: float = 0.0

    def share(self, way: float) -> float:
        """Return how much of the contrast a side has that faces so, radians."""
        return self.base + self.more * max(0.0, float(np.cos(way - self.way)))


def side_light_of(ways: Sequence[float], shares: Sequence[float]) -> SideLight | None:
    """Return the light in which sides that face so have these shares, by least squares.

    None where too few are known to tell.
    """
    if len(ways) < _LEAST_SIDES:
        return None
    wanted = np.array(shares)
    best, least = SideLight(float(np.median(wanted))), np.inf
    for way in _WAYS:
        system = np.stack([np.ones(len(ways)), np.maximum(0, np.cos(np.array(ways) - way))], 1)
        base, more = np.linalg.lstsq(system, wanted, rcond=None)[0].tolist()
        off = float(np.square(system @ (base, more) - wanted).sum())
        if more >= 0 and off < least:
            best, least = SideLight(base, more, float(way)), off
    return best
