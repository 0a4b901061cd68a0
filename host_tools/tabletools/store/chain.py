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

from sqlalchemy import Connection, Table

from tabletools.store.engine import SQLITE
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import APPEND_ONLY, BLOB, INT
from tabletools.store.schema.chain import chain, key_names, value_columns

BEGINNING = bytes(32)
"""What the first entry follows."""
_LOCK = 0x636861696E  # key of an advisory lock: entries of PostgreSQL follow one another

Key = tuple[Any, ...]
Rows = list[tuple[Any, ...]]
_WERE = "SELECT k1, k2, k3, was FROM chain_dirty WHERE name = '{}' ORDER BY number"


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
    return _head_of(_asked(db, [_HEAD])[0])


def _head_of(rows: Rows) -> Head:
    return Head(int(rows[0][0]), bytes(rows[0][1])) if rows else Head(0, BEGINNING)


_HEAD = "SELECT seq, digest FROM chain ORDER BY seq DESC LIMIT 1"


@cache
def columns(name: str) -> str:
    """Return the columns of a table, key first, as a list of SQL."""
    return ", ".join(f"t.{column}" for column in value_columns(METADATA.tables[name]))


def seal(db: Connection, now_ns: int) -> None:
    """Add the entry of the transaction that is about to be committed, if it wrote anything."""
    [dirty] = _asked(db, ["SELECT DISTINCT name FROM chain_dirty ORDER BY name"])
    if not dirty:
        return
    tables = [METADATA.tables[name] for (name,) in dirty]
    is_sqlite = db.dialect.name == SQLITE
    changeable = [table for table in tables if table.name not in APPEND_ONLY]
    last = "DELETE FROM chain_dirty" if is_sqlite else f"SELECT pg_advisory_xact_lock({_LOCK})"
    *found, _, newest = _asked(
        db,
        [
            *(_changed(table.name, db.dialect.name) for table in tables),
            *(_WERE.format(table.name) for table in changeable),
            last,
            _HEAD,
        ],
    )
    were = dict(zip((table.name for table in changeable), found[len(tables) :], strict=True))
    rows = {
        table.name: _written(table, found[place], were.get(table.name))
        for place, table in enumerate(tables)
    }
    before = _head_of(newest)
    written, seq = json.dumps(rows, separators=(",", ":")), before.seq + 1
    values = {
        "seq": seq, "at_ns": now_ns, "rows": written, "previous": before.digest,
        "digest": sealed(before.digest, seq, now_ns, written),
    }  # fmt: skip
    db.execute(chain.insert(), values)


def _asked(db: Connection, queries: Sequence[str]) -> list[Rows]:
    """Return the rows of each query; of PostgreSQL with one way to the server and back for all."""
    if db.dialect.name == SQLITE:
        found = (db.exec_driver_sql(query) for query in queries)
        return [[tuple(row) for row in rows] if rows.returns_rows else [] for rows in found]
    driver: Any = db.connection.driver_connection
    with driver.pipeline():
        cursors = [driver.cursor() for _ in queries]
        for cursor, query in zip(cursors, queries, strict=True):
            cursor.execute(query)
        return [cursor.fetchall() for cursor in cursors]


def _written(table: Table, rows: Rows, were: Rows | None) -> Any:
    """What an entry says of the rows of a table that the transaction wrote.

    rows: as they are, each behind its key. were: what was noted of those that may change.
    """
    count = len(key_names(table))
    # An outer join: of a row that is gone the keys are all there is.
    found = {row[:count]: None if row[count] is None else row[count:] for row in rows}
    keys = sorted(found)
    if were is None:
        return {"keys": packed(keys), "digest": digest_of(found[key] or () for key in keys)}
    was = _before(table, keys, were)
    return [
        [key, None if (now := found[key]) is None else digest_of([now]), was[key]] for key in keys
    ]


def _before(table: Table, keys: Sequence[Key], were: Rows) -> dict[Key, str | None]:
    """Return the digest of each row before the transaction, None for one that was not there."""
    are_bytes = [table.columns[name].type is BLOB for name in value_columns(table)]
    first: dict[tuple[str, ...], str | None] = {}
    for *key, was in were:
        # Keys are noted as texts by PostgreSQL.
        first.setdefault(tuple(str(part) for part in key[: len(keys[0])]), was)
    found: dict[Key, str | None] = {}
    for each in keys:
        noted = first[tuple(map(str, each))]
        found[each] = None if noted is None else digest_of([_values(noted, are_bytes)])
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
