"""The chain over all rows: its table, and the triggers that note which rows a transaction writes.

A connection of this program has a temporary table `chain_dirty`, into which triggers write the
keys of changed rows and their old values. On SQLite the triggers are temporary too; on
PostgreSQL they act only in a session that sets `tabletool.chain`. A change made in any other way
is not noted, so verification finds it: the row does not match its newest entry, or the old values
in its next entry do not match the entry before.
"""

from collections.abc import Iterator
from functools import cache

from sqlalchemy import Table

from tabletools.store.schema.base import (
    APPEND_ONLY,
    BLOB,
    METADATA,
    data,
    number,
    table,
    unique,
    words,
)

# rows: JSON, what the transaction wrote, see store.chain. digest: SHA-256 over the digest before
# and this entry.
chain = table(
    "chain",
    number("seq", primary=True),
    number("at_ns"),
    words("rows"),
    data("previous"),
    data("digest"),
    unique("previous"),
    append_only=True,
)

LEFT_OUT = frozenset(("chain", "leases"))
"""Not chained: the chain itself, and the present owner of a table.

A lease changes every few seconds and proves nothing afterwards; a forged one stops a host and
moves no money.
"""
SETTING = "tabletool.chain"
KEYS = 3
"""Number of columns of the longest primary key."""


def chained() -> list[Table]:
    """Return the tables whose rows are chained, by name."""
    tables = [each for name, each in METADATA.tables.items() if name not in LEFT_OUT]
    return sorted(tables, key=lambda each: each.name)


@cache
def key_names(subject: Table) -> list[str]:
    """Return the columns of the primary key in order."""
    return [column.name for column in subject.primary_key.columns]


def _changes(subject: Table) -> tuple[str, ...]:
    return ("INSERT",) if subject.name in APPEND_ONLY else ("INSERT", "UPDATE", "DELETE")


@cache
def value_columns(subject: Table) -> list[str]:
    """Return the columns of a table in the order in which rows are hashed: key first."""
    names = key_names(subject)
    return names + [column.name for column in subject.columns if column.name not in names]


def noted_columns(subject: Table) -> list[str]:
    """Return the columns of `chain_dirty` for the old values of a row, in order."""
    return [f"was{place}" for place in range(1, len(value_columns(subject)) + 1)]


def _widest() -> list[str]:
    changeable = (each for each in chained() if each.name not in APPEND_ONLY)
    return max(map(noted_columns, changeable), key=len)


def _insert(subject: Table, change: str) -> str:
    """Return the start of the statement that notes a change. existed: 1 with old values."""
    was = [] if change == "INSERT" else noted_columns(subject)
    return f"INSERT INTO chain_dirty ({', '.join(['name', 'k1', 'k2', 'k3', 'existed', *was])})"


def sqlite_notes() -> Iterator[str]:
    """Yield the statements that make an SQLite connection note its changes."""
    yield (
        "CREATE TEMP TABLE IF NOT EXISTS chain_dirty (number INTEGER PRIMARY KEY, name TEXT,"
        f" k1, k2, k3, existed INTEGER, {', '.join(_widest())})"
    )
    for each in chained():
        names = key_names(each)
        for change in _changes(each):
            row = "OLD" if change == "DELETE" else "NEW"
            keys = [*(f"{row}.{name}" for name in names), "NULL", "NULL"][:KEYS]
            was = [] if change == "INSERT" else [f"OLD.{name}" for name in value_columns(each)]
            values = [f"'{each.name}'", *keys, str(int(bool(was))), *was]
            yield (
                f"CREATE TEMP TRIGGER IF NOT EXISTS chain_{each.name}_{change.lower()}"
                f" AFTER {change} ON main.{each.name} BEGIN"
                f" {_insert(each, change)} VALUES ({', '.join(values)}); END"
            )


def postgresql_notes() -> str:
    """Return the statement that makes a PostgreSQL connection note its changes, as text.

    Its rows outlive the commit: the chain deletes them. For PostgreSQL to do that (ON COMMIT
    DELETE ROWS) cuts off the table's file before each commit, and that took as long as the commit.
    """
    return (
        "CREATE TEMP TABLE IF NOT EXISTS chain_dirty (number BIGINT GENERATED ALWAYS AS IDENTITY,"
        " name TEXT, k1 TEXT, k2 TEXT, k3 TEXT, existed INTEGER,"
        f" {', '.join(f'{name} TEXT' for name in _widest())})"
    )


def _as_text(subject: Table, column: str) -> str:
    """Return the SQL for an old value as text, bytes as hex."""
    is_bytes = subject.columns[column].type is BLOB
    return f"encode(r.{column}, 'hex')" if is_bytes else f"r.{column}::text"


def postgresql_guards() -> Iterator[str]:
    """Yield the triggers by which PostgreSQL notes changes of sessions of this program."""
    for each in chained():
        for change in _changes(each):
            name = f"chain_{each.name}_{change.lower()}"
            keys = [*(f"r.{key}::text" for key in key_names(each)), "NULL", "NULL"][:KEYS]
            was = []
            if change != "INSERT":
                was = [_as_text(each, column) for column in value_columns(each)]
            values = [f"'{each.name}'", *keys, str(int(bool(was))), *was]
            yield (
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                f" {_insert(each, change)} SELECT {', '.join(values)} FROM changed r;"
                " RETURN NULL; END $$"
            )
            rows = "NEW" if change == "INSERT" else "OLD"
            yield (
                f"CREATE TRIGGER {name} AFTER {change} ON"
                f" {each.name} REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT"
                f" WHEN (current_setting('{SETTING}', true) = 'on')"
                f" EXECUTE FUNCTION {name}()"
            )
