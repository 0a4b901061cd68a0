"""What the records of a device say of its machine: faults, wear, and where the ball drops.

The rim sensors divide the stator into sectors. The last one that the ball passed, and its
direction, say over which of them it left the rim. Of a level wheel that is chance, in proportion
to the angles.
"""

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from tablespec.message_list import BY_ID
from tabletools.evidence import configuration, machines
from tabletools.evidence.maintenance import DAILY
from tabletools.roles import every_role
from tabletools.roles.roulette import drop_of
from tabletools.store.schema.evidence import faults, frames
from tabletools.store.schema.people import maintenance
from tablewire.messages import ROUND_VOID
from tablewire.roulette import RIM_ANGLES, RIM_SENSORS, WHEEL_RESULT

COMPARED = 100
"""Results in either half of a trend."""
LEAST = 20
"""With fewer in a half there is no trend."""
EXPECTED_LEAST = 5
"""Drops expected in each sector, or there is no test."""
BIASED_FROM = {2: Fraction(1083, 100), 3: Fraction(1382, 100), 4: Fraction(1627, 100)}
"""Chi-square that one level wheel in 1,000 exceeds, by the number of sectors: degrees of freedom
plus one (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4)."""
_TURN_MDEG = 360_000
_LATEST = (1 << 62, 0)


class Happened(NamedTuple):
    """How often a code was raised as a fault, or voided a round, since the last daily check."""

    code: int
    faults: int
    voids: int


_OFFSETS = {wear.field for role in every_role() for wear in role.wear if wear.is_offset}


class Figure(NamedTuple):
    """A median of the newest COMPARED results."""

    name: str
    unit: str
    meaning: str
    value: float
    results: int
    before: float | None
    """Of as many results before them, None: too few."""

    @property
    def trend_percent(self) -> float | None:
        """How much the value has changed, percent; None without an earlier one.

        Also None of an offset, whose zero is arbitrary.
        """
        if not self.before or self.name in _OFFSETS:
            return None
        return 100 * (self.value - self.before) / self.before


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


def last_check_ns(db: Connection, device: int) -> int | None:
    """Return when the newest daily check of a device was made, None if there is none."""
    col = maintenance.c
    query = select(func.max(col.at_ns)).where(col.kind == DAILY, col.device == device)
    newest_ns: int | None = db.execute(query).scalar_one()
    return newest_ns


def happened_since(db: Connection, device: int, since_ns: int) -> list[Happened]:
    """Return the codes that came since then, the most frequent first."""
    col, raised = frames.c, faults.c
    codes = select(raised.code).join(frames, col.id == raised.frame_id)
    codes = codes.where(raised.device == device, raised.raised == 1, col.received_ns > since_ns)
    up = Counter(db.execute(codes).scalars())
    query = select(col.payload).where(
        col.device == device, col.type == ROUND_VOID, col.counts == 1, col.received_ns > since_ns
    )
    voids = Counter(json.loads(text)["reason"] for text in db.execute(query).scalars())
    rows = [Happened(code, up[code], voids[code]) for code in up | voids]
    return sorted(rows, key=lambda row: (-row.faults - row.voids, row.code))


def figures(db: Connection, device: int) -> list[Figure]:
    """Return what the newest results of a wheel say of its wear; none for another machine."""
    col = frames.c
    figures = []
    for role in every_role():
        if not role.wear:
            continue
        query = select(col.payload).where(
            col.device == device, col.type == role.number, col.counts == 1
        )
        query = query.order_by(col.boot.desc(), col.counter.desc()).limit(2 * COMPARED)
        rows = [json.loads(text) for text in db.execute(query).scalars()]
        for wear in role.wear:
            unknown = dict(BY_ID[role.number].facts())[wear.field].unknown
            newest = _known(rows[:COMPARED], wear.field, unknown)
            before = _known(rows[COMPARED:], wear.field, unknown)
            if newest:
                is_trend = len(newest) >= LEAST <= len(before)
                earlier = median(before) if is_trend else None
                figures.append(
                    Figure(
                        wear.field, wear.unit, wear.meaning, median(newest), len(newest), earlier
                    )
                )
    return figures


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


def _known(rows: list[dict[str, Any]], name: str, unknown: int | None) -> list[int]:
    return [row[name] for row in rows if row[name] != unknown]
