"""Where the ball of a roulette wheel drops, by what its records say.

The rim sensors divide the stator into sectors. The last one that the ball passed, and its
direction, say over which of them it left the rim. Of a level wheel that is chance, in proportion
to the angles.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from sqlalchemy import Connection

from tabletools.evidence import configuration, machines
from tabletools.roles.roulette import drop_of
from tablewire.roulette import RIM_ANGLES, RIM_SENSORS, WHEEL_RESULT

EXPECTED_LEAST = 5
"""Drops expected in each sector, or there is no test."""
BIASED_FROM = {2: Fraction(1083, 100), 3: Fraction(1382, 100), 4: Fraction(1627, 100)}
"""Chi-square that one level wheel in 1,000 exceeds, by the number of sectors: degrees of freedom
plus one (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4)."""
_TURN_MDEG = 360_000
_LATEST = (1 << 62, 0)


class DropZones(NamedTuple):
    """Where the ball left the rim since the wheel was moved last.

    drops, angles_mdeg: of each sector, the first from rim sensor 1 clockwise to 2, the last from
    the last one to 1. chi_square: against a level wheel, None with too few drops for the test.
    """

    drops: tuple[int, ...]
    angles_mdeg: tuple[int, ...]
    chi_square: Fraction | None

    @property
    def limit(self) -> Fraction:
        """The chi-square that one level wheel in 1,000 exceeds."""
        return BIASED_FROM[len(self.drops)]

    @property
    def is_biased(self) -> bool:
        """Whether chance alone does this on less than one level wheel in 1,000."""
        return self.chi_square is not None and self.chi_square > self.limit


def drop_zones(db: Connection, device: int) -> DropZones | None:
    """Return where the ball of a roulette wheel leaves the rim; None without drops or angles."""
    angles = _sector_angles(configuration.in_force(db, device, _LATEST))
    falls = machines.falls_since_move(db, device).falls
    drops = [drop_of(fall.payload) for fall in falls if fall.type == WHEEL_RESULT]
    if not drops or not angles or any(drop.drop_rim > len(angles) for drop in drops):
        return None
    # Clockwise the ball leaves over the sector that follows the sensor, else over the one before.
    over = Counter(
        (drop.drop_rim - (1 if drop.ball_direction == 1 else 2)) % len(angles) for drop in drops
    )
    counts = tuple(over[sector] for sector in range(len(angles)))
    return DropZones(counts, angles, _chi_square(counts, angles))


def _sector_angles(values: configuration.Values) -> tuple[int, ...]:
    # From each rim sensor clockwise to the next; none where a place is not known.
    sensors = values[RIM_SENSORS] or 2  # firmware of wire 1.0 has no such key
    places = [0]
    for number in RIM_ANGLES[: sensors - 1]:
        angle = values[number]
        if angle is None:
            return ()
        places.append(angle)
    return tuple(after - before for before, after in pairwise([*places, _TURN_MDEG]))


def _chi_square(drops: Sequence[int], angles_mdeg: Sequence[int]) -> Fraction | None:
    expected = [Fraction(sum(drops) * angle, _TURN_MDEG) for angle in angles_mdeg]
    if min(expected) < EXPECTED_LEAST:
        return None
    return sum(
        (
            (dropped - wanted) ** 2 / wanted
            for dropped, wanted in zip(drops, expected, strict=True)
        ),
        start=Fraction(0),
    )
