"""Rounds by what they came to, and those with late bets: folded from what settled them."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, Select, delete, insert, select

from tabletools.money import reports as late_reports
from tabletools.reports import model
from tabletools.reports.feeds import Feed, Part
from tabletools.store.schema.books import postings
from tabletools.store.schema.play import late_refusals, round_settlements
from tabletools.store.schema.play import rounds as played

SETTLED = Feed.over(postings)
REFUSED = Feed.over(late_refusals)


def fold_settled(ledger: Connection, db: Connection, part: Part) -> None:
    """Fold what settled or corrected rounds."""
    col = round_settlements.c
    query = select(col.round_id, col.outcome, played.c.table_id)
    query = query.join(played, played.c.id == col.round_id)
    query = query.where(col.posting_id > part.after, col.posting_id <= part.last)
    settled = ledger.execute(query.order_by(col.round_id, col.generation)).all()
    in_force = {row.round_id: row for row in settled}
    rows = [
        {"label": label, "round": key, "table": row.table_id}
        for key, row in in_force.items()
        for label in sorted(set(_texts(json.loads(row.outcome))))
    ]
    if in_force:
        keys = sorted(in_force)
        db.execute(delete(model.labels).where(model.labels.c.round.in_(keys)))
        _add_late(db, late_reports.rounds_with_late_bets(ledger, keys))
    if rows:
        db.execute(insert(model.labels), rows)


def fold_refused(ledger: Connection, db: Connection, part: Part) -> None:
    """Fold bets that were refused as late."""
    col = late_refusals.c
    query = select(col.round_id).distinct().where(col.id > part.after, col.id <= part.last)
    _add_late(db, ledger.execute(query.where(col.round_id.is_not(None))).scalars())


def _add_late(db: Connection, keys: Iterable[int]) -> None:
    column = model.late_rounds.c.round
    for key in sorted(set(keys)):
        if db.execute(select(column).where(column == key)).one_or_none() is None:
            db.execute(insert(model.late_rounds).values(round=key))


def _texts(value: object) -> Iterator[str]:
    """Yield every text in an outcome."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def with_label(
    db: Connection, label: str, table: int | None, before: int | None, most: int
) -> list[int]:
    """Return the newest rounds whose outcome in force has a text, newest first.

    table: only of this one. before: only lower keys.
    """
    col = model.labels.c
    query = select(col.round).where(col.label == label)
    if table is not None:
        query = query.where(col.table == table)
    return _newest(db, query, before, most)


def with_late_bets(db: Connection, before: int | None, most: int) -> list[int]:
    """Return the newest rounds that have late bets, newest first. before: only lower keys."""
    return _newest(db, select(model.late_rounds.c.round), before, most)


def _newest(db: Connection, query: Select[Any], before: int | None, most: int) -> list[int]:
    [key] = query.selected_columns
    if before is not None:
        query = query.where(key < before)
    return [int(number) for number in db.execute(query.order_by(key.desc()).limit(most)).scalars()]
