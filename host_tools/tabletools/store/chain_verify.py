"""Compare every row with the chain, in segments that several processes can share.

A segment is a range of entries. Checking one verifies its links and compares append-only rows
with their digests. Of rows that may change it returns the newest digest and the digest before the
segment; once all segments are joined, those are compared with the rows.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, select
from sqlalchemy.exc import DBAPIError

from tabletools.store import chain as chains
from tabletools.store import removals
from tabletools.store.chain import BEGINNING, Appended, Key
from tabletools.store.engine import SQLITE
from tabletools.store.ranges import row_counts
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import APPEND_ONLY, INT
from tabletools.store.schema.chain import chain, chained, key_names

_KEYS_PER_QUERY = 500
_ENTRIES_PER_READ = 500
"""Number of entries whose rows are read together."""


class Entry(NamedTuple):
    """A row of the table `chain`."""

    seq: int
    at_ns: int
    rows: str
    previous: bytes
    digest: bytes


@dataclass
class Segment:
    """Entries that were checked.

    appended: number of append-only rows, by table, also of those that retention removed.
    lowest: the lowest of their keys, of tables with one number as key. newest: digest of each row
    that may change, by table and key; None for a deleted row. before: the first entry that wrote
    it, and its digest before that entry.
    """

    is_whole: bool = False
    """Whether it begins with the first entry: then no row was there before."""
    problems: list[str] = field(default_factory=list)
    appended: Counter[str] = field(default_factory=Counter)
    lowest: dict[str, int] = field(default_factory=dict)
    newest: dict[str, dict[Key, str | None]] = field(default_factory=dict)
    before: dict[str, dict[Key, tuple[int, str | None]]] = field(default_factory=dict)

    def extend(self, later: "Segment") -> None:
        """Add the segment after this one."""
        self.problems += later.problems
        self.appended += later.appended
        for name, lowest in later.lowest.items():
            self._note_lowest(name, lowest)
        for name, rows in later.newest.items():
            newest, first = self.newest.setdefault(name, {}), self.before.setdefault(name, {})
            for key, (seq, was) in later.before[name].items():
                if self.is_whole or key in newest:
                    self._compare_previous(name, key, seq, newest.get(key), was)
                else:
                    first[key] = seq, was
            newest.update(rows)

    def add_write(self, name: str, key: Key, seq: int, now: str | None, was: str | None) -> None:
        """Note that an entry wrote a row that may change."""
        newest = self.newest.setdefault(name, {})
        if key in newest:
            self._compare_previous(name, key, seq, newest[key], was)
        else:
            self.before.setdefault(name, {})[key] = seq, was
        newest[key] = now

    def add_new(self, name: str, keys: Sequence[Key]) -> None:
        """Note that an entry wrote append-only rows."""
        self.appended[name] += len(keys)
        if keys and len(keys[0]) == 1 and isinstance(keys[0][0], int):
            self._note_lowest(name, min(keys)[0])

    def _note_lowest(self, name: str, key: int) -> None:
        self.lowest[name] = min(key, self.lowest.get(name, key))

    def _compare_previous(
        self, name: str, key: Key, seq: int, expected: str | None, was: str | None
    ) -> None:
        if was != expected:
            problem = f"had been changed before entry {seq} of the chain wrote it again"
            self.problems.append(f"{name} {key_text([key])}: {problem}")


def check_entries(db: Connection, first: int, last: int) -> Segment:
    """Check the entries from first to last."""
    segment, removed = Segment(), removals.entries(db)
    before = BEGINNING if first == 1 else _digest_at(db, first - 1)
    expected, group = first, list[tuple[int, str, Appended]]()
    for entry in _entries(db, first, last):
        segment.problems += _check_link(entry, expected, before)
        expected, before = entry.seq + 1, entry.digest
        group += _parse(entry, segment, removed)
        if len(group) >= _ENTRIES_PER_READ:
            segment.problems += check_new_rows(db, group)
            group = []
    segment.problems += check_new_rows(db, group)
    if expected != last + 1:
        segment.problems.append(f"chain: entries {expected} to {last} are missing")
    return segment


def _entries(db: Connection, first: int, last: int) -> Iterator[Entry]:
    col = chain.c
    query = select(col.seq, col.at_ns, col.rows, col.previous, col.digest)
    query = query.where(col.seq.between(first, last)).order_by(col.seq)
    for row in db.execute(query.execution_options(yield_per=_ENTRIES_PER_READ)):
        yield Entry(row[0], row[1], row[2], bytes(row[3]), bytes(row[4]))


def _digest_at(db: Connection, seq: int) -> bytes | None:
    digest = db.execute(select(chain.c.digest).where(chain.c.seq == seq)).scalar()
    return None if digest is None else bytes(digest)


def _check_link(entry: Entry, expected: int, before: bytes | None) -> Iterator[str]:
    if entry.seq != expected:
        yield f"chain: entries {expected} to {entry.seq - 1} are missing"
    elif entry.previous != before:
        yield f"chain: entry {entry.seq} does not follow the entry before it"
    if chains.entry_digest(entry.previous, entry.seq, entry.at_ns, entry.rows) != entry.digest:
        yield f"chain: entry {entry.seq} was changed"


def _parse(
    entry: Entry, segment: Segment, removed: Mapping[str, int]
) -> Iterator[tuple[int, str, Appended]]:
    """Yield the part of an entry for append-only rows; add the part for others to the segment.

    removed: the last entry whose rows were removed, by table.
    """
    try:
        by_table = json.loads(entry.rows)
        for name, rows in by_table.items():
            if name in APPEND_ONLY:
                part = chains.appended(rows)
                _verify_types(METADATA.tables[name], part.keys)
                segment.add_new(name, part.keys)
                if entry.seq > removed.get(name, 0):
                    yield entry.seq, name, part
            else:
                for key, now, was in rows:
                    segment.add_write(name, tuple(key), entry.seq, now, was)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        segment.problems.append(f"chain: entry {entry.seq} cannot be read")


def _verify_types(table: Table, keys: Sequence[Key]) -> None:
    """Raise ValueError at keys that no row of the table can have."""
    names = key_names(table)
    are_numbers = [isinstance(table.columns[name].type, type(INT)) for name in names]
    for key in keys:
        if len(key) != len(are_numbers) or not all(map(_is_key_part, key, are_numbers)):
            raise ValueError(f"{key} is not a key of {table.name}")


def _is_key_part(part: object, is_number: bool) -> bool:
    if is_number:
        return type(part) is int and abs(part) < 2**63
    return isinstance(part, str)


def check_new_rows(db: Connection, group: Sequence[tuple[int, str, Appended]]) -> list[str]:
    """Compare append-only rows with their entries; returns the problems.

    group: number of an entry, table, and what the entry holds of it.
    """
    try:
        return list(_compare_new_rows(db, group))
    except DBAPIError as error:
        if not is_unreadable_text(error):
            raise
        if len(group) == 1:
            [(seq, name, _)] = group
            return [f"{name}: a row of entry {seq} of the chain: {error.orig}"]
    middle = len(group) // 2
    return check_new_rows(db, group[:middle]) + check_new_rows(db, group[middle:])


def _compare_new_rows(db: Connection, group: Sequence[tuple[int, str, Appended]]) -> Iterator[str]:
    wanted: dict[str, list[Key]] = {}
    for _, name, part in group:
        wanted.setdefault(name, []).extend(part.keys)
    stored = {name: dict(rows_by_key(db, name, keys)) for name, keys in wanted.items()}
    for seq, name, (keys, digest) in group:
        rows = stored[name]
        missing = [key for key in keys if key not in rows]
        if missing:
            yield f"{name} {key_text(missing)}: removed since entry {seq} of the chain"
        elif chains.digest_of(rows[key] for key in keys) != digest:
            yield f"{name} {key_text(keys)}: not as written in entry {seq} of the chain"


def rows_by_key(
    db: Connection, name: str, keys: Sequence[Key]
) -> Iterator[tuple[Key, tuple[Any, ...]]]:
    """Yield the rows of a table that have these keys, each with its key."""
    columns, names = chains.columns(name), key_names(METADATA.tables[name])
    if len(names) == 1 and keys and isinstance(keys[0][0], int):
        low, high = min(keys)[0], max(keys)[0]
        if high - low < 4 * len(keys):
            query = f"SELECT {columns} FROM {name} t WHERE t.{names[0]} BETWEEN {low} AND {high}"
            yield from _by_key(db.exec_driver_sql(query), 1)
            return
    # A join, and in this order: with `IN (VALUES ...)` SQLite reads the whole table.
    marks = ", ".join(["?" if db.dialect.name == SQLITE else "%s"] * len(names))
    wanted = ", ".join(f"k{place}" for place in range(len(names)))
    joined = " AND ".join(f"t.{name} = k.k{place}" for place, name in enumerate(names))
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        some = keys[start : start + _KEYS_PER_QUERY]
        listed = ", ".join([f"({marks})"] * len(some))
        query = (
            f"WITH k({wanted}) AS (VALUES {listed})"
            f" SELECT {columns} FROM k CROSS JOIN {name} t WHERE {joined}"
        )
        values = tuple(value for key in some for value in key)
        yield from _by_key(db.exec_driver_sql(query, values), len(names))


def _by_key(rows: Iterable[Any], count: int) -> Iterator[tuple[Key, tuple[Any, ...]]]:
    for row in rows:
        values = tuple(row)
        yield values[:count], values


@dataclass
class Contents:
    """The rows of a ledger up to an entry of its chain, so that a later one can be compared.

    appended: number of append-only rows ever written, by table. digests: of all rows of each
    other table.
    """

    appended: dict[str, int]
    digests: dict[str, str]


def check_rows(
    db: Connection, whole: Segment, since: Contents | None = None
) -> tuple[list[str], Contents]:
    """Compare the rows with the chain: none added, removed or changed; returns the problems.

    since: contents before the first entry of the segment; None for the whole chain.
    """
    contents, problems = Contents({}, {}), [*whole.problems]
    removed, tables = removals.counts(db), chained()
    counts = row_counts(db, [table for table in tables if table.name in APPEND_ONLY])
    for table in tables:
        name = table.name
        if name in APPEND_ONLY:
            before = 0 if since is None else since.appended.get(name, 0)
            contents.appended[name] = before + whole.appended[name]
            wanted = contents.appended[name] - removed.get(name, 0)
            problems += _counts(name, counts[name] - wanted, is_whole=since is None)
        else:
            try:
                problems += _check_changeable(db, name, whole, since, contents)
            except DBAPIError as error:
                if not is_unreadable_text(error):
                    raise
                problems.append(f"{name}: {error.orig}")
    return problems, contents


def _counts(name: str, more: int, *, is_whole: bool) -> Iterator[str]:
    """more: rows above those that the chain names."""
    if more > 0:
        yield f"{name}: {more} rows are in no entry of the chain"
    elif more < 0 and not is_whole:  # else each is named by its entry
        yield f"{name}: {-more} rows were removed since the last verification"


def is_unreadable_text(error: DBAPIError) -> bool:
    """Whether a text of SQLite is not UTF-8: an error of the row, not of the database."""
    return "decode" in str(error.orig)


def _check_changeable(
    db: Connection, name: str, whole: Segment, since: Contents | None, contents: Contents
) -> Iterator[str]:
    """Compare rows that may change; notes the digest of all of them in the contents."""
    newest, rows = whole.newest.get(name, {}), dict[Key, str | None]()
    query = f"SELECT {chains.columns(name)} FROM {name} t"
    stored = db.exec_driver_sql(query, execution_options={"yield_per": 1000})
    for key, row in _by_key(stored, len(key_names(METADATA.tables[name]))):
        rows[key] = digest = chains.digest_of([row])
        if key in newest:
            if newest[key] != digest:
                yield f"{name} {key_text([key])}: not as written in its newest entry of the chain"
        elif since is None:
            yield f"{name} {key_text([key])}: in no entry of the chain"
    for key, digest_now in newest.items():
        if digest_now is not None and key not in rows:
            yield f"{name} {key_text([key])}: removed"
    contents.digests[name] = _digest_of_rows(rows)
    if since is not None:
        before = {key: was for key, (_, was) in whole.before.get(name, {}).items()}
        if _digest_of_rows(rows | before) != since.digests.get(name, _NO_ROWS):
            yield (
                f"{name}: rows that no entry wrote since the last verification were changed; "
                "verify without --state to name them"
            )


def _digest_of_rows(digests: Mapping[Key, str | None]) -> str:
    """Return the digest of all rows of a table. digests: of each row; None: there is none."""
    rows = sorted((key, digest) for key, digest in digests.items() if digest is not None)
    return chains.digest_of(rows)


_NO_ROWS = _digest_of_rows({})


def key_text(keys: Sequence[Key]) -> str:
    """Return keys for a message: the first one and how many more."""
    first = ", ".join(map(str, keys[0]))
    return first if len(keys) == 1 else f"{first} and {len(keys) - 1} more"
