"""The audit log: who did what.

Works on a transaction; the chain covers its rows like all others. What a user decides is signed.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, insert

from tabletools.store import signatures
from tabletools.store.schema.people import audit_log
from tabletools.store.signatures import AuditRow, Signer


class Actor(NamedTuple):
    """The user or program of an action."""

    name: str
    user: int | None = None
    """Number of the user, None for a program."""
    signer: Signer | None = None
    """The key with which the user signs decisions, while it is at hand."""


def note(
    db: Connection, who: Actor, action: str, subject: str, now_ns: int, **detail: object
) -> None:
    """Add a row. action: a word such as bet_ruled. subject: what it was done to.

    Raises LedgerRejection where it has to be signed and cannot be (`signatures.sign`).
    """
    text = _text(detail)
    row = {"at_ns": now_ns, "user_id": who.user, "who": who.name, "action": action}
    statement = insert(audit_log).values(**row, subject=subject, detail=text)
    seq = int(db.execute(statement.returning(audit_log.c.seq)).scalar_one())
    noted = AuditRow(seq, now_ns, who.user, who.name, action, subject, text)
    signatures.sign(db, noted, who.signer)


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
