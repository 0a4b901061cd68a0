"""The audit log: who did what, each row sealed over the one before. Works on a transaction."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, insert, select, text

from tabletools.store.schema.people import audit_log

BEGINNING = bytes(32)
"""What the first row is sealed over."""


class Actor(NamedTuple):
    """Who did it. user: number of an account, None for a program or before there is one."""

    name: str
    user: int | None = None


def sealed(row: Mapping[str, Any] | RowMapping) -> bytes:
    """Return the hash of a row over the one before it.

    SHA-256 of the 32 bytes of the hash before, then the UTF-8 of a JSON list without spaces: seq,
    at_ns, user_id, who, action, subject, detail.
    """
    names = ("seq", "at_ns", "user_id", "who", "action", "subject", "detail")
    told = json.dumps([row[name] for name in names], separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(bytes(row["previous"]) + told.encode()).digest()


def note(
    db: Connection, who: Actor, action: str, subject: str, now_ns: int, **detail: object
) -> None:
    """Add a row. action: a word such as bet_ruled. subject: what it was done to."""
    if db.dialect.name != "sqlite":
        # One row follows another: a second writer waits here until the first has committed.
        db.execute(text("LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE"))
    last = db.execute(
        select(audit_log.c.seq, audit_log.c.hash).order_by(audit_log.c.seq.desc()).limit(1)
    ).first()
    row: dict[str, Any] = {
        "seq": 1 if last is None else int(last[0]) + 1,
        "at_ns": now_ns,
        "user_id": who.user,
        "who": who.name,
        "action": action,
        "subject": subject,
        "detail": _text(detail),
        "previous": BEGINNING if last is None else bytes(last[1]),
    }
    db.execute(insert(audit_log).values(**row, hash=sealed(row)))


def _text(detail: Mapping[str, object]) -> str:
    """As it is kept: what is no JSON (NaN) would be read by nobody."""
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


def broken(db: Connection) -> Iterator[str]:
    """Yield what is wrong with the chain, nothing when it is whole."""
    before, number = BEGINNING, 0
    for row in rows(db):
        number += 1
        if row["seq"] != number:
            yield f"audit log: row {number} is missing, row {row['seq']} follows"
            number = row["seq"]
        if bytes(row["previous"]) != before:
            yield f"audit log: row {number} does not follow the row before it"
        if sealed(row) != bytes(row["hash"]):
            yield f"audit log: row {number} was changed"
        before = bytes(row["hash"])


def rows(db: Connection, after: int = 0) -> Iterator[RowMapping]:
    """Yield the rows after a number, oldest first."""
    query = select(audit_log).where(audit_log.c.seq > after).order_by(audit_log.c.seq)
    yield from db.execute(query).mappings()
