"""What all tables of the ledger share: types both databases know, names of constraints.

SQLite keeps its tables STRICT. Truth values are 0 and 1, times are UTC in nanoseconds since 1970,
money is whole cents, JSON is text: so both databases hold the same bytes.
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

# Rows of these are never changed or deleted: the database itself refuses.
APPEND_ONLY: list[str] = []


def table(name: str, *items: SchemaItem, append_only: bool = False, by_key: bool = False) -> Table:
    """Declare a table. by_key: SQLite keeps its rows in its key alone, which is of two columns."""
    if append_only:
        APPEND_ONLY.append(name)
    return Table(name, METADATA, *items, sqlite_strict=True, sqlite_with_rowid=not by_key)


def key(name: str = "id") -> Column[int]:
    """A number the database gives out, rising."""
    return Column(name, INT, Identity(), primary_key=True)


def number(name: str, *, null: bool = False, primary: bool = False) -> Column[int]:
    """A whole number of 64 bits."""
    return Column(name, INT, nullable=null, primary_key=primary, autoincrement=False)


def device_time() -> Iterator[Column[int]]:
    """What the clock of a device showed, if that is known: boot, uptime, give or take."""
    for name in ("device_boot", "device_ms", "uncertainty_ms"):
        yield number(name, null=True)


def words(name: str, *, null: bool = False, primary: bool = False) -> Column[str]:
    """A text."""
    return Column(name, TEXT, nullable=null, primary_key=primary)


def data(name: str, *, null: bool = False) -> Column[bytes]:
    """Bytes."""
    return Column(name, BLOB, nullable=null)


def link(name: str, target: str, *, null: bool = False, primary: bool = False) -> Column[int]:
    """The key of a row elsewhere. target: table and column."""
    return Column(
        name, INT, ForeignKey(target), nullable=null, primary_key=primary, autoincrement=False
    )


def one_of(column: str, *values: str | int) -> CheckConstraint:
    """The values a column may have."""
    shown = ", ".join(str(v) if isinstance(v, int) else f"'{v}'" for v in values)
    return CheckConstraint(f"{column} IN ({shown})", name=f"{column}_known")


def check(name: str, condition: str) -> CheckConstraint:
    """A condition on each row."""
    return CheckConstraint(condition, name=name)


def unique(*columns: str) -> UniqueConstraint:
    """No two rows have the same."""
    return UniqueConstraint(*columns)


def index(name: str, *columns: str, where: str = "", is_unique: bool = False) -> Index:
    """A way to find rows; where: only those, and then unique among those alone if so asked."""
    condition = text(where) if where else None
    return Index(
        name, *columns, unique=is_unique, sqlite_where=condition, postgresql_where=condition
    )
