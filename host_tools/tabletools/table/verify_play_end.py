"""Compare bets with the announced end of play: none is in a round that opened after it.

Everything is as it was when the round opened: what was void, corrected or withdrawn later changes
nothing.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Row, select, text

from tabletools.store.schema.evidence import frames
from tabletools.store.schema.play import bets
from tabletools.table import play_end
from tablewire.card_shoe import SHOE_REPORT

_ANNOUNCED = text("""
SELECT r.id, r.table_id, r.number, r.device, r.opened, o.received_ns, e.kind, e.bound FROM rounds r
JOIN frames o ON o.id = r.opened
JOIN play_ends e ON e.id = (
    SELECT n.id FROM play_ends n WHERE n.table_id = r.table_id AND n.at_ns <= o.received_ns
    ORDER BY n.id DESC LIMIT 1
)
WHERE e.kind <> 'withdrawn' AND EXISTS (
    SELECT 1 FROM bets b WHERE b.round_id = r.id AND b.carried_from IS NULL
) ORDER BY r.id
""")
# A round that ended neither way yet is being played, as one with a result is.
_PLAYED = text("""
SELECT 1 FROM rounds r WHERE r.table_id = :table AND r.id > :bound AND r.id < :opened
AND coalesce(
    (SELECT s.is_void FROM round_settlements s WHERE s.round_id = r.id AND s.at_ns <= :at
     ORDER BY s.generation DESC LIMIT 1),
    (SELECT e.is_void FROM results e WHERE e.round_id = r.id AND e.at_ns <= :at), 0
) = 0 LIMIT 1
""")


def problems(db: Connection) -> Iterator[str]:
    """Yield the bets in rounds that opened after the end of play."""
    for row in db.execute(_ANNOUNCED).all():
        if not _IS_OVER[row.kind](db, row):
            continue
        own = select(bets.c.id).where(bets.c.round_id == row.id, bets.c.carried_from.is_(None))
        why = play_end.OVER[row.kind].replace("_", " ")
        for bet in db.execute(own.order_by(bets.c.id)).scalars():
            place = f"round {row.id} (device {row.device} number {row.number})"
            yield f"{place}: bet {bet} was placed after the announced end of play: {why}"


def _is_played(db: Connection, row: Row[Any]) -> bool:
    """Whether a round after the bound that was not void came before this one."""
    named = {"table": row.table_id, "bound": row.bound, "opened": row.id, "at": row.received_ns}
    return db.execute(_PLAYED, named).first() is not None


def _is_new_shoe(db: Connection, row: Row[Any]) -> bool:
    """Whether another shoe was declared between the announcement and this round."""
    col = frames.c
    reports = select(col.payload).where(
        col.device == row.device, col.type == SHOE_REPORT, col.counts == 1
    )
    between = reports.where(col.id > row.bound, col.id < row.opened)
    events = (json.loads(payload)["event"] for payload in db.execute(between).scalars())
    return any(event == play_end.NEW for event in events)


def _is_late(_db: Connection, row: Row[Any]) -> bool:
    return bool(row.received_ns >= row.bound)


_IS_OVER: Mapping[str, Callable[[Connection, Row[Any]], bool]] = {
    play_end.ROUND: _is_played,
    play_end.SHOE: _is_new_shoe,
    play_end.MINUTES: _is_late,
}
