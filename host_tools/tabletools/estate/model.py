"""The tables of the centre, and the database that has them: SQLite or PostgreSQL.

They follow from the events of the sites alone, and are built again from the stream at any time.
Every row is named by site and pit, which no two ledgers share.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from sqlalchemy import (
    Column,
    Connection,
    Index,
    MetaData,
    Table,
    delete,
    insert,
    select,
    text,
)

from tabletools.store.derived_database import DerivedDatabase
from tabletools.store.engine import engine_of
from tabletools.store.schema.base import INT, TEXT

VERSION = 4
"""Of these tables; another version in the database: they are built again."""
_METADATA = MetaData()


def _table(name: str, *columns: Any) -> Table:
    return Table(f"estate_{name}", _METADATA, *columns, sqlite_strict=True)


def _key(name: str, kind: Any = INT) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _place() -> Iterator[Column[Any]]:
    yield _key("site", TEXT)
    yield _key("pit", TEXT)


def _numbers(*names: str) -> Iterator[Column[Any]]:
    for name in names:
        yield Column(name, INT, nullable=False, server_default=text("0"))


def _words(*names: str) -> Iterator[Column[Any]]:
    for name in names:
        yield Column(name, TEXT, nullable=False, server_default=text("''"))


def _times(*names: str) -> Iterator[Column[Any]]:
    for name in names:
        yield Column(name, INT, nullable=True)


# How far a stream was read. stream: its name and when it was made. message: digest of the newest
# one.
progress = _table(
    "progress", _key("name", TEXT), *_words("stream", "message"), *_numbers("number", "version")
)

# Messages that are no event of their subject: they change nothing.
refused = _table("refused", _key("number"), *_words("subject", "why"))

# The newest event of a ledger.
pits = _table("pits", *_place(), *_numbers("at_ns", "sequence", "events"))

# What is played at a table, who deals, and whether bets are open.
NAMES = ("game", "wheel_model", "ball_batch", "dealer")
"""What takings are counted by, besides site, pit and table."""
casino_tables = _table(
    "tables",
    *_place(),
    _key("table"),
    *_words("name", "currency", "rules", "variant", "zone", *NAMES),
    *_numbers("bets_open", "number", "since_ns", "at_ns"),
)

# The settlement in force of each round. The device and its number name a round for ever, also
# where a ledger was restored and counts its keys again. labels: what fell, separated by blanks.
rounds = _table(
    "rounds",
    *_place(),
    _key("device"),
    _key("number"),
    *_numbers("sequence", "table", "games", "drop_cents", "win_cents"),
    *_words("currency", *NAMES, "variant", "month", "labels"),
)

# What fell, by month (UTC, of the first settlement). machine, label: as the audit names them.
falls = _table(
    "falls",
    _key("month", TEXT),
    *_place(),
    _key("table"),
    *(_key(name, TEXT) for name in ("machine", *NAMES, "label")),
    *_numbers("results"),
)

# What tables took in each quarter of an hour (UTC, counted since 1970).
SUMS = ("games", "undone", "drop_cents", "win_cents")
takings = _table(
    "takings",
    _key("slot"),
    *_place(),
    _key("table"),
    *(_key(name, TEXT) for name in ("currency", *NAMES)),
    *_numbers(*SUMS),
)

# Alarms of the sites. Times UTC, NULL: not yet.
alarms = _table(
    "alarms",
    *_place(),
    _key("alarm"),
    *_words("kind", "text"),
    *_numbers("priority"),
    *_times("table", "raised_ns", "cleared_ns", "acknowledged_ns"),
)
Index("ix_estate_alarms_open", alarms.c.raised_ns, postgresql_where=text("cleared_ns IS NULL"))

# Bets that were refused as late.
late_bets = _table(
    "late_bets",
    *_place(),
    _key("late"),
    *_numbers("table", "stake_cents", "at_ns"),
    *_words("code"),
)
Index("ix_estate_late_bets_at_ns", late_bets.c.at_ns)

# Controllers: what they say they run, and what they attested.
devices = _table(
    "devices",
    *_place(),
    _key("device"),
    *_words("role", "board", "firmware", "outcome", "version"),
    *_times("table", "release", "reported", "attested_ns", "heard_ns"),
)

# What the users of a pit decided about offers of the centre.
offers = _table(
    "offers",
    *_place(),
    _key("number"),
    *_words("digest", "kind", "name", "target", "decision", "user_name", "reason"),
    *_numbers("at_ns"),
)

# Gaming days that two users closed.
days = _table(
    "days",
    *_place(),
    _key("day", TEXT),
    _key("place", TEXT),
    _key("currency", TEXT),
    *_numbers("expected_cents", "counted_cents", "at_ns"),
    *_words("first_user", "second_user", "reason"),
)


class Centre(DerivedDatabase):
    """The database of a centre. `close` it."""

    @classmethod
    def open(cls, place: str | Path) -> Self:
        """Open it, and make the tables unless they are of this version. Raises StoreError."""
        centre = cls(engine_of(place))
        with centre.write() as db:
            _METADATA.create_all(db)
            versions = set(db.execute(select(progress.c.version)).scalars())
            if versions - {VERSION}:
                _METADATA.drop_all(db)
                _METADATA.create_all(db)
        return centre


class Position(NamedTuple):
    """How far a reader has read a stream. number: of the newest message, 0 at the beginning;
    message: its digest."""

    number: int = 0
    message: str = ""


def position(db: Connection, name: str, stream: str, *, lock: bool = False) -> Position:
    """Return how far a reader has read a stream.

    lock: until the end of the transaction, so that of two readers one waits.
    """
    col = progress.c
    query = select(col.number, col.message).where(col.name == name, col.stream == stream)
    if lock:
        query = query.with_for_update()
    row = db.execute(query).one_or_none()
    return Position() if row is None else Position(*row)


def note_position(db: Connection, name: str, stream: str, place: Position) -> None:
    """Store how far a reader has read a stream."""
    db.execute(delete(progress).where(progress.c.name == name))
    values = {"name": name, "stream": stream, "version": VERSION, **place._asdict()}
    db.execute(insert(progress).values(**values))
