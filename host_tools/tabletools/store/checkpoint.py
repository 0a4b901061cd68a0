"""Signed checkpoints: what the chain was at a time, to be kept where its owner cannot rewrite it.

Whoever owns a database can make a chain anew over forged rows. He cannot make one that has the
entry which was signed: so what was there at a checkpoint is proved by it. One line of JSON each,
signed with Ed25519 over the UTF-8 of `checkpoint` without spaces, its keys sorted.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from sqlalchemy import Connection, select

from tabletools.store import chain as chains
from tabletools.store.errors import StoreError
from tabletools.store.schema.chain import chain


class Checkpoint(NamedTuple):
    """store: digest of the first entry, by which a database is known. digest: of entry seq.

    at_ns: when it was signed, UTC.
    """

    store: str
    seq: int
    digest: str
    at_ns: int


def made(db: Connection, key: Ed25519PrivateKey, now_ns: int) -> str:
    """Return the checkpoint of the newest entry as a line. Raises StoreError for an empty one."""
    newest = chains.head(db)
    first = _digest_at(db, 1)
    if first is None:
        step = "make a checkpoint once something was written"
        raise StoreError("there is nothing to sign", "the chain has no entry", step)
    found = Checkpoint(first, newest.seq, newest.digest.hex(), now_ns)
    signature = key.sign(_signed(found)).hex()
    return json.dumps({"checkpoint": found._asdict(), "signature": signature})


def read(line: str, key: Ed25519PublicKey) -> Checkpoint:
    """Return a checkpoint from its line. Raises StoreError unless that key signed it."""
    try:
        told = json.loads(line)
        found = Checkpoint(**told["checkpoint"])
        signature = bytes.fromhex(told["signature"])
        well_made = [*map(type, found)] == [str, int, str, int]
    except (ValueError, TypeError, KeyError):
        well_made = False
    if not well_made:
        raise StoreError("this is no checkpoint", "the line is damaged", "name a file of them")
    try:
        key.verify(signature, _signed(found))
    except InvalidSignature:
        cause = "another key signed it, or somebody changed it"
        step = "keep the file for the auditor and name the public key of its host"
        raise StoreError("the signature of a checkpoint is wrong", cause, step) from None
    return found


def problems(db: Connection, wanted: Checkpoint) -> Iterator[str]:
    """Yield what is not as it was when a checkpoint was signed."""
    if _digest_at(db, 1) != wanted.store:
        yield "checkpoint: it is of another database, or this one was made anew"
        return
    found = _digest_at(db, wanted.seq)
    if found is None:
        newest = chains.head(db).seq
        yield f"checkpoint: entry {wanted.seq} was signed, the chain ends with {newest}"
    elif found != wanted.digest:
        yield f"checkpoint: entry {wanted.seq} is not the one that was signed"


def _signed(found: Checkpoint) -> bytes:
    shown: dict[str, Any] = found._asdict()
    return json.dumps(shown, sort_keys=True, separators=(",", ":")).encode()


def _digest_at(db: Connection, seq: int) -> str | None:
    found = db.execute(select(chain.c.digest).where(chain.c.seq == seq)).scalar()
    return None if found is None else bytes(found).hex()
