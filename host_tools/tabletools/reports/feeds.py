"""New rows of the ledger, each exactly once, in the order of their numbers.

On PostgreSQL a row with a lower number may be committed after one with a higher: behind a gap in
the numbers nothing is read until the gap is final. SQLite has one writer, and no gaps but those of
a restore.
"""

from typing import NamedTuple

from sqlalchemy import Column, Connection, Table, select

from tabletools.store.clock import NS

FINAL_NS = 45 * NS
"""Age of the row behind a gap from which no transaction can fill it: longer than any may take."""
_MOST = 2000


class Feed(NamedTuple):
    """One table of the ledger whose rows are read in order. number, at_ns: its columns."""

    name: str
    number: Column[int]
    at_ns: Column[int]

    @classmethod
    def over(cls, table: Table, at_ns: str = "at_ns") -> "Feed":
        """Return the feed of a table. at_ns: its column with the time a row was written."""
        return cls(table.name, table.c.id, table.c[at_ns])


class Part(NamedTuple):
    """What is new: rows with numbers above `after` up to `last`. has_more: read on at once."""

    after: int
    last: int
    has_more: bool


def next_part(db: Connection, feed: Feed, after: int, now_ns: int) -> Part:
    """Return the next part of a feed; `last` is `after` if nothing is new."""
    query = select(feed.number, feed.at_ns).where(feed.number > after)
    rows = db.execute(query.order_by(feed.number).limit(_MOST)).all()
    last = after
    for number, at_ns in rows:
        if number != last + 1 and now_ns - at_ns < FINAL_NS:
            return Part(after, last, False)
        last = number
    return Part(after, last, len(rows) == _MOST)
