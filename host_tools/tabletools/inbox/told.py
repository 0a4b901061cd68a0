"""What a table told of one round, for whoever settles it: all of it, or why it may not count."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tabletools import decode
from tabletools.evidence import judge
from tabletools.inbox import gaps
from tabletools.inbox.database import Connection, errors_explained
from tablewire.framing import Receiver
from tablewire.messages import FLAG_TEST_MODE, ROUND_ENDS

_MOST = 1 << 32  # rounds of a device
_ROUNDS = "SELECT device, verdict, ended FROM rounds WHERE round = ? ORDER BY device"
_STOPS = "SELECT reason FROM stops WHERE device = ? AND released_ns IS NULL"
_RECORDS = """
SELECT r.id, r.boot, r.counter, r.type, r.flags, r.authentication, r.raw FROM records r
LEFT JOIN boots b ON b.device = r.device AND b.boot = r.boot
WHERE r.device = ? AND r.round = ? AND b.fell_ns IS NULL ORDER BY r.boot, r.counter
"""


class Told(NamedTuple):
    """A round as its table told it. why: it may not be settled; then there is no more."""

    ended: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]
    why: str = ""


def of_round(db: Connection, number: int, device: int | None = None) -> Told:
    """Return the decoded records of a round. device: may be left out where one table has it."""
    with errors_explained():
        rounds = db.execute(_ROUNDS, (number,)) if 0 < number < _MOST else ()
        found = [row for row in rounds if device in (None, row[0])]
        if len(found) != 1:
            names = " ".join(str(row[0]) for row in found)
            which = (
                f"tables {names} have a round {number}" if names else f"no round {number} is here"
            )
            return Told({}, (), which)
        table, verdict, end = found[0]
        rows = list(db.execute(_RECORDS, (table, number)))
        why = _why_not(db, table, (verdict, end), rows)
    if why:
        return Told({}, (), f"round {number} of table {table}: {why}")
    records = [_decoded(row) for row in rows]
    [ended] = [_decoded(row) for row in rows if row[0] == end]
    return Told(ended, records)


def _why_not(db: Connection, table: int, end: tuple[str, int | None], rows: list[Any]) -> str:
    """end: verdict on the round, and the number of the record that ended it."""
    stop = db.execute(_STOPS, (table,)).fetchone()
    if stop is not None:
        return f"the table is stopped: {stop[0]}"
    places = {row[0]: (row[1], row[2]) for row in rows}
    if end[1] not in places:
        return "it has not ended"
    if end[0] != judge.BELIEVED:
        return f"its result is {end[0]}"
    if gaps.is_open(db, table, places[end[1]]):
        return "a record from before its end is missing"
    if not all(_decoded(row)["authenticated"] for row in rows):
        return "it was not sealed with the key of the table: nothing of it is ever settled"
    if any(row[4] & FLAG_TEST_MODE for row in rows):
        return "it was played in test mode"
    if len([row for row in rows if row[3] in ROUND_ENDS]) > 1:
        return "it was ended more than once"
    return ""


def _decoded(row: Any) -> dict[str, Any]:
    [frame] = Receiver().feed(row[6])
    return decode.record(frame, row[5])
