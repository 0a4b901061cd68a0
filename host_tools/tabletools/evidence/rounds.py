"""Rounds as they are stored, the faults at a place, and whether a record is missing before it.

Works on an open transaction. `table.judging` decides what a round came to.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, bindparam, or_, select

from tabletools.evidence.records import RecordId
from tabletools.store.schema.evidence import faults, gaps, unread_records
from tabletools.store.schema.play import rounds
from tablewire.messages import BETS_CLOSED, ROUND_ENDS, ROUND_OPENED

RUNNING, PENDING, BELIEVED, UNEXPECTED = "running", "pending", "believed", "unexpected"
"""Verdicts on a round: it has not ended; its end waits to be judged; it is valid; it is not."""
COLUMNS = {
    ROUND_OPENED: "opened",
    BETS_CLOSED: "closed",
    **dict.fromkeys(ROUND_ENDS, "ended"),
}


class RoundRow(NamedTuple):
    """A round as it is stored."""

    id: int
    device: int
    number: int
    """As the device counts."""
    table: int | None
    terms: int | None
    """Row of the terms that it opened under."""
    opened: int | None
    """Rows of the records that opened, closed and ended it."""
    closed: int | None
    ended: int | None
    verdict: str
    settled: int
    """Generation of the settlement in force, 0 before the first."""


_COL = rounds.c
ROWS = select(
    _COL.id,
    _COL.device,
    _COL.number,
    _COL.table_id,
    _COL.terms_id,
    _COL.opened,
    _COL.closed,
    _COL.ended,
    _COL.verdict,
    _COL.settled,
)
"""Selects rounds as `rows_of` reads them."""
# Queries of every record are built once: to build one takes longer than SQLite takes to answer.
_BY_KEY = ROWS.where(_COL.id == bindparam("key"))
_BY_NUMBER = ROWS.where(_COL.device == bindparam("device"), _COL.number == bindparam("number"))


def rows_of(
    db: Connection, query: Select[Any], values: Mapping[str, Any] | None = None
) -> list[RoundRow]:
    """Return the rounds that a query of ROWS selects. values: its parameters."""
    return [RoundRow(*row) for row in db.execute(query, values)]


def find(db: Connection, device: int, number: int) -> RoundRow | None:
    """Return a round by its device and the number the device gave it."""
    row = db.execute(_BY_NUMBER, {"device": device, "number": number}).one_or_none()
    return None if row is None else RoundRow(*row)


def by_key(db: Connection, key: int) -> RoundRow | None:
    """Return a round by its row."""
    row = db.execute(_BY_KEY, {"key": key}).one_or_none()
    return None if row is None else RoundRow(*row)


_FAULTS = (
    select(faults.c.code, faults.c.raised)
    .where(
        faults.c.device == bindparam("device"),
        faults.c.boot == bindparam("boot"),
        faults.c.counter < bindparam("counter"),
    )
    .order_by(faults.c.counter)
)


def active_faults(db: Connection, device: int, place: RecordId) -> tuple[int, ...]:
    """Return the codes raised in the boot of a place before it, and not cleared by then."""
    rows = db.execute(_FAULTS, {"device": device, "boot": place[0], "counter": place[1]})
    latest = {int(code): bool(raised) for code, raised in rows}
    return tuple(sorted(code for code, is_raised in latest.items() if is_raised))


def gap_is_open(db: Connection, device: int, place: RecordId | None = None) -> bool:
    """Whether a counter of the device is missing, or one before a place (boot, counter).

    A stored record that cannot be decoded counts as missing.
    """
    unread = unread_records.c
    for col, first in ((gaps.c, gaps.c.first), (unread, unread.counter)):
        query = select(col.id).where(col.device == device, col.closed_ns.is_(None)).limit(1)
        if col is unread:
            query = query.where(col.counts == 1)
        if place is not None:
            boot, counter = place
            query = query.where(or_(col.boot < boot, (col.boot == boot) & (first < counter)))
        if db.execute(query).first() is not None:
            return True
    return False
