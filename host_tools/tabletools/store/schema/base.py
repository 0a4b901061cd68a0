"""Shared parts of all tables of the ledger: types both databases have, names of constraints.

SQLite tables are STRICT. Booleans are 0 and 1, times are UTC in nanoseconds since 1970, money is
whole cents, JSON is text: so both databases store the same bytes.
"""

from collections.abc import Iterator

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import SchemaItem

INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
TEXT = Text()
BLOB = LargeBinary()

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# Rows of these are never changed or deleted: the database refuses it.
APPEND_ONLY: list[str] = []
# Of these, the database lets old rows go, once a row of `removals` says up to which age.
REMOVABLE: list[str] = []


def table(
    name: str,
    *items: SchemaItem,
    append_only: bool = False,
    removable: bool = False,
    by_key: bool = False,
) -> Table:
    """Declare a table. by_key: SQLite stores its rows in its key only, which has two columns.

    removable: its rows, which are never changed, may be removed once they are old.
    """
    if append_only or removable:
        APPEND_ONLY.append(name)
    if removable:
        REMOVABLE.append(name)
    return Table(name, METADATA, *items, sqlite_strict=True, sqlite_with_rowid=not by_key)


def key(name: str = "id") -> Column[int]:
    """A rising number that the database assigns."""
    return Column(name, INT, Identity(), primary_key=True)


def number(name: str, *, null: bool = False, primary: bool = False) -> Column[int]:
    """A whole number of 64 bits."""
    return Column(name, INT, nullable=null, primary_key=primary, autoincrement=False)


def device_time() -> Iterator[Column[int]]:
    """The reading of a device's clock, if known: boot, uptime, uncertainty."""
    for name in ("device_boot", "device_ms", "uncertainty_ms"):
        yield number(name, null=True)


def words(name: str, *, null: bool = False, primary: bool = False) -> Column[str]:
    """A text."""
    return Column(name, TEXT, nullable=null, primary_key=primary)


def data(name: str, *, null: bool = False) -> Column[bytes]:
    """Bytes."""
    return Column(name, BLOB, nullable=null)


def link(name: str, target: str, *, null: bool = False, primary: bool = False) -> Column[int]:
    """The key of a row in another table. target: table and column."""
    return Column(
        name, INT, ForeignKey(target), nullable=null, primary_key=primary, autoincrement=False
    )


def one_of(column: str, *values: str | int) -> CheckConstraint:
    """The values a column may have."""
    texts = ", ".join(str(v) if isinstance(v, int) else f"'{v}'" for v in values)
    return CheckConstraint(f"{column} IN ({texts})", name=f"{column}_known")


def check(name: str, condition: str) -> CheckConstraint:
    """A condition on each row."""
    return CheckConstraint(condition, name=name)


def unique(*columns: str) -> UniqueConstraint:
    """A set of columns whose values are unique together."""
    return UniqueConstraint(*columns)


def index(name: str, *columns: str, where: str = "", is_unique: bool = False) -> Index:
    """An index; where: only for those rows, and unique among them if is_unique."""
    condition = text(where) if where else None
    return Index(
        name, *columns, unique=is_unique, sqlite_where=condition, postgresql_where=condition
    )
