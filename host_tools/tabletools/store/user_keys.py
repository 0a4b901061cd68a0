"""The keys with which users sign: stored sealed, the public part for good.

Sealing is done elsewhere: here come only sealed keys, and those at hand for the signature.
"""

from typing import NamedTuple, TypeAlias

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Connection, insert, select, update

from tabletools.authority import KEY_ADDED
from tabletools.store import audit
from tabletools.store.audit import Actor
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.people import user_keys
from tabletools.store.signatures import Signer

PrivateKey: TypeAlias = Ed25519PrivateKey


class SealedKey(NamedTuple):
    """A private key at hand, and as it is stored."""

    private: PrivateKey
    salt: bytes
    sealed_key: bytes
    number: int | None = None
    """Row of `user_keys`, None for a new key."""

    @property
    def public_key(self) -> bytes:
        """The 32 bytes of its public part."""
        return self.private.public_key().public_bytes_raw()


class StoredKey(NamedTuple):
    """The present key of a user as stored."""

    number: int
    public_key: bytes
    salt: bytes
    sealed_key: bytes


def present(db: Connection, user: int) -> StoredKey | None:
    """Return the present key of a user, None without one."""
    col = user_keys.c
    query = select(col.id, col.public_key, col.salt, col.sealed_key)
    query = query.where(col.user_id == user, col.retired_ns.is_(None))
    row = db.execute(query).one_or_none()
    return None if row is None else StoredKey(row[0], *map(bytes, row[1:]))


def store(db: Connection, who: Actor, key: SealedKey, now_ns: int) -> Actor:
    """Add a key, or seal the present one with another password; returns the user with it.

    The row of the user is locked by the caller. A new key signs that it was added. Raises
    LedgerRejection if the key was replaced meanwhile.
    """
    assert who.user is not None
    stored = present(db, who.user)
    if key.number != (None if stored is None else stored.number):
        what = "the key of this user was replaced in the meantime"
        raise LedgerRejection("password_changed", what, "log in again", "password")
    values: dict[str, object] = {"salt": key.salt, "sealed_key": key.sealed_key}
    col = user_keys.c
    if key.number is not None:
        db.execute(update(user_keys).where(col.id == key.number).values(**values))
        return who._replace(signer=Signer(key.number, key.private))
    values = values | {"user_id": who.user, "public_key": key.public_key, "created_ns": now_ns}
    number = int(db.execute(insert(user_keys).values(**values).returning(col.id)).scalar_one())
    signing = who._replace(signer=Signer(number, key.private))
    detail = {"key": number, "public": key.public_key.hex()}
    audit.note(db, signing, KEY_ADDED, f"user {who.user}", now_ns, **detail)
    return signing


def retire(db: Connection, user: int, now_ns: int) -> None:
    """Retire the key of a user whose password another one reset: it can no longer be unsealed."""
    col = user_keys.c
    where = update(user_keys).where(col.user_id == user, col.retired_ns.is_(None))
    db.execute(where.values(retired_ns=now_ns))
