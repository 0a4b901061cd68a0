"""The audit log: who did what.

Works on a transaction; the chain covers its rows like all others.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, insert

from tabletools.store.schema.people import audit_log


class Actor(NamedTuple):
    """The user or program of an action. user: number of an account, None for a program."""

    name: str
    user: int | None = None


def note(
    db: Connection, who: Actor, action: str, subject: str, now_ns: int, **detail: object
) -> None:
    """Add a row. action: a word such as bet_ruled. subject: what it was done to."""
    row = {"at_ns": now_ns, "user_id": who.user, "who": who.name, "action": action}
    db.execute(insert(audit_log).values(**row, subject=subject, detail=_text(detail)))


def _text(detail: Mapping[str, object]) -> str:
    """As it is stored: without values that are not JSON (NaN)."""
    return json.dumps(
        detail, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def note_both(
    db: Connection,
    users: tuple[Actor, Actor],
    action: str,
    subject: str,
    now_ns: int,
    **detail: object,
) -> None:
    """Add a row for each of two users who decided together."""
    for user, other in (users, reversed(users)):
        note(db, user, action, subject, now_ns, together_with=other.name, **detail)
