"""What the records of a device say of its machine: faults and wear."""

import json
from collections import Counter
from statistics import median
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from tablespec.message_list import BY_ID
from tabletools.evidence.maintenance import DAILY
from tabletools.roles import every_role
from tabletools.store.schema.evidence import faults, frames
from tabletools.store.schema.people import maintenance
from tablewire.messages import ROUND_VOID

COMPARED = 100
"""Results in either half of a trend."""
LEAST = 20
"""With fewer in a half there is no trend."""


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


def _known(rows: list[dict[str, Any]], name: str, unknown: int | None) -> list[int]:
    return [row[name] for row in rows if row[name] != unknown]
