"""The chain: one entry for each transaction, with a digest of every row it wrote.

An entry has, by table, for append-only rows: their keys and one digest over all of them in key
order; for rows that may change: the key of each with its digest now and before, null for a row
that does not exist. The digest before proves that no other program changed the row since the
last entry that names it, even if this program wrote it again.

Digests are SHA-256. A row is hashed as the ASCII of the tuple of its values in column order
(integers, texts, bytes, NULL), which shows the type and the end of each. NULLs at its end are left
out: a column that a later release adds changes the digest of no row that exists. The digest of an
entry is over the digest of the entry before it, then the ASCII of (seq, at_ns, rows).
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, select

from tabletools.store.engine import SQLITE
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import APPEND_ONLY, BLOB, INT
from tabletools.store.schema.chain import KEYS, chain, key_names, noted_columns, value_columns

BEGINNING = bytes(32)
"""The previous digest of the first entry."""
_LOCK = f"SELECT pg_advisory_xact_lock({0x636861696E})"
"""On PostgreSQL it orders the entries."""

Key = tuple[Any, ...]
Row = Sequence[Any]
Rows = list[tuple[Any, ...]]


class Head(NamedTuple):
    """The newest entry. seq: 0 before any."""

    seq: int
    digest: bytes


def digest_of(rows: Iterable[Row]) -> str:
    """Return the digest over rows in this order, as hex."""
    return _digests_of([rows])[0]


def _digests_of(groups: Iterable[Iterable[Row]]) -> list[str]:
    """Return the digest over the rows of each group, as hex."""
    digests = []
    for rows in groups:
        texts = []
        for row in rows:
            count = len(row)
            while count and row[count - 1] is None:
                count -= 1
            texts.append(ascii(tuple(row[:count])))
        digests.append(hashlib.sha256("".join(texts).encode()).hexdigest())
    return digests


def entry_digest(previous: bytes, seq: int, at_ns: int, rows: str) -> bytes:
    """Return the digest of an entry."""
    return hashlib.sha256(previous + ascii((seq, at_ns, rows)).encode()).digest()


def head(db: Connection) -> Head:
    """Return the newest entry."""
    return _head_of(_query_all(db, [_HEAD])[0])


def _head_of(rows: Rows) -> Head:
    return Head(int(rows[0][0]), bytes(rows[0][1])) if rows else Head(0, BEGINNING)


def digest_at(db: Connection, seq: int) -> str | None:
    """Return the digest of an entry as hex, None if there is no such entry."""
    digest = db.execute(select(chain.c.digest).where(chain.c.seq == seq)).scalar()
    return None if digest is None else bytes(digest).hex()


# PostgreSQL vacuums no temporary table: the notes of a bet, deleted, leave 1 KB of its file that
# every later query of the connection reads. To cut the file off takes as long as a commit.
_TRUNCATED_EVERY = 200
_ENTRIES = "entries"
"""Key in the info of a connection: how many entries it added."""
_HEAD = "SELECT seq, digest FROM chain ORDER BY seq DESC LIMIT 1"


@cache
def columns(name: str) -> str:
    """Return the columns of a table as an SQL list, key first."""
    return ", ".join(f"t.{column}" for column in value_columns(METADATA.tables[name]))


def lock(db: Connection) -> None:
    """Have no other transaction of PostgreSQL that wrote end before this one."""
    db.exec_driver_sql(_LOCK)


def forget_notes(db: Connection) -> None:
    """Forget what a connection of PostgreSQL noted while tables were made or upgraded."""
    if db.dialect.name != SQLITE:
        db.exec_driver_sql("DELETE FROM chain_dirty")


def add_entry(db: Connection, now_ns: int, *, is_locked: bool = False) -> None:
    """Add an entry for the transaction about to be committed, if it wrote anything.

    is_locked: whether it has the `lock` already.
    """
    [dirty] = _query_all(db, ["SELECT DISTINCT name FROM chain_dirty ORDER BY name"])
    if not dirty:
        return
    tables = [METADATA.tables[name] for (name,) in dirty]
    is_sqlite = db.dialect.name == SQLITE
    changeable = [table for table in tables if table.name not in APPEND_ONLY]
    lock = [] if is_sqlite or is_locked else [_LOCK]
    answers = _query_all(
        db,
        [
            *(_changed_rows(table.name, db.dialect.name) for table in tables),
            *(_old_values(table.name) for table in changeable),
            *lock,
            _HEAD,
        ],
        last=_emptying(db),
    )
    names = (table.name for table in changeable)  # fewer than the answers behind those of tables
    old = dict(zip(names, answers[len(tables) :], strict=False))
    written = [
        _written_rows(table, rows, old.get(table.name), is_typed=is_sqlite)
        for table, rows in zip(tables, answers[: len(tables)], strict=True)
    ]
    before = _head_of(answers[-1])
    rows, seq = json.dumps(_parts(written), separators=(",", ":")), before.seq + 1
    values = {
        "seq": seq,
        "at_ns": now_ns,
        "rows": rows,
        "previous": before.digest,
        "digest": entry_digest(before.digest, seq, now_ns, rows),
    }
    db.execute(chain.insert(), values)


def _emptying(db: Connection) -> str:
    """Return the statement that empties the notes of a connection, for its next transaction."""
    if db.dialect.name != SQLITE:
        info = db.connection.info
        info[_ENTRIES] = info.get(_ENTRIES, 0) + 1
        if info[_ENTRIES] % _TRUNCATED_EVERY == 0:
            return "TRUNCATE chain_dirty"
    return "DELETE FROM chain_dirty"


def _query_all(db: Connection, queries: Sequence[str], last: str = "") -> list[Rows]:
    """Return the rows of each query; PostgreSQL answers all of them in one round trip.

    last: a statement without rows, carried out after them.
    """
    driver: Any = db.connection.driver_connection  # its rows are tuples
    if db.dialect.name == SQLITE:
        rows = [driver.execute(query).fetchall() for query in queries]
        if last:
            driver.execute(last)
        return rows
    with driver.pipeline():
        cursors = [driver.cursor() for _ in queries]
        for cursor, query in zip(cursors, queries, strict=True):
            cursor.execute(query)
        if last:
            driver.cursor().execute(last)
        return [cursor.fetchall() for cursor in cursors]


class Appended(NamedTuple):
    """The rows of an append-only table in an entry. digest: over all of them, hex."""

    keys: list[Key]
    digest: str


class _Written(NamedTuple):
    """The rows of one table that a transaction wrote, in the order of their keys."""

    table: str
    keys: list[Key]
    now: list[Row | None]
    """None for a row that was deleted."""
    before: list[Row | None] | None
    """The same rows before the transaction, None for one it inserted; None if append-only."""


def _written_rows(
    table: Table, rows: Rows, old_values: Rows | None, *, is_typed: bool
) -> _Written:
    """Return the rows of one table that the transaction wrote.

    rows: as they are now, each after its key. old_values: as noted by the triggers, None for an
    append-only table. is_typed: they were noted with their types, not as text.
    """
    count = len(key_names(table))
    # The query is an outer join: for a deleted row only its key.
    by_key = {row[:count]: None if row[count] is None else row[count:] for row in rows}
    keys = sorted(by_key)
    if old_values is None:
        return _Written(table.name, keys, [by_key[key] for key in keys], None)
    types = [table.columns[name].type for name in value_columns(table)]
    first: dict[tuple[str, ...], Row | None] = {}
    for row in old_values:
        # PostgreSQL notes keys as text.
        name, existed, values = tuple(map(str, row[:count])), row[KEYS], row[KEYS + 1 :]
        first.setdefault(name, values if existed else None)
    before = [first[tuple(map(str, key))] for key in keys]
    if not is_typed:
        before = [row and tuple(map(_from_text, row, types)) for row in before]
    return _Written(table.name, keys, [by_key[key] for key in keys], before)


def _parts(written: Sequence[_Written]) -> dict[str, Any]:
    """Return what an entry holds, by table."""
    groups: list[Iterable[Row]] = []
    for each in written:
        if each.before is None:
            groups.append([row or () for row in each.now])
        else:
            groups += [[row] for row in (*each.now, *each.before) if row is not None]
    digests = iter(_digests_of(groups))
    parts: dict[str, Any] = {}
    for name, keys, now, before in written:
        if before is None:
            parts[name] = {"keys": pack_keys(keys), "digest": next(digests)}
            continue
        both = [None if row is None else next(digests) for row in (*now, *before)]
        parts[name] = list(zip(keys, both[: len(keys)], both[len(keys) :], strict=True))
    return parts


def _from_text(value: str | None, kind: object) -> int | str | bytes | None:
    """Return a value that PostgreSQL noted as text, bytes as hex."""
    if value is None:
        return None
    if kind is BLOB:
        return bytes.fromhex(value)
    return int(value) if isinstance(kind, type(INT)) else value


@cache
def _old_values(name: str) -> str:
    """Return the query for the old values of changed rows of a table, each after its key."""
    was = ", ".join(noted_columns(METADATA.tables[name]))
    return (
        f"SELECT k1, k2, k3, existed, {was} FROM chain_dirty WHERE name = '{name}' ORDER BY number"
    )


@cache
def _changed_rows(name: str, dialect: str) -> str:
    """Return the query for the rows of a table that the transaction wrote, each after its key."""
    table = METADATA.tables[name]
    casts = []
    for place, key in enumerate(key_names(table), 1):
        is_number = isinstance(table.columns[key].type, type(INT))
        cast = "::bigint" if is_number and dialect != SQLITE else ""
        casts.append((f"k{place}{cast}", f"k{place}", key))
    keys = ", ".join(f"{cast} AS {short}" for cast, short, _ in casts)
    joined = " AND ".join(f"t.{key} = d.{short}" for _, short, key in casts)
    listed = ", ".join(f"d.{short}" for _, short, _ in casts)
    # An append-only row is noted once, when it is inserted.
    distinct = "" if name in APPEND_ONLY else "DISTINCT "
    return (
        f"SELECT {listed}, {columns(name)} FROM (SELECT {distinct}{keys} FROM chain_dirty"
        f" WHERE name = '{name}') d LEFT JOIN {name} t ON {joined}"
    )


MOST_ROWS = 1_000_000
"""Most rows of one table that one transaction writes: the largest round has some 20,000 bets."""


def pack_keys(keys: Sequence[Key]) -> Any:
    """Return keys as stored in an entry: [first, last] if consecutive, else {"each": keys}."""
    if keys and len(keys[0]) == 1 and isinstance(keys[0][0], int):
        first, last = keys[0][0], keys[-1][0]
        if last - first + 1 == len(keys):
            return [first, last]
    return {"each": keys}


def unpack_keys(packed: Any) -> list[Key]:
    """Return the keys that pack_keys packed; raise ValueError at invalid ones."""
    if isinstance(packed, dict):
        return [tuple(key) for key in packed["each"]]
    first, last = packed
    if last - first >= MOST_ROWS:
        raise ValueError(f"{last - first + 1} rows in one entry")
    return [(number,) for number in range(first, last + 1)]


def appended(part: Any) -> Appended:
    """Return what an entry holds of an append-only table.

    part: from its JSON. Raises ValueError, TypeError, KeyError at an invalid one.
    """
    return Appended(unpack_keys(part["keys"]), part["digest"])
