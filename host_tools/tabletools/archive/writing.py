"""Archives: what the entries of the chain of one month wrote, as a folder that proves itself.

`chain.parquet` has the entries, `TABLE.parquet` the rows of a table in the order of the entries
that wrote them, and `manifest.json` the digests before the first and of the last entry, the
digest of each file and who signed it; `manifest.sig` is the signature, Ed25519 over the bytes of
the manifest, as hex. So every row is proved without the database: by its entry, by the chain, by
the signature. Months follow each other without a gap: each begins with the digest by which the
one before it ends.

The rows stay in the ledger: its balances, settlements and signatures follow from all of them.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Connection, Table, func, select

from tabletools.errors import ToolError
from tabletools.store import chain as chains
from tabletools.store import checkpoint
from tabletools.store.chain import BEGINNING, Key
from tabletools.store.chain_verify import Entry, rows_by_key
from tabletools.store.errors import StoreError
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import APPEND_ONLY, BLOB, INT
from tabletools.store.schema.chain import chain, key_names, value_columns

if TYPE_CHECKING:
    import pyarrow
    from pyarrow import parquet

FORMAT = "tablewire archive 1"
MANIFEST, SIGNATURE, ENDING = "manifest.json", "manifest.sig", ".parquet"
LEFT_OUT = frozenset(
    ("deliveries", "idempotency_keys", "outbox", "pins", "sessions", "user_keys", "users")
)
"""Not archived: secrets of users, and what only serves other systems and repeated requests."""
_ENTRIES = 500
"""Entries whose rows are read together."""
_ROWS = 20_000
"""Rows in a row group of Parquet."""


class TableFile(msgspec.Struct, frozen=True):
    """The file of one table. keys: columns of its key, which are the first. sha256: hex."""

    rows: int
    keys: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What an archive says of itself. Digests are hex."""

    format: str = msgspec.field(name="is")
    ledger: str
    """Digest of the first entry of the ledger."""
    month: str
    first: int
    last: int
    """Its entries."""
    before: str
    after: str
    """Digests of the entry before the first, and of the last."""
    at_ns: int
    public_key: str
    left_out: frozenset[str]
    changed_later: dict[str, int]
    """Rows that a later entry changed, by table: its month has them."""
    files: dict[str, TableFile]


class Month(NamedTuple):
    """A calendar month, UTC. start_ns, end_ns: of it, since 1970."""

    name: str
    start_ns: int
    end_ns: int

    @classmethod
    def of(cls, name: str) -> "Month":
        """Return the month YYYY-MM; raises ValueError."""
        start = datetime.strptime(name, "%Y-%m").replace(tzinfo=UTC)
        end = start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
        return cls(
            f"{start:%Y-%m}", *(int(each.timestamp()) * 1_000_000_000 for each in (start, end))
        )


class Written(NamedTuple):
    """What was archived. changed_later: rows that a later entry changed: its month has them."""

    first: int
    last: int
    rows: int
    changed_later: int


def write(
    db: Connection, month: Month, folder: Path, key: Ed25519PrivateKey, now_ns: int
) -> Written:
    """Archive a month of a ledger in a new folder. Raises StoreError, ToolError, OSError."""
    first, last = _entries_of(db, month)
    if folder.exists():
        what, step = "there is such a folder already", "name another; it was left unchanged"
        raise ToolError(what, where=str(folder), step=step)
    part = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    part.mkdir(mode=0o700)
    try:
        with _Files(part) as files:
            changed_later = _write_rows(db, files, first, last)
        manifest = Manifest(
            format=FORMAT,
            ledger=checkpoint.ledger_of(db),
            month=month.name,
            first=first,
            last=last,
            before=BEGINNING.hex() if first == 1 else _digest_at(db, first - 1),
            after=_digest_at(db, last),
            at_ns=now_ns,
            public_key=key.public_key().public_bytes_raw().hex(),
            left_out=LEFT_OUT,
            changed_later=changed_later,
            files={each: files.described(each) for each in files.rows},
        )
        facts = msgspec.to_builtins(manifest, order="deterministic")
        data = json.dumps(facts, indent=1, sort_keys=True).encode("ascii")
        _write_file(part / MANIFEST, data)
        _write_file(part / SIGNATURE, key.sign(data).hex().encode("ascii"))
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    rows = sum(files.rows.values()) - files.rows[chain.name]
    return Written(first, last, rows, sum(changed_later.values()))


def _entries_of(db: Connection, month: Month) -> tuple[int, int]:
    """Return the first and the last entry of a month. Raises StoreError.

    Where the clock was set back, an entry belongs to the later of two months: so months never
    overlap.
    """
    firsts = [
        db.execute(select(func.min(chain.c.seq)).where(chain.c.at_ns >= time_ns)).scalar()
        for time_ns in (month.start_ns, month.end_ns)
    ]
    if firsts[1] is None:
        raise StoreError(
            f"{month.name} is not over in this ledger",
            "no entry of its chain is later",
            "archive an earlier month, or wait until a host has signed a checkpoint after it",
        )
    if firsts[0] == firsts[1]:
        raise StoreError(f"there is nothing of {month.name}", "no host ran", "name another month")
    assert firsts[0] is not None
    return int(firsts[0]), int(firsts[1]) - 1


