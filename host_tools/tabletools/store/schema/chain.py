"""The chain over all rows: one entry a transaction, and what notes which rows it changed.

A connection of this program has a temporary table `chain_dirty`, into which triggers write the
keys of changed rows and what they were before, as JSON. On SQLite the triggers are temporary too;
on PostgreSQL they act only in a session that says so. What changes a row by another way is not
noted, and so it is found: by what stands, or by what the next change of the row says it was.
"""

from collections.abc import Iterator

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
"""Not chained: the chain itself, and who holds a table now. A lease changes every few seconds and
proves nothing afterwards; whoever forges one stops a host, and moves no money."""
SETTING = "tabletool.chain"
KEYS = 3
"""Columns of the longest primary key."""


def chained() -> list[Table]:
    """Return the tables whose rows are chained, by name."""
    found = [each for name, each in METADATA.tables.items() if name not in LEFT_OUT]
    return sorted(found, key=lambda each: each.name)


def key_names(of: Table) -> list[str]:
    """Return the columns of a primary key, in their order."""
    return [column.name for column in of.primary_key.columns]


def _changes(of: Table) -> tuple[str, ...]:
    return ("INSERT",) if of.name in APPEND_ONLY else ("INSERT", "UPDATE", "DELETE")


def value_columns(of: Table) -> list[str]:
    """Return the columns of a table as their digest takes them: the key first."""
    names = key_names(of)
    return names + [column.name for column in of.columns if column.name not in names]


def _was(of: Table, row: str, array: str, as_hex: str) -> str:
    """The values of a row as an array of JSON, bytes as hex."""
    values = [
        f"{as_hex.format(f'{row}.{name}')}" if of.columns[name].type is BLOB else f"{row}.{name}"
        for name in value_columns(of)
    ]
    return f"{array}({', '.join(values)})"


def sqlite_notes() -> Iterator[str]:
    """The statements that make a connection of SQLite note what it changes."""
    yield (
        "CREATE TEMP TABLE IF NOT EXISTS chain_dirty"
        " (number INTEGER PRIMARY KEY, name TEXT, k1, k2, k3, was TEXT)"
    )
    as_hex = "CASE WHEN {0} IS NOT NULL THEN hex({0}) END"
    for each in chained():
        names = key_names(each)
        for change in _changes(each):
            row = "OLD" if change == "DELETE" else "NEW"
            keys = [*(f"{row}.{name}" for name in names), "NULL", "NULL"][:KEYS]
            was = "NULL" if change == "INSERT" else _was(each, "OLD", "json_array", as_hex)
            yield (
                f"CREATE TEMP TRIGGER IF NOT EXISTS chain_{each.name}_{change.lower()}"
                f" AFTER {change} ON main.{each.name} BEGIN"
                " INSERT INTO chain_dirty (name, k1, k2, k3, was)"
                f" VALUES ('{each.name}', {', '.join(keys)}, {was}); END"
            )


POSTGRESQL_NOTES = (
    "CREATE TEMP TABLE IF NOT EXISTS chain_dirty (number BIGINT GENERATED ALWAYS AS IDENTITY,"
    " name TEXT, k1 TEXT, k2 TEXT, k3 TEXT, was TEXT) ON COMMIT DELETE ROWS"
)


def postgresql_guards() -> Iterator[str]:
    """The triggers by which PostgreSQL notes what sessions of this program change."""
    for each in chained():
        for change in _changes(each):
            name = f"chain_{each.name}_{change.lower()}"
            keys = [*(f"r.{key}::text" for key in key_names(each)), "NULL", "NULL"][:KEYS]
            was = "NULL"
            if change != "INSERT":
                was = _was(each, "r", "json_build_array", "encode({0}, 'hex')") + "::text"
            yield (
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                " INSERT INTO chain_dirty (name, k1, k2, k3, was)"
                f" SELECT '{each.name}', {', '.join(keys)}, {was} FROM changed r;"
                " RETURN NULL; END $$"
            )
            rows = "NEW" if change == "INSERT" else "OLD"
            yield (
                f"CREATE TRIGGER {name} AFTER {change} ON"
                f" {each.name} REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT"
                f" WHEN (current_setting('{SETTING}', true) = 'on')"
                f" EXECUTE FUNCTION {name}()"
            )
