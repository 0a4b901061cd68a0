"""Is every row what the chain says it is? In pieces, so that every processor takes part.

A piece is a range of entries. Checking one walks its links, compares the rows that are never
changed with their digests, and gives the newest digest of each row that may change, and what it
was before the piece. Those of all pieces together are compared with the rows at the end.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from tabletools.store import chain as chains
from tabletools.store.chain import BEGINNING, Head, Key
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import APPEND_ONLY
from tabletools.store.schema.chain import chain, chained, key_names

_MANY = 500
"""Keys of one query."""
_ENTRIES = 500
"""Entries whose rows are read together."""


class Entry(NamedTuple):
    """An entry as it is kept."""

    seq: int
    at_ns: int
    rows: str
    previous: bytes
    digest: bytes


@dataclass
class Walked:
    """What came of a piece. kept: rows that never change, by table. newest: digest of each row
    that may, by table and key; None for one that is gone. before: the entry that wrote it first,
    and what it was before that."""

    problems: list[str] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)
    newest: dict[str, dict[Key, str | None]] = field(default_factory=dict)
    before: dict[str, dict[Key, tuple[int, str | None]]] = field(default_factory=dict)

    def follow(self, later: "Walked") -> None:
        """Take what came of the piece after this one."""
        self.problems += later.problems
        self.kept += later.kept
        for name, rows in later.newest.items():
            newest = self.newest.setdefault(name, {})
            for key, (seq, was) in later.before[name].items():
                self._agree(name, key, seq, newest.get(key), was)
            newest.update(rows)

    def note(self, name: str, key: Key, seq: int, now: str | None, was: str | None) -> None:
        """An entry of this piece wrote a row that may change."""
        newest = self.newest.setdefault(name, {})
        if key in newest:
            self._agree(name, key, seq, newest[key], was)
        else:
            self.before.setdefault(name, {})[key] = seq, was
        newest[key] = now

    def _agree(self, name: str, key: Key, seq: int, wanted: str | None, was: str | None) -> None:
        if was != wanted:
            problem = "not as written before when changed again by entry"
            self.problems.append(f"{name} {shown([key])}: {problem} {seq} of the chain")


def walk(db: Connection, first: int, last: int) -> Walked:
    """Check the entries from first to last."""
    found = Walked()
    before = BEGINNING if first == 1 else _digest_at(db, first - 1)
    expected, group = first, list[tuple[int, str, Any]]()
    for entry in _entries(db, first, last):
        found.problems += _link(entry, expected, before)
        expected, before = entry.seq + 1, entry.digest
        group += _read(entry, found)
        if len(group) >= _ENTRIES:
            found.problems += _rows(db, group)
            group = []
    found.problems += _rows(db, group)
    if expected != last + 1:
        found.problems.append(f"chain: entries {expected} to {last} are missing")
    return found


def _entries(db: Connection, first: int, last: int) -> Iterator[Entry]:
    at = chain.c
    query = select(at.seq, at.at_ns, at.rows, at.previous, at.digest)
    query = query.where(at.seq.between(first, last)).order_by(at.seq)
    for row in db.execute(query.execution_options(yield_per=_ENTRIES)):
        yield Entry(row[0], row[1], row[2], bytes(row[3]), bytes(row[4]))


def _digest_at(db: Connection, seq: int) -> bytes | None:
    found = db.execute(select(chain.c.digest).where(chain.c.seq == seq)).scalar()
    return None if found is None else bytes(found)


def _link(entry: Entry, expected: int, before: bytes | None) -> Iterator[str]:
    if entry.seq != expected:
        yield f"chain: entries {expected} to {entry.seq - 1} are missing"
    elif entry.previous != before:
        yield f"chain: entry {entry.seq} does not follow the entry before it"
    if chains.sealed(entry.previous, entry.seq, entry.at_ns, entry.rows) != entry.digest:
        yield f"chain: entry {entry.seq} was changed"


def _read(entry: Entry, found: Walked) -> Iterator[tuple[int, str, Any]]:
    """Give what an entry says of rows that never change; keep what it says of the others."""
    try:
        told = json.loads(entry.rows)
        for name, rows in told.items():
            if name in APPEND_ONLY:
                found.kept[name] += len(chains.unpacked(rows["keys"]))
                yield entry.seq, name, rows
            else:
                for key, now, was in rows:
                    found.note(name, tuple(key), entry.seq, now, was)
    except (ValueError, TypeError, KeyError, AttributeError):
        found.problems.append(f"chain: entry {entry.seq} cannot be read")


def _rows(db: Connection, group: Sequence[tuple[int, str, Any]]) -> Iterator[str]:
    """Compare rows that never change with what their entries say."""
    wanted: dict[str, list[Key]] = {}
    read = [
        (seq, name, chains.unpacked(rows["keys"]), rows["digest"]) for seq, name, rows in group
    ]
    for _, name, keys, _ in read:
        wanted.setdefault(name, []).extend(keys)
    there = {name: dict(present(db, name, keys)) for name, keys in wanted.items()}
    for seq, name, keys, digest in read:
        rows = there[name]
        gone = [key for key in keys if key not in rows]
        if gone:
            yield f"{name} {shown(gone)}: removed since entry {seq} of the chain"
        elif chains.digest_of(rows[key] for key in keys) != digest:
            yield f"{name} {shown(keys)}: not as written in entry {seq} of the chain"


def present(
    db: Connection, name: str, keys: Sequence[Key]
) -> Iterator[tuple[Key, tuple[Any, ...]]]:
    """Yield the rows of a table that have these keys, each with its key."""
    columns, names = chains.columns(name), key_names(METADATA.tables[name])
    if len(names) == 1 and keys and isinstance(keys[0][0], int):
        low, high = min(keys)[0], max(keys)[0]
        if high - low < 4 * len(keys):
            query = f"SELECT {columns} FROM {name} t WHERE t.{names[0]} BETWEEN {low} AND {high}"
            yield from _keyed(db.exec_driver_sql(query), 1)
            return
    marks = ", ".join(["?" if db.dialect.name == "sqlite" else "%s"] * len(names))
    for start in range(0, len(keys), _MANY):
        some = keys[start : start + _MANY]
        listed = ", ".join([f"({marks})"] * len(some))
        where = f"({', '.join(f't.{each}' for each in names)}) IN (VALUES {listed})"
        values = tuple(value for key in some for value in key)
        query = f"SELECT {columns} FROM {name} t WHERE {where}"
        yield from _keyed(db.exec_driver_sql(query, values), len(names))


def _keyed(rows: Iterable[Any], count: int) -> Iterator[tuple[Key, tuple[Any, ...]]]:
    for row in rows:
        values = tuple(row)
        yield values[:count], values


def standing(db: Connection, walked: Walked) -> Iterator[str]:
    """Compare what stands with what came of all pieces: no row more, none less, none changed."""
    yield from walked.problems
    for table in chained():
        name = table.name
        if name in APPEND_ONLY:
            count = db.execute(select(func.count()).select_from(table)).scalar_one()
            if count > walked.kept[name]:
                more = count - walked.kept[name]
                yield f"{name}: {more} rows are in no entry of the chain"
        else:
            yield from _standing(db, name, walked.newest.get(name, {}))


def _standing(db: Connection, name: str, newest: Mapping[Key, str | None]) -> Iterator[str]:
    count = len(key_names(METADATA.tables[name]))
    seen = set()
    query = f"SELECT {chains.columns(name)} FROM {name} t"
    rows = db.exec_driver_sql(query, execution_options={"yield_per": 1000})
    for key, row in _keyed(rows, count):
        seen.add(key)
        if key not in newest:
            yield f"{name} {shown([key])}: in no entry of the chain"
        elif newest[key] != chains.digest_of([row]):
            yield f"{name} {shown([key])}: not as written last by the chain"
    for key, digest in newest.items():
        if digest is not None and key not in seen:
            yield f"{name} {shown([key])}: removed"


def shown(keys: Sequence[Key]) -> str:
    """Keys in words."""
    first = ", ".join(map(str, keys[0]))
    return first if len(keys) == 1 else f"{first} and {len(keys) - 1} more"


def reaches(db: Connection, head: Head) -> bool:
    """Whether the chain has that entry, with that digest."""
    return head.seq == 0 or _digest_at(db, head.seq) == head.digest
