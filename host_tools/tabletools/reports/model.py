"""The tables of the read model, and the database that has them.

Beside an SQLite ledger it is a file of its own, LEDGER.reports: so reading never waits for play,
nor play for it. On PostgreSQL it is the schema `reports` of the same database.
"""

from typing import Any, Self

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

from tabletools.store import Store, chain
from tabletools.store.derived_database import DerivedDatabase
from tabletools.store.engine import engine_of
from tabletools.store.schema.base import BLOB, INT, TEXT
from tabletools.store.schema.chain import chain as entries

VERSION = 4
"""Of these tables; another version in the database: they are built again."""
SCHEMA = "reports"
_METADATA = MetaData()


def _table(name: str, *columns: Any) -> Table:
    return Table(name, _METADATA, *columns, sqlite_strict=True, sqlite_with_rowid=False)


def _key(name: str, kind: Any = INT) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _value(name: str, kind: Any = INT) -> Column[Any]:
    return Column(name, kind, nullable=False)


# The ledger these tables were made from: its newest entry of the chain when they were written.
source = _table("source", _key("version"), _value("seq"), _value("digest", BLOB))

# How far each feed was read: number of its newest row.
positions = _table("positions", _key("feed", TEXT), _value("number"))

# What fell at a device since its machine was last moved. voids: rounds without a result since.
# moves, before: how often it was moved, records of results before the last move. boot, counter: of
# the newest record. falls: records of results since the move; results: in them (some of a
# throw). round: of the newest, as the device counts.
machines = _table(
    "machines",
    _key("device"),
    *map(_value, ("voids", "moves", "before", "boot", "counter", "falls", "results", "round")),
)

# These results in order, one byte each (pocket, segment or face as on the wire), in blocks.
outcomes = _table("outcomes", _key("device"), _key("block"), _value("codes", BLOB))

# Throws whose table read no faces, until the host has read them.
unread_throws = _table("unread_throws", _key("frame"), _value("device"))

# Records of each device: all, rounds that they are of, and faults raised.
records = _table("records", _key("device"), _value("records"), _value("rounds"), _value("faults"))

# Boots, service, changes of configuration and faults: rows of `frames`.
service = _table("service", _key("frame"), _value("device"))
Index("ix_service_device", service.c.device, service.c.frame)

# Rounds by each text of the outcome in force.
labels = _table("labels", _key("label", TEXT), _key("round"), _value("table"))
Index("ix_labels_round", labels.c.round)
Index("ix_labels_table", labels.c.label, labels.c.table, labels.c.round)

# Rounds with a bet that is not proved to be before no more bets, or with one refused as late.
late_rounds = _table("late_rounds", _key("round"))

# What tables took in each quarter of an hour (UTC, counted since 1970): see takings.Sums. dealer:
# user, 0: none had signed in. theory / theory_parts: the theoretical win, cents.
takings = _table(
    "takings",
    *map(_key, ("slot", "table", "dealer")),
    _key("game", TEXT),
    *map(
        _value,
        ("games", "undone", "drop_cents", "win_cents", "known_cents", "theory", "theory_parts"),
    ),
    *map(_value, ("paced", "paced_ms")),
)

# Every line of a player's account with the balance after it, by the time of its posting.
account_lines = _table(
    "account_lines", *map(_key, ("account", "at_ns", "posting")),
    *map(_value, ("amount_cents", "balance_cents")),
)  # fmt: skip

# When the last round of a table was settled.
paces = _table("paces", _key("table"), _value("at_ns"))


class Model(DerivedDatabase):
    """The read model of a ledger, in its database. `close` it."""

    @classmethod
    def open(cls, ledger: Store) -> Self:
        """Open the read model of a ledger; `prepare` makes its tables. Raises StoreError."""
        url = ledger.engine.url
        if ledger.is_sqlite:
            return cls(engine_of(f"{url.database}.{SCHEMA}"))
        places = {None: SCHEMA}
        return cls(ledger.engine.execution_options(schema_translate_map=places), owned=False)

    def exists(self, db: Connection) -> bool:
        """Whether a follower has made the tables."""
        schema = None if db.dialect.name == "sqlite" else SCHEMA
        return bool(db.dialect.has_table(db, source.name, schema))

    def prepare(self, ledger: Connection) -> bool:
        """Make the tables unless they are of this version and ledger; returns whether it did.

        A ledger that was restored, or another one in its place, has another chain.
        """
        with self.write() as db:
            if self._is_current(db, ledger):
                return False
            self.rebuild(db)
        return True

    def rebuild(self, db: Connection) -> None:
        """Make the tables again, empty."""
        if db.dialect.name != "sqlite":
            db.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        _METADATA.drop_all(db)
        _METADATA.create_all(db)

    def _is_current(self, db: Connection, ledger: Connection) -> bool:
        if not self.exists(db):
            return False
        row = db.execute(select(source)).one_or_none()
        if row is None or row.version != VERSION:
            return False
        query = select(entries.c.digest).where(entries.c.seq == row.seq)
        return bool(ledger.execute(query).scalar_one_or_none() == row.digest) or row.seq == 0


def note_source(db: Connection, ledger: Connection) -> None:
    """Store which ledger the tables were made from."""
    head = chain.head(ledger)
    db.execute(delete(source))
    db.execute(insert(source).values(version=VERSION, seq=head.seq, digest=head.digest))


def position(db: Connection, feed: str) -> int:
    """Return how far a feed was read: the number of its newest row, 0 at the beginning."""
    query = select(positions.c.number).where(positions.c.feed == feed)
    return int(db.execute(query).scalar_one_or_none() or 0)


def note_position(db: Connection, feed: str, number: int) -> None:
    """Store how far a feed was read."""
    db.execute(delete(positions).where(positions.c.feed == feed))
    db.execute(insert(positions).values(feed=feed, number=number))
