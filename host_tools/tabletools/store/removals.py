"""What retention removed: the newest removal of each table it may remove rows of."""

from typing import NamedTuple

from sqlalchemy import Connection, Table, func, select

from tabletools.store.schema.books import removals


class Removed(NamedTuple):
    """What entries of the chain up to `entry` wrote is gone; all of it is before before_ns."""

    entry: int
    before_ns: int


def of_table(db: Connection, table: Table) -> Removed:
    """Return what was removed of a table, zeros for nothing."""
    col = removals.c
    query = select(func.max(col.entry), func.max(col.before_ns)).where(col.name == table.name)
    entry, before_ns = db.execute(query).one()
    return Removed(int(entry or 0), int(before_ns or 0))


def entries(db: Connection) -> dict[str, int]:
    """Return the last entry of the chain whose rows were removed, by table."""
    query = select(removals.c.name, func.max(removals.c.entry)).group_by(removals.c.name)
    return {name: int(entry) for name, entry in db.execute(query)}


def counts(db: Connection) -> dict[str, int]:
    """Return how many rows were removed, by table."""
    query = select(removals.c.name, func.sum(removals.c.rows)).group_by(removals.c.name)
    return {name: int(count) for name, count in db.execute(query)}
