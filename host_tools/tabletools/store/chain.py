"""One entry of the chain for each transaction: which rows it wrote, and what they are now.

An entry has, by table, for rows that are never changed: their keys and one digest over them in
the order of their keys; for rows that may change: key and digest of each, now and before, null
for one that is not there. What a row was before shows that nothing else changed it since the
entry before, though the program wrote it again.

Digests are SHA-256; a row is the ASCII of the tuple of its values in the order of its columns
(integers, texts, bytes, NULL), which says the type of each and where it ends. An entry's digest
is over the digest of the entry before, then the ASCII of (seq, at_ns, rows).
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, text

from tabletools.store.engine import SQLITE
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import APPEND_ONLY, BLOB, INT
from tabletools.store.schema.chain import chain, key_names, value_columns

BEGINNING = bytes(32)
"""What the first entry follows."""
_LOCK = 0x636861696E  # key of an advisory lock: entries of PostgreSQL follow one another

Key = tuple[Any, ...]


class Head(NamedTuple):
    """The newest entry. seq: 0 before any."""

    seq: int
    digest: bytes


def digest_of(rows: Iterable[Sequence[Any]]) -> str:
    """Return the digest over rows in their order, as hex."""
    found = hashlib.sha256()
    for row in rows:
        found.update(ascii(tuple(row)).encode())
    return found.hexdigest()


def sealed(previous: bytes, seq: int, at_ns: int, rows: str) -> bytes:
    """Return the digest of an entry."""
    return hashlib.sha256(previous + ascii((seq, at_ns, rows)).encode()).digest()


def head(db: Connection) -> Head:
    """Return the newest entry."""
    row = db.execute(_HEAD).first()
    return Head(0, BEGINNING) if row is None else Head(int(row[0]), bytes(row[1]))


_HEAD = text("SELECT seq, digest FROM chain ORDER BY seq DESC LIMIT 1")


@cache
def columns(name: str) -> str:
    """Return the columns of a table, key first, as a list of SQL."""
    return ", ".join(f"t.{column}" for column in value_columns(METADATA.tables[name]))


def seal(db: Connection, now_ns: int) -> None:
    """Add the entry of the transaction that is about to be committed, if it wrote anything."""
    dirty = db.exec_driver_sql("SELECT DISTINCT name FROM chain_dirty").scalars().all()
    if not dirty:
        return
    rows = {name: _written(db, METADATA.tables[name]) for name in sorted(dirty)}
    if db.dialect.name == SQLITE:
        db.exec_driver_sql("DELETE FROM chain_dirty")
    else:
        db.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    written = json.dumps(rows, separators=(",", ":"))
    before = head(db)
    seq = before.seq + 1
    values = {
        "seq": seq, "at_ns": now_ns, "rows": written, "previous": before.digest,
        "digest": sealed(before.digest, seq, now_ns, written),
    }  # fmt: skip
    db.execute(chain.insert(), values)


def _written(db: Connection, table: Table) -> Any:
    """What an entry says of the rows of a table that the transaction wrote."""
    count = len(key_names(table))
    found: dict[Key, tuple[Any, ...] | None] = {}
    for row in db.exec_driver_sql(_changed(table.name, db.dialect.name)):
        values = tuple(row)
        # An outer join: of a row that is gone the keys are all there is.
        found[values[:count]] = None if values[count] is None else values[count:]
    if table.name in APPEND_ONLY:
        keys = sorted(found)
        return {"keys": packed(keys), "digest": digest_of(found[key] or () for key in keys)}
    was = _before(db, table, sorted(found))
    return [
        [key, None if (now := found[key]) is None else digest_of([now]), was[key]]
        for key in sorted(found)
    ]


def _before(db: Connection, table: Table, keys: Sequence[Key]) -> dict[Key, str | None]:
    """Return the digest of each row before the transaction, None for one that was not there."""
    are_bytes = [table.columns[name].type is BLOB for name in value_columns(table)]
    first: dict[tuple[str, ...], str | None] = {}
    query = f"SELECT k1, k2, k3, was FROM chain_dirty WHERE name = '{table.name}' ORDER BY number"
    for *key, was in db.exec_driver_sql(query):
        # Keys are noted as texts by PostgreSQL.
        first.setdefault(tuple(str(part) for part in key[: len(keys[0])]), was)
    found: dict[Key, str | None] = {}
    for each in keys:
        was = first[tuple(map(str, each))]
        found[each] = None if was is None else digest_of([_values(was, are_bytes)])
    return found


def _values(was: str, are_bytes: Sequence[bool]) -> list[Any]:
    return [
        bytes.fromhex(value) if is_bytes and value is not None else value
        for value, is_bytes in zip(json.loads(was), are_bytes, strict=True)
    ]


@cache
def _changed(name: str, dialect: str) -> str:
    """The rows of a table that are noted, each behind its key."""
    table = METADATA.tables[name]
    casts = []
    for place, key in enumerate(key_names(table), 1):
        is_number = isinstance(table.columns[key].type, type(INT))
        cast = "::bigint" if is_number and dialect != SQLITE else ""
        casts.append((f"k{place}{cast}", f"k{place}", key))
    keys = ", ".join(f"{cast} AS {short}" for cast, short, _ in casts)
    joined = " AND ".join(f"t.{key} = d.{short}" for _, short, key in casts)
    shown = ", ".join(f"d.{short}" for _, short, _ in casts)
    return (
        f"SELECT {shown}, {columns(name)} FROM (SELECT DISTINCT {keys} FROM chain_dirty"
        f" WHERE name = '{name}') d LEFT JOIN {name} t ON {joined}"
    )


def packed(keys: Sequence[Key]) -> Any:
    """Keys as they are kept: [first, last] of whole numbers without a gap, else {"each": keys}."""
    if keys and len(keys[0]) == 1 and isinstance(keys[0][0], int):
        first, last = keys[0][0], keys[-1][0]
        if last - first + 1 == len(keys):
            return [first, last]
    return {"each": keys}


def unpacked(kept: Any) -> list[Key]:
    """Keys as they were packed."""
    if isinstance(kept, dict):
        return [tuple(key) for key in kept["each"]]
    first, last = kept
    return [(number,) for number in range(first, last + 1)]
