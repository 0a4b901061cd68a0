"""The outcome in force of a round: of its newest settlement, before the first of its valid record.

The only place that decides it: the list of rounds, the wall, receipts, the status line of a wheel
and the page of a round read it here; search and other systems by its events. Beside it is what it
supersedes: the outcome that the table reported, where two users replaced it. hc2023 1:1(10): the
actual outcome binds.
"""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Row, and_, func, select

from tabletools.store.schema.people import users
from tabletools.store.schema.play import results, round_settlements, rounds

_NEWEST = round_settlements
_FIRST = round_settlements.alias("first_generation")  # where a status line decided it
_USERS = users.alias("first_ruling"), users.alias("second_ruling")

OUTCOME: ColumnElement[str] = func.coalesce(_NEWEST.c.outcome, results.c.outcome)
"""JSON, as `settle` reads it; NULL for a round without an outcome."""
IS_VOID: ColumnElement[int] = func.coalesce(_NEWEST.c.is_void, results.c.is_void)
AT_NS: ColumnElement[int] = func.coalesce(_NEWEST.c.at_ns, results.c.at_ns)
"""When it came into force."""
_RECORDED = func.coalesce(results.c.outcome, _FIRST.c.outcome)
COLUMNS: tuple[ColumnElement[Any], ...] = (
    OUTCOME.label("outcome"),
    IS_VOID.label("is_void"),
    AT_NS.label("in_force_ns"),
    _RECORDED.label("recorded"),
    _NEWEST.c.reason,
    _NEWEST.c.evidence,
    _NEWEST.c.follows,
    *(user.c.name.label(name) for user, name in zip(_USERS, ("first", "second"), strict=True)),
)
"""What `facts` reads of a row."""
NAMES = frozenset(select(*COLUMNS).selected_columns.keys())
"""Of COLUMNS in a row."""


def joined(source: FromClause) -> FromClause:
    """Return a source that has `rounds`, joined with what the outcome of each is read from."""
    newest = (_NEWEST.c.round_id == rounds.c.id) & (_NEWEST.c.generation == rounds.c.settled)
    first = and_(
        _FIRST.c.round_id == rounds.c.id, _FIRST.c.generation == 1, _FIRST.c.first_user.is_(None)
    )
    return (
        source.outerjoin(results, results.c.round_id == rounds.c.id)
        .outerjoin(_NEWEST, newest)
        .outerjoin(_FIRST, first)
        .outerjoin(_USERS[0], _USERS[0].c.id == _NEWEST.c.first_user)
        .outerjoin(_USERS[1], _USERS[1].c.id == _NEWEST.c.second_user)
    )


def by_record(db: Connection, device: int) -> dict[int, str | None]:
    """Return the outcome of each round of a device, by the key of the record that ended it."""
    query = select(rounds.c.ended, OUTCOME).select_from(joined(rounds))
    return dict(db.execute(query.where(rounds.c.device == device)).tuples().all())


def facts(row: Row[Any]) -> dict[str, Any]:
    """Return the outcome in force, what it supersedes, and the ruling by which it holds.

    row: of a query of COLUMNS. superseded: None where the record is in force; ruling: None where
    no two users ruled.
    """
    outcome, recorded = (_decode(text) for text in (row.outcome, row.recorded))
    return {
        "outcome": outcome,
        "is_void": None if row.is_void is None else bool(row.is_void),
        "superseded": None if recorded == outcome else recorded,
        "ruling": _ruling(row),
    }


def _decode(text: str | None) -> Mapping[str, Any] | None:
    return None if text is None else json.loads(text)


def _ruling(row: Row[Any]) -> dict[str, Any] | None:
    if row.first is None:
        return None
    names = ("reason", "evidence", "follows")
    return {
        "users": [row.first, row.second],
        "at_ns": row.in_force_ns,
        **{name: getattr(row, name) for name in names},
    }
