"""The shape of a database against its declarations, to find a trigger dropped or added since."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache

from sqlalchemy import Connection

from tabletools.store.engine import SQLITE
from tabletools.store.schema import METADATA, guards

_SQLITE_COLUMNS = """
SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'
"""
_POSTGRESQL_COLUMNS = """
SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
AND a.attnum > 0 AND NOT a.attisdropped
"""
_SQLITE_TRIGGERS = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
_POSTGRESQL_TRIGGERS = """
SELECT t.tgname, CASE t.tgenabled WHEN 'O' THEN p.prosrc ELSE '' END
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace
"""
_TABLES = METADATA.sorted_tables
_TRIGGER = re.compile(r"CREATE TRIGGER (\w+) (?:.*EXECUTE FUNCTION (\w+))?", re.DOTALL)
_FUNCTION = re.compile(r"CREATE FUNCTION (\w+)\(.*\$\$(.*)\$\$", re.DOTALL)


def missing(db: Connection) -> Iterator[str]:
    """Yield the tables and columns that a database lacks: without them it cannot be read."""
    query = _SQLITE_COLUMNS if db.dialect.name == SQLITE else _POSTGRESQL_COLUMNS
    present = defaultdict[str, set[str]](set)
    for table_name, column_name in db.exec_driver_sql(query):
        present[table_name].add(column_name)
    for table in _TABLES:
        if table.name not in present:
            yield f"table {table.name}: removed"
            continue
        expected = {column.name for column in table.columns}
        for name in sorted(expected - present[table.name]):
            yield f"table {table.name}: its column {name} was removed"


def triggers(db: Connection) -> Iterator[str]:
    """Yield the first trigger that was removed, added or changed, and how many more."""
    is_sqlite = db.dialect.name == SQLITE
    query = _SQLITE_TRIGGERS if is_sqlite else _POSTGRESQL_TRIGGERS
    texts = {name: " ".join(done.split()) for name, done in db.exec_driver_sql(query)}
    expected = _declarations(db.dialect.name)
    both = expected.keys() & texts.keys()
    for what, names in (
        ("removed", expected.keys() - texts.keys()),
        ("added", texts.keys() - expected.keys()),
        ("changed or disabled", {name for name in both if texts[name] != expected[name]}),
    ):
        if names:
            first, more = min(names), len(names) - 1
            yield f"trigger {first}{f' and {more} more' if more else ''}: {what}"


@cache
def _declarations(dialect: str) -> Mapping[str, str]:
    """Return the action of each trigger, by name: its statement, or the function it calls."""
    statements, declared = [*guards.statements(dialect)], dict[str, str]()
    bodies = {m[1]: m[2] for m in map(_FUNCTION.match, statements) if m is not None}
    for statement in statements:
        if match := _TRIGGER.match(statement):
            name, function = match.groups()
            declared[name] = " ".join((bodies[function] if function else statement).split())
    return declared
