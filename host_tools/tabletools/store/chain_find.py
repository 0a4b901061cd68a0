"""Find the entry of the chain that proves a row, by the time at which the row was written."""

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from tabletools.store import chain as chains
from tabletools.store.schema.base import APPEND_ONLY
from tabletools.store.schema.chain import chain

MOST_READ = 200
"""Number of entries read from the first one at or after the time of the row."""


class Proof(NamedTuple):
    """An entry of the chain. digest: hex."""

    seq: int
    digest: str


def entry_of(db: Connection, table: str, key: tuple[Any, ...], at_ns: int) -> Proof | None:
    """Return the entry that names a row of an append-only table, None if it is not found.

    at_ns: time in the row, read before its transaction ended. If the clock was set back in
    between, the entry may not be found here; `tabletool ledger verify` reads every one.
    """
    assert table in APPEND_ONLY
    first = _first_at(db, at_ns)
    col = chain.c
    query = select(col.seq, col.rows, col.digest).where(col.seq >= first).order_by(col.seq)
    for row in db.execute(query.limit(MOST_READ)):
        part = json.loads(row.rows).get(table)
        if part is not None and key in chains.appended(part).keys:
            return Proof(row.seq, bytes(row.digest).hex())
    return None


def _first_at(db: Connection, at_ns: int) -> int:
    """Return the first entry made at a time or later; entries are numbered without a gap."""
    low, high = 1, chains.head(db).seq + 1
    while low < high:
        middle = (low + high) // 2
        query = select(chain.c.at_ns).where(chain.c.seq == middle)
        if int(db.execute(query).scalar_one()) < at_ns:
            low = middle + 1
        else:
            high = middle
    return low
