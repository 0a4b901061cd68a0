"""The audit log: who did what.

Works on a transaction; the chain covers its rows like all others. What a user decides is signed.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from tabletools.authority import DECISIONS, KEY_ADDED
from tabletools.store import sign_on_proof, signatures
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.people import audit_log, users
from tabletools.store.signatures import AuditRow, OnceSigner, Signer


class Actor(NamedTuple):
    """The user or program of an action."""

    name: str
    user: int | None = None
    """Number of the user, None for a program."""
    signer: Signer | OnceSigner | None = None
    """The key with which the user signs decisions, while it is at hand."""


_INSERT = insert(audit_log).returning(audit_log.c.seq)
"""Built once: it runs for every action."""


def note(
    db: Connection, who: Actor, action: str, subject: str, now_ns: int, **detail: object
) -> None:
    """Add a row. action: a word such as bet_ruled. subject: what it was done to.

    Raises LedgerRejection where it has to be signed and cannot be (`signatures.sign`).
    """
    signer = who.signer
    if isinstance(signer, OnceSigner):
        signer = _add(db, who, signer, now_ns) if action in DECISIONS else None
    text = _text(detail)
    row = {"at_ns": now_ns, "user_id": who.user, "who": who.name, "action": action}
    row |= {"subject": subject, "detail": text}
    seq = int(db.execute(_INSERT, row).scalar_one())
    noted = AuditRow(seq, now_ns, who.user, who.name, action, subject, text)
    signatures.sign(db, noted, signer)


def _add(db: Connection, who: Actor, once: OnceSigner, now_ns: int) -> Signer:
    """Return the key for one decision, which is added with what proves it before its first row.

    Raises LedgerRejection for a user with a password here: only that proves a decision.
    """
    assert who.user is not None
    password = select(users.c.password_hash).where(users.c.id == who.user)
    if db.execute(password).scalar_one() is not None:
        what = f"{who.name} has a password here, so no sign-on decides"
        raise LedgerRejection("password_needed", what, "log in with it", "user")
    public_key = once.public_key
    key = signatures.once_key(db, who.user, public_key)
    if key is not None:
        return Signer(key, once.private)
    signer = Signer(signatures.add_once_key(db, who.user, public_key, now_ns), once.private)
    detail = {
        "key": signer.key,
        "public": public_key.hex(),
        "sign_on": sign_on_proof.stored(once.proof),
    }
    note(db, who._replace(signer=signer), KEY_ADDED, f"user {who.user}", now_ns, **detail)
    return signer


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
