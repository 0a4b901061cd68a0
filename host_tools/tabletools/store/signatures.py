"""Signatures of decisions: that a user decided is proved by a key the database does not hold.

A user signs each row of the audit log that is a decision of that user (`authority.DECISIONS`): the
row, and the newest entry of the chain before it. So a signature fits no other row, and none in a
ledger of which an earlier entry was changed, even if the whole chain was computed again.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from sqlalchemy import ColumnElement, Connection, Row, and_, func, insert, or_, select

from tabletools.authority import DECISIONS, KEY_ADDED
from tabletools.store import chain as chains
from tabletools.store import sign_on_proof
from tabletools.store.chain import BEGINNING, Head
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.chain import chain
from tabletools.store.schema.people import audit_log, signatures, subjects, user_keys

_DOMAIN = "tablewire decision 1"


class Signer(NamedTuple):
    """The key of a user at hand."""

    key: int
    """Row of `user_keys`."""
    private: Ed25519PrivateKey


class OnceSigner(NamedTuple):
    """A new key that signs one decision of a user of an identity provider.

    The sign-on proves it (`sign_on_proof`); nothing stores the private part.
    """

    private: Ed25519PrivateKey
    proof: sign_on_proof.Proof
    """Stored with the public part."""

    @property
    def public_key(self) -> bytes:
        """The 32 bytes of its public part."""
        return self.private.public_key().public_bytes_raw()


class AuditRow(NamedTuple):
    """A row of the audit log, as it is signed. detail: its JSON as stored."""

    seq: int
    at_ns: int
    user: int | None
    who: str
    action: str
    subject: str
    detail: str


def signed_bytes(row: AuditRow, before: Head) -> bytes:
    """Return what is signed: JSON, its keys sorted, without spaces. before: the newest entry."""
    facts = row._asdict() | {"is": _DOMAIN, "entry": before.seq, "digest": before.digest.hex()}
    return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode("ascii")


def sign(db: Connection, row: AuditRow, signer: Signer | None) -> None:
    """Sign a new row of the audit log, if it is a decision of a user.

    Raises LedgerRejection without the key, once any user has one.
    """
    if row.user is None or row.action not in DECISIONS:
        return
    if signer is None:
        if db.execute(select(user_keys.c.id).limit(1)).first() is not None:
            what = f"{row.who} has no key at hand, with which this has to be signed"
            raise LedgerRejection("signature_needed", what, "log in again", "user")
        return
    col, before = user_keys.c, chains.head(db)
    query = select(col.retired_ns, col.sealed_key)
    key = db.execute(query.where(col.id == signer.key, col.user_id == row.user)).first()
    is_once = key is not None and not key.sealed_key
    if key is None or (key.retired_ns is not None and not is_once):
        what = f"the key of {row.who} was replaced"
        raise LedgerRejection("signature_needed", what, "log in again", "user")
    if is_once:
        _verify_once(db, signer.key, before)
    values = {
        "audit_seq": row.seq,
        "user_key_id": signer.key,
        "after_seq": before.seq,
        "signature": signer.private.sign(signed_bytes(row, before)),
    }
    db.execute(insert(signatures).values(**values))


def _verify_once(db: Connection, key: int, before: Head) -> None:
    """Raise LedgerRejection if a key for one decision has signed in an earlier transaction."""
    col = signatures.c
    earlier = select(col.audit_seq).where(col.user_key_id == key, col.after_seq != before.seq)
    if db.execute(earlier.limit(1)).first() is not None:
        what = "this sign-on proved another decision already"
        raise LedgerRejection("sign_on_used", what, "sign on again for this one", "user")


def once_key(db: Connection, user: int, public_key: bytes) -> int | None:
    """Return the row of a key for one decision, None before it is added."""
    col = user_keys.c
    query = select(col.id).where(col.user_id == user, col.public_key == public_key)
    key: int | None = db.execute(query).scalar_one_or_none()
    return key


def add_once_key(db: Connection, user: int, public_key: bytes, now_ns: int) -> int:
    """Add a key for one decision; returns its row."""
    values = {
        "user_id": user,
        "public_key": public_key,
        "salt": b"",
        "sealed_key": b"",
        "created_ns": now_ns,
        "retired_ns": now_ns,
    }
    statement = insert(user_keys).values(**values).returning(user_keys.c.id)
    return int(db.execute(statement).scalar_one())


# --- verification --------------------------------------------------------------------------------


class Tally(NamedTuple):
    """Decisions in a ledger: signed; of users before the first of them had a key; of programs."""

    signed: int
    older: int
    of_programs: int
    by_sign_on: int
    """Keys for one decision, each proved by a sign-on at an identity provider."""


def tally(db: Connection) -> Tally:
    """Return how many decisions are signed."""
    col, first = audit_log.c, _first_key(db)
    is_decision = col.action.in_(DECISIONS)
    older = col.user_id.is_not(None) if first is None else col.seq < first

    def count(*conditions: ColumnElement[bool]) -> int:
        query = select(func.count()).select_from(audit_log).where(is_decision, *conditions)
        return int(db.execute(query).scalar_one())

    signed = int(db.execute(select(func.count()).select_from(signatures)).scalar_one())
    once = select(func.count()).select_from(user_keys).where(user_keys.c.sealed_key == b"")
    by_sign_on = int(db.execute(once).scalar_one())
    of_users = count(col.user_id.is_not(None), older)
    return Tally(signed, of_users, count(col.user_id.is_(None)), by_sign_on)


def _first_key(db: Connection) -> int | None:
    """Return the row of the audit log with the first key of a user, None without one."""
    query = select(func.min(audit_log.c.seq)).where(audit_log.c.action == KEY_ADDED)
    first: int | None = db.execute(query).scalar_one()
    return first


def problems(db: Connection, first: int, last: int) -> Iterator[str]:
    """Yield what is wrong with the signatures of rows of the audit log, from first to last."""
    start, col = _first_key(db), audit_log.c
    query = (
        select(
            *(col.seq, col.at_ns, col.user_id, col.who, col.action, col.subject, col.detail),
            *(signatures.c.signature, signatures.c.after_seq),
            *(user_keys.c.user_id.label("signer"), user_keys.c.public_key),
            chain.c.digest,
        )
        .select_from(audit_log)
        .outerjoin(signatures, signatures.c.audit_seq == col.seq)
        .outerjoin(user_keys, user_keys.c.id == signatures.c.user_key_id)
        .outerjoin(chain, chain.c.seq == signatures.c.after_seq)
        .where(col.seq.between(first, last))
        .where(
            or_(
                signatures.c.signature.is_not(None),
                and_(col.user_id.is_not(None), col.action.in_(DECISIONS)),
            )
        )
        .order_by(col.seq)
    )
    for row in db.execute(query):
        yield from _problems_of(row, start)


def _problems_of(row: Row[tuple[object, ...]], start: int | None) -> Iterator[str]:
    """start: the first row with a key; every decision of a user after it is signed."""
    name = f"audit_log {row.seq} ({row.action} by {row.who})"
    if row.signature is None:
        if start is not None and row.seq > start:
            yield f"{name}: not signed"
        return
    if row.signer != row.user_id:
        yield f"{name}: signed with the key of another user"
        return
    digest = BEGINNING if not row.after_seq else row.digest
    if digest is None:
        yield f"{name}: signed after entry {row.after_seq} of the chain, which is missing"
        return
    signed = AuditRow(*row[:7])
    before = Head(row.after_seq, bytes(digest))
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes(row.public_key))
        key.verify(bytes(row.signature), signed_bytes(signed, before))
    except (InvalidSignature, ValueError):
        yield (
            f"{name}: the signature does not match, so this row, the key, or the chain up to entry"
            f" {row.after_seq} was changed"
        )


def stray(db: Connection) -> Iterator[str]:
    """Yield signatures of no row, keys no user added, keys that replaced one with no reset, and
    keys for one decision that no sign-on proves."""
    query = select(signatures.c.audit_seq).outerjoin(audit_log).where(audit_log.c.seq.is_(None))
    for seq in db.execute(query).scalars():
        yield f"signatures {seq}: the decision that was signed is missing"
    added, resets = _key_rows(db)
    previous: dict[int, int] = {}
    col = user_keys.c
    keys = db.execute(select(col.id, col.user_id, col.public_key).order_by(col.id))
    for key, user, public_key in keys.all():
        row = added.pop((user, key, bytes(public_key).hex()), None)
        if row is None:
            yield f"user_keys {key}: user {user} did not add this key"
            continue
        if row.proof is not None:
            yield from _sign_on_problems(db, key, user, bytes(public_key), row)
            continue
        before = previous.get(user)
        if before is not None and not any(before < seq < row.seq for seq in resets.get(user, ())):
            yield f"user_keys {key}: replaced that of user {user}, whose password was not reset"
        previous[user] = row.seq
    for user, key, _ in added:
        yield f"user_keys {key}: the key that user {user} added is missing"


def _sign_on_problems(
    db: Connection, key: int, user: int, public_key: bytes, row: "_KeyRow"
) -> Iterator[str]:
    """Yield what is wrong with a key for one decision."""
    assert row.proof is not None
    try:
        proof = sign_on_proof.read(row.proof)
        why = sign_on_proof.problem(proof, public_key, row.at_ns)
    except ValueError as error:
        why = str(error)
    if why is not None:
        yield f"user_keys {key}: its sign-on does not prove it: {why}"
        return
    col = subjects.c
    known = select(col.id).where(
        col.issuer == proof.issuer, col.subject == proof.subject, col.user_id == user
    )
    if db.execute(known).first() is None:
        yield f"user_keys {key}: the provider's user {proof.subject!r} is not user {user}"
    signed = signatures.c
    entries = select(func.count(signed.after_seq.distinct())).where(signed.user_key_id == key)
    if db.execute(entries).scalar_one() > 1:
        yield f"user_keys {key}: one sign-on was used for several decisions"


class _KeyRow(NamedTuple):
    """The row by which a user added a key. proof: of a key for one decision."""

    seq: int
    at_ns: int
    proof: Mapping[str, Any] | None


def _key_rows(
    db: Connection,
) -> tuple[dict[tuple[int, int, str], _KeyRow], dict[int, list[int]]]:
    """Return the rows by which users added keys, by user, key and public part; and the resets."""
    col = audit_log.c
    added: dict[tuple[int, int, str], _KeyRow] = {}
    resets: dict[int, list[int]] = {}
    query = select(col.seq, col.at_ns, col.user_id, col.action, col.subject, col.detail)
    query = query.where(col.action.in_((KEY_ADDED, "user_changed"))).order_by(col.seq)
    for seq, at_ns, user, action, subject, text in db.execute(query):
        detail = json.loads(text)
        if action == KEY_ADDED:
            row = _KeyRow(seq, at_ns, detail.get("sign_on"))
            added[user, detail["key"], detail["public"]] = row
        elif detail.get("password") == "changed":
            resets.setdefault(int(subject.removeprefix("user ")), []).append(seq)
    return added, resets
