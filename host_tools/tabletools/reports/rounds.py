"""Rounds by what they came to, and those with late bets: folded from what settled them."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, Select, delete, insert, select

from tabletools.money import reports as late_reports
from tabletools.reports import model
from tabletools.reports.feeds import Feed, Part
from tabletools.store.schema.books import outbox
from tabletools.store.schema.play import late_refusals

SETTLED = Feed.over(outbox)
REFUSED = Feed.over(late_refusals)
_KINDS = ("tablewire.round.settled", "tablewire.round.corrected")


def fold_settled(ledger: Connection, db: Connection, part: Part) -> None:
    """Fold what settled or corrected rounds."""
    col = outbox.c
    query = select(col.data).where(col.id > part.after, col.id <= part.last)
    query = query.where(col.type.in_(_KINDS)).order_by(col.id)
    events = {event["round"]: event for event in map(json.loads, ledger.execute(query).scalars())}
    rows = [
        {"label": label, "round": key, "table": event["table"]}
        for key, event in events.items()
        for label in sorted(set(_texts(event["outcome"])))
    ]
    if events:
        col = model.labels.c
        db.execute(delete(model.labels).where(col.round.in_(sorted(events))))
        _add_late(db, late_reports.rounds_with_late_bets(ledger, sorted(events)))
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
