"""Find the entry of the chain that proves a row, by the time at which the row was written."""

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from tabletools.store import chain as chains
from tabletools.store.chain import Key
from tabletools.store.chain_verify import Entry
from tabletools.store.schema.base import APPEND_ONLY
from tabletools.store.schema.chain import chain

MOST_READ = 200
"""Number of entries read from the first one at or after the time of the row."""
_BLOCK = 20
"""Entries of a query: a row is mostly in the first one at or after its time."""


class Part(NamedTuple):
    """An entry of the chain, and what it wrote by table."""

    entry: Entry
    groups: dict[str, Any]


class Entries:
    """The entries of a chain, each read once, and where append-only rows are in those read."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._newest = chains.head(db).seq
        self._parts: dict[int, Part] = {}
        self._times_ns: dict[int, int] = {}
        self._by_row: dict[tuple[str, Key], int] = {}

    def part(self, seq: int) -> Part | None:
        """Return an entry; None after the newest."""
        if seq not in self._parts:
            query = select(*(chain.c[name] for name in Entry._fields))
            block = query.where(chain.c.seq >= seq).order_by(chain.c.seq).limit(_BLOCK)
            for row in self._db.execute(block):
                self._add(Entry(row[0], row[1], row[2], bytes(row[3]), bytes(row[4])))
        return self._parts.get(seq)

    def _add(self, entry: Entry) -> None:
        self._parts[entry.seq] = Part(entry, json.loads(entry.rows))
        self._times_ns[entry.seq] = entry.at_ns
        for name, group in self._parts[entry.seq].groups.items():
            if name in APPEND_ONLY:
                keys = chains.appended(group).keys
                self._by_row.update(((name, key), entry.seq) for key in keys)

    def of_row(self, table: str, key: Key, at_ns: int) -> Part | None:
        """Return the entry that names a row of an append-only table, None if it is not found.

        at_ns: time in the row, read before its transaction ended. If the clock was set back in
        between, the entry may not be found here; `tabletool ledger verify` reads every one.
        """
        assert table in APPEND_ONLY
        seq = self._by_row.get((table, key))
        if seq is not None:
            return self._parts[seq]
        first = self.first_at(at_ns)
        for later in range(first, min(first + MOST_READ, self._newest + 1)):
            self.part(later)
            if (seq := self._by_row.get((table, key))) is not None:
                return self._parts[seq]
        return None

    def first_at(self, at_ns: int) -> int:
        """Return the first entry made at a time or later; entries are numbered without a gap."""
        low, high = 1, self._newest + 1
        while low < high:
            middle = (low + high) // 2
            if self._time_ns(middle) < at_ns:
                low = middle + 1
            else:
                high = middle
        return low

    def _time_ns(self, seq: int) -> int:
        if seq not in self._times_ns:
            query = select(chain.c.at_ns).where(chain.c.seq == seq)
            self._times_ns[seq] = int(self._db.execute(query).scalar_one())
        return self._times_ns[seq]
