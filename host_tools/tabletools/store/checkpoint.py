"""Signed checkpoints: the newest entry of the chain at a time, to be stored outside the database.

The owner of a database can forge rows and compute a new chain over them, but not one that
contains the entry that was signed. So a checkpoint proves everything up to that entry. Each is a
line of JSON, signed with Ed25519 over the UTF-8 of `checkpoint` without spaces, its keys sorted.

A running host adds the root of a tree over the entries since its checkpoint before: so each of
them is proved by a few digests, without the entries between.
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

from tabletools import hash_tree
from tabletools.store import chain as chains
from tabletools.store.errors import StoreError
from tabletools.store.schema.chain import chain


class Checkpoint(NamedTuple):
    """store: digest of the first entry, which identifies the database. digest: of entry seq.

    at_ns: time of signing, UTC. entries: how many the tree has, up to seq; 0 without a tree, as in
    those of release 1.0. root: of the tree over their digests, see `hash_tree`.
    """

    store: str
    seq: int
    digest: str
    at_ns: int
    entries: int = 0
    root: str = ""


def sign(db: Connection, key: Ed25519PrivateKey, now_ns: int, after: int | None = None) -> str:
    """Return a signed checkpoint of the newest entry, one line. Raises StoreError if none.

    after: the last entry that is in an earlier tree, None for a checkpoint without a tree.
    """
    newest = chains.head(db)
    first = chains.digest_at(db, 1)
    if first is None:
        step = "make a checkpoint after the first write"
        raise StoreError("there is nothing to sign", "the chain has no entry", step)
    checkpoint = Checkpoint(first, newest.seq, newest.digest.hex(), now_ns)
    if after is not None and after < newest.seq:
        after = max(after, newest.seq - MOST_LEAVES)
        root = hash_tree.root(digests(db, after + 1, newest.seq)).hex()
        checkpoint = checkpoint._replace(entries=newest.seq - after, root=root)
    signature = key.sign(_signed_bytes(checkpoint)).hex()
    return json.dumps({"checkpoint": _facts(checkpoint), "signature": signature})


def digests(db: Connection, first: int, last: int) -> Iterator[bytes]:
    """Yield the digests of entries, the leaves of a tree."""
    query = select(chain.c.digest).where(chain.c.seq.between(first, last)).order_by(chain.c.seq)
    for digest in db.execute(query.execution_options(yield_per=1000)).scalars():
        yield bytes(digest)


MOST_LEAVES = 50_000
"""Most entries in a tree: a host signs in a transaction, and a ledger of release 1.0 has millions
without a checkpoint. This many take 0.2 s; a minute of a large house has some thousand."""
_OF_EVENTS = frozenset(("outbox", "deliveries"))
_MOST_ENTRIES = 50
"""Most entries read to find that a ledger is idle."""


def ledger_of(db: Connection) -> str:
    """Return what identifies a ledger: the digest of its first entry, "" before any."""
    return chains.digest_at(db, 1) or ""


def head_seq(db: Connection) -> int:
    """Return the number of the newest entry, 0 before any."""
    return chains.head(db).seq


def is_idle(db: Connection, after: int) -> bool:
    """Whether nothing but events and their delivery was written after an entry."""
    query = select(chain.c.rows).where(chain.c.seq > after).limit(_MOST_ENTRIES)
    rows = db.execute(query).scalars().all()
    return len(rows) < _MOST_ENTRIES and all(_OF_EVENTS.issuperset(json.loads(r)) for r in rows)


def parse(line: str, key: Ed25519PublicKey) -> Checkpoint:
    """Return the checkpoint in a line. Raises StoreError unless that key signed it."""
    try:
        record = json.loads(line)
        checkpoint = Checkpoint(**record["checkpoint"])
        signature = bytes.fromhex(record["signature"])
        is_valid = [*map(type, checkpoint)] == [str, int, str, int, int, str]
    except (ValueError, TypeError, KeyError, RecursionError):
        is_valid = False
    if not is_valid:
        raise StoreError(
            "this is not a checkpoint", "the line is damaged", "name a file of checkpoints"
        )
    try:
        key.verify(signature, _signed_bytes(checkpoint))
    except InvalidSignature:
        cause = "another key signed it, or it was changed"
        step = "keep the file for the auditor and name the public key of its host"
        raise StoreError("the signature of a checkpoint is wrong", cause, step) from None
    return checkpoint


def problems(db: Connection, checkpoint: Checkpoint) -> Iterator[str]:
    """Yield how the chain differs from a checkpoint."""
    if chains.digest_at(db, 1) != checkpoint.store:
        yield "checkpoint: of another database, or this one was written again"
        return
    digest = chains.digest_at(db, checkpoint.seq)
    if digest is None:
        newest = chains.head(db).seq
        yield f"checkpoint: entry {checkpoint.seq} was signed, the chain ends with {newest}"
    elif digest != checkpoint.digest:
        yield f"checkpoint: entry {checkpoint.seq} is not the one that was signed"


def _signed_bytes(checkpoint: Checkpoint) -> bytes:
    return json.dumps(_facts(checkpoint), sort_keys=True, separators=(",", ":")).encode()


def _facts(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return what a line has of it."""
    facts: dict[str, Any] = checkpoint._asdict()
    return facts if checkpoint.entries else dict(list(facts.items())[:4])
