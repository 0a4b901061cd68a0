"""The chain over all rows: its table, and the triggers that note which rows a transaction writes.

A connection of this program has a temporary table `chain_dirty`, into which triggers write the
keys of changed rows and their old values as JSON. On SQLite the triggers are temporary too; on
PostgreSQL they act only in a session that sets `tabletool.chain`. A change made in any other way
is not noted, so verifying finds it: the row does not match its newest entry, or the old values in
its next entry do not match the entry before.
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
"""Not chained: the chain itself, and which host owns a table now. A lease changes every few
seconds and proves nothing afterwards; a forged one stops a host and moves no money."""
SETTING = "tabletool.chain"
KEYS = 3
"""Number of columns of the longest primary key."""


def chained() -> list[Table]:
    """Return the tables whose rows are chained, by name."""
    found = [each for name, each in METADATA.tables.items() if name not in LEFT_OUT]
    return sorted(found, key=lambda each: each.name)


def key_names(of: Table) -> list[str]:
    """Return the columns of the primary key in order."""
    return [column.name for column in of.primary_key.columns]


def _changes(of: Table) -> tuple[str, ...]:
    return ("INSERT",) if of.name in APPEND_ONLY else ("INSERT", "UPDATE", "DELETE")


def value_columns(of: Table) -> list[str]:
    """Return the columns of a table in the order in which rows are hashed: key first."""
    names = key_names(of)
    return names + [column.name for column in of.columns if column.name not in names]


def _row_json(of: Table, row: str, array: str, as_hex: str) -> str:
    """Return the SQL for the values of a row as a JSON array, bytes as hex."""
    values = [
        f"{as_hex.format(f'{row}.{name}')}" if of.columns[name].type is BLOB else f"{row}.{name}"
        for name in value_columns(of)
    ]
    return f"{array}({', '.join(values)})"


def sqlite_notes() -> Iterator[str]:
    """Yield the statements that make an SQLite connection note what it changes."""
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
            was = "NULL" if change == "INSERT" else _row_json(each, "OLD", "json_array", as_hex)
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
    """Yield the triggers by which PostgreSQL notes what sessions of this program change."""
    for each in chained():
        for change in _changes(each):
            name = f"chain_{each.name}_{change.lower()}"
            keys = [*(f"r.{key}::text" for key in key_names(each)), "NULL", "NULL"][:KEYS]
            was = "NULL"
            if change != "INSERT":
                was = _row_json(each, "r", "json_build_array", "encode({0}, 'hex')") + "::text"
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
