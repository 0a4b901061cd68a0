"""A round as its table reported it, for settlement elsewhere: all of it, or why it cannot be.

Works on an open transaction.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, select

from tabletools.evidence import round_records, rounds
from tabletools.evidence.alarms import stopped
from tabletools.evidence.rounds import BELIEVED, PENDING, RoundRow
from tabletools.roles import Record
from tabletools.store.schema.evidence import frames
from tablewire.messages import FLAG_TEST_MODE

_MOST = 1 << 32  # rounds of a device


class Recorded(NamedTuple):
    """The records of a round. why: it must not be settled; then the rest is empty."""

    ended: Record
    records: Sequence[Record]
    why: str = ""


def of_round(db: Connection, number: int, device: int | None = None) -> Recorded:
    """Return the decoded records of a round. device: optional if only one table has the round."""
    names = _devices(db, number) if 0 < number < _MOST else []
    devices = [name for name in names if device in (None, name)]
    if len(devices) != 1:
        text = " ".join(map(str, devices))
        what = f"tables {text} have a round {number}" if devices else f"there is no round {number}"
        return Recorded({}, (), what)
    row = rounds.find(db, devices[0], number)
    why = _why_not(db, devices[0], number, row)
    if why or row is None or row.ended is None:
        return Recorded({}, (), f"round {number} of table {devices[0]}: {why}")
    ended, _ = round_records.of_round(db, row, row.ended)
    return Recorded(ended, round_records.all_of(db, devices[0], number))


def _devices(db: Connection, number: int) -> list[int]:
    col = frames.c
    query = select(col.device).where(col.round == number, col.type.in_(tuple(rounds.COLUMNS)))
    return sorted(db.execute(query.distinct()).scalars())


def _why_not(db: Connection, device: int, number: int, row: RoundRow | None) -> str:
    why = stopped(db, device)
    if why is not None:
        return f"the table is stopped: {why}"
    col = frames.c
    query = select(col.flags).where(col.device == device, col.round == number, col.counts == 0)
    uncounted = db.execute(query).scalars().all()
    if any(flags & FLAG_TEST_MODE for flags in uncounted):
        return "it was played in test mode"
    if uncounted:
        return "not all of it was authenticated with the key of the table: it is never settled"
    if row is None or row.ended is None:
        return "it has not ended"
    if row.verdict == PENDING:
        return "a record from before its end is missing"
    if row.verdict != BELIEVED:
        return f"its result is {row.verdict}"
    return ""
