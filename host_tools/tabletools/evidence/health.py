"""What the records of a device say of its machine: faults since the last daily check, and wear.

Only what rounds carry. The angle of a drop and the offset of a reader head are in no record:
`tabletool audit --csv` tests the former (`drop_deg`), `diag --self-test` measures the latter.
"""

from collections import Counter
from statistics import median
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from tabletools.evidence.maintenance import DAILY
from tabletools.store.documents import value_of
from tabletools.store.schema.evidence import faults, frames
from tabletools.store.schema.people import maintenance
from tablewire.messages import ROUND_VOID
from tablewire.money_wheel import MONEY_WHEEL_RESULT
from tablewire.roulette import WHEEL_RESULT

COMPARED = 100
"""Results in either half of a trend."""
LEAST = 20
"""With fewer in a half there is no trend."""


class Happened(NamedTuple):
    """How often a code was raised as a fault, or voided a round, since the last daily check."""

    code: int
    faults: int
    voids: int


class Figure(NamedTuple):
    """A median of the newest COMPARED results. before: of as many before them, None: too few."""

    name: str
    unit: str
    meaning: str
    value: float
    results: int
    before: float | None

    @property
    def trend_percent(self) -> float | None:
        """How much the value has changed, percent; None without an earlier one."""
        return 100 * (self.value - self.before) / self.before if self.before else None


# Type of the result: field, its unit, and what it says.
_FIELDS: dict[int, tuple[tuple[str, str, str], ...]] = {
    MONEY_WHEEL_RESULT: (
        ("friction_ddegss", "0.1 degrees/s2", "slowing of a free run: rises as it wears"),
        ("rest_ms", "ms", "at rest before the result"),
    ),
    WHEEL_RESULT: (
        ("last_lap_ms", "ms", "last lap of the ball: falls with a tilt or a worn rim"),
        ("track_ms", "ms", "first ball evidence to the drop"),
        ("result_ms", "ms", "drop to the number"),
        ("rotor_drpm", "0.1 rpm", "speed of the rotor"),
    ),
}


def last_check_ns(db: Connection, device: int) -> int | None:
    """Return when the newest daily check of a device was made, None if there is none."""
    at = maintenance.c
    query = select(func.max(at.at_ns)).where(at.kind == DAILY, at.device == device)
    found: int | None = db.execute(query).scalar_one()
    return found


def happened_since(db: Connection, device: int, since_ns: int) -> list[Happened]:
    """Return the codes that came since then, the most frequent first."""
    at, raised = frames.c, faults.c
    found = select(raised.code).join(frames, at.id == raised.frame_id)
    found = found.where(raised.device == device, raised.raised == 1, at.received_ns > since_ns)
    up = Counter(db.execute(found).scalars())
    query = select(at.payload).where(
        at.device == device, at.type == ROUND_VOID, at.counts == 1, at.received_ns > since_ns
    )
    voids = Counter(value_of(text)["reason"] for text in db.execute(query).scalars())
    rows = [Happened(code, up[code], voids[code]) for code in up | voids]
    return sorted(rows, key=lambda row: (-row.faults - row.voids, row.code))


def figures(db: Connection, device: int) -> list[Figure]:
    """Return what the newest results of a wheel say of its wear; none for another machine."""
    at = frames.c
    found = []
    for ident, fields in _FIELDS.items():
        query = select(at.payload).where(at.device == device, at.type == ident, at.counts == 1)
        query = query.order_by(at.boot.desc(), at.counter.desc()).limit(2 * COMPARED)
        rows = [value_of(text) for text in db.execute(query).scalars()]
        for name, unit, meaning in fields:
            newest = _known(rows[:COMPARED], name)
            before = _known(rows[COMPARED:], name)
            if newest:
                is_trend = len(newest) >= LEAST <= len(before)
                earlier = median(before) if is_trend else None
                found.append(Figure(name, unit, meaning, median(newest), len(newest), earlier))
    return found


def _known(rows: list[dict[str, Any]], name: str) -> list[int]:
    return [row[name] for row in rows if row[name] is not None]
