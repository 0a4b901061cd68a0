"""Idempotent requests: a repeated key gets the same answer, and is carried out once."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from tabletools.store.errors import LedgerRejection
from tabletools.store.rows import insert_many
from tabletools.store.schema.books import idempotency_keys


def digest_of(request: Mapping[str, Any]) -> str:
    """Return the digest that distinguishes requests with the same key."""
    text = json.dumps(request, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def verify_same(name: str, digest: str, before: str) -> None:
    """Raise LedgerRejection if a key was used for another request."""
    if digest != before:
        what = f"key {name[:40]!r} was used for another request"
        raise LedgerRejection("key_reused", what, "use a different key for every request", "key")


def answered(db: Connection, scope: str, name: str, digest: str) -> Any | None:
    """Return the stored answer to a request, None if it is new.

    Raises LedgerRejection for another request.
    """
    col = idempotency_keys.c
    query = select(col.digest, col.answer).where(col.scope == scope, col.name == name)
    row = db.execute(query).one_or_none()
    if row is None:
        return None
    verify_same(name, digest, row.digest)
    return json.loads(row.answer)


def verify_key(name: str) -> None:
    """Raise LedgerRejection unless a key is valid."""
    if not 1 <= len(name) <= 100 or not name.isprintable():
        what = "a key has 1 to 100 printable characters"
        raise LedgerRejection("key_invalid", what, "use a different key for every request", "key")


def keep(db: Connection, scope: str, answers: list[tuple[str, str, Any]], now_ns: int) -> None:
    """Store answers: name, digest, answer."""
    rows = [(scope, name, digest, json.dumps(answer), now_ns) for name, digest, answer in answers]
    insert_many(db, idempotency_keys, ("scope", "name", "digest", "answer", "at_ns"), rows)