def _digest_at(db: Connection, seq: int) -> str:
    digest = chains.digest_at(db, seq)
    if digest is None:
        raise StoreError(
            f"entry {seq} of the chain is missing",
            "another program changed the database, or its disk failed",
            "run `tabletool ledger verify`; nothing was archived",
        )
    return digest


def _write_rows(db: Connection, files: "_Files", first: int, last: int) -> dict[str, int]:
    """Write the entries, and what they wrote; returns rows changed later, by table."""
    newest: dict[str, dict[Key, str]] = {}
    for start in range(first, last + 1, _ENTRIES):
        entries = list(_entries(db, start, min(start + _ENTRIES - 1, last)))
        files.add(chain, entries)
        parts = [(entry.seq, json.loads(entry.rows)) for entry in entries]
        _append(db, files, parts)
        for _, by_table in parts:
            for name, rows in by_table.items():
                if name not in APPEND_ONLY and name not in LEFT_OUT:
                    newest.setdefault(name, {}).update((tuple(key), now) for key, now, _ in rows)
    changed = {name: _write_changeable(db, files, name, rows) for name, rows in newest.items()}
    return {name: count for name, count in changed.items() if count}


def _entries(db: Connection, first: int, last: int) -> Iterator[Entry]:
    query = select(*(chain.c[name] for name in Entry._fields)).order_by(chain.c.seq)
    for row in db.execute(query.where(chain.c.seq.between(first, last))):
        yield Entry(row[0], row[1], row[2], bytes(row[3]), bytes(row[4]))


def _append(db: Connection, files: "_Files", entries: list[tuple[int, dict[str, Any]]]) -> None:
    wanted: dict[str, list[Key]] = {}
    groups = [
        (seq, name, chains.appended(rows))
        for seq, by_table in entries
        for name, rows in by_table.items()
        if name in APPEND_ONLY and name not in LEFT_OUT
    ]
    for _, name, part in groups:
        wanted.setdefault(name, []).extend(part.keys)
    stored = {name: dict(rows_by_key(db, name, keys)) for name, keys in wanted.items()}
    for seq, name, (keys, digest) in groups:
        rows = [stored[name].get(key) for key in keys]
        if None in rows or chains.digest_of(row for row in rows if row is not None) != digest:
            raise StoreError(
                f"{name}: rows are not as written in entry {seq} of the chain",
                "another program changed the database, or its disk failed",
                "run `tabletool ledger verify`; nothing was archived",
            )
        files.add(METADATA.tables[name], rows)


def _write_changeable(
    db: Connection, files: "_Files", name: str, newest: Mapping[Key, str | None]
) -> int:
    """Write the rows that are as the month left them; returns the number of the others."""
    later, keys = 0, sorted(newest)
    for start in range(0, len(keys), _ENTRIES):
        some = keys[start : start + _ENTRIES]
        stored = dict(rows_by_key(db, name, some))
        unchanged = [
            stored[key]
            for key in some
            if key in stored and chains.digest_of([stored[key]]) == newest[key]
        ]
        later += len(some) - len(unchanged)
        files.add(METADATA.tables[name], unchanged)
    return later


class _Files:
    """The Parquet files of an archive, written side by side. rows: number in each, by table."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writers: dict[str, parquet.ParquetWriter] = {}
        self._waiting: dict[str, list[Any]] = {}
        self.rows: dict[str, int] = {}

    def __enter__(self) -> "_Files":
        return self

    def __exit__(self, *_error: object) -> None:
        for name in list(self._waiting):
            self._write(name)
        for writer in self._writers.values():
            writer.close()

    def add(self, table: Table, rows: list[Any]) -> None:
        """Add rows of a table, in the order of `value_columns`."""
        if rows:
            self._waiting.setdefault(table.name, []).extend(rows)
            self.rows[table.name] = self.rows.get(table.name, 0) + len(rows)
            if len(self._waiting[table.name]) >= _ROWS:
                self._write(table.name)

    def described(self, name: str) -> TableFile:
        """Return what the manifest says of the file of a table."""
        with open(self._folder / f"{name}{ENDING}", "rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        table = METADATA.tables[name]
        return TableFile(self.rows[name], len(key_names(table)), digest)

    def _write(self, name: str) -> None:
        pa, pq = libraries()
        rows = self._waiting.pop(name)
        columns = value_columns(METADATA.tables[name])
        fields = [(column, _kind(pa, METADATA.tables[name], column)) for column in columns]
        schema = pa.schema(fields)
        if name not in self._writers:
            file = self._folder / f"{name}{ENDING}"
            self._writers[name] = pq.ParquetWriter(file, schema, compression="zstd")
        arrays = [
            pa.array(values, kind)
            for values, (_, kind) in zip(zip(*rows, strict=True), fields, strict=True)
        ]
        self._writers[name].write_table(pa.Table.from_arrays(arrays, schema=schema))


def _kind(pa: Any, table: Table, column: str) -> "pyarrow.DataType":
    kind = table.columns[column].type
    if kind is BLOB:
        return pa.binary()
    return pa.int64() if isinstance(kind, type(INT)) else pa.string()


def _write_file(file: Path, data: bytes) -> None:
    with open(file, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def libraries() -> tuple[Any, Any]:
    """Return pyarrow and its Parquet module."""
    import pyarrow
    from pyarrow import parquet

    return pyarrow, parquet
