"""Triggers: the database refuses to change append-only rows, PostgreSQL notes what is written.

They belong to the metadata: whatever creates its tables creates these too.
"""

import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, MetaData, event

from tabletools.store.schema.base import APPEND_ONLY, METADATA, REMOVABLE
from tabletools.store.schema.chain import postgresql_guards

_FUNCTION = """CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% only grows: % refused', TG_TABLE_NAME, TG_OP;
END $$"""
# The age up to which rows of a removable table may go.
_OLD = "coalesce((SELECT max(before_ns) FROM removals WHERE name = {name}), 0)"
_REFUSE_NEW = f"""CREATE FUNCTION refuse_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.at_ns >= {_OLD.format(name="TG_TABLE_NAME")} THEN
        RAISE EXCEPTION '% only grows: % refused', TG_TABLE_NAME, TG_OP;
    END IF;
    RETURN OLD;
END $$"""
_NAME = re.compile(r"CREATE (FUNCTION|TRIGGER) (\w+)")


def statements(dialect: str) -> Iterator[str]:
    """Yield the statements that create them. dialect: sqlite or postgresql."""
    if dialect == "postgresql":
        yield from postgresql_guards()
        yield _FUNCTION
        yield _REFUSE_NEW
        for name in sorted(APPEND_ONLY):
            changes = "UPDATE OR TRUNCATE" if name in REMOVABLE else "UPDATE OR DELETE OR TRUNCATE"
            yield (
                f"CREATE TRIGGER {name}_only_grows BEFORE {changes} ON {name}"
                " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )
        for name in sorted(REMOVABLE):
            yield (
                f"CREATE TRIGGER {name}_no_delete BEFORE DELETE ON {name}"
                " FOR EACH ROW EXECUTE FUNCTION refuse_new()"
            )
        return
    for name in sorted(APPEND_ONLY):
        for change in ("UPDATE", "DELETE"):
            is_removal = change == "DELETE" and name in REMOVABLE
            old = _OLD.format(name=f"'{name}'")
            condition = f" WHEN OLD.at_ns >= {old}" if is_removal else ""
            yield (
                f"CREATE TRIGGER {name}_no_{change.lower()} BEFORE {change} ON {name}{condition}"
                f" BEGIN SELECT RAISE(ABORT, '{name} only grows: {change} refused'); END"
            )


def create(db: Connection) -> None:
    """Create all of them."""
    for statement in statements(db.dialect.name):
        _execute(db, statement)


def drop(db: Connection) -> None:
    """Drop those that a database has: on PostgreSQL a trigger goes with its function."""
    for statement in statements(db.dialect.name):
        created = _NAME.match(statement)
        assert created is not None
        kind, name = created.groups()
        if db.dialect.name == "sqlite":
            _execute(db, f"DROP TRIGGER IF EXISTS {name}")
        elif kind == "FUNCTION":
            _execute(db, f"DROP FUNCTION IF EXISTS {name}() CASCADE")


def _execute(db: Connection, statement: str) -> None:
    """Execute a statement without parameters, so that a percent sign stays one."""
    db.exec_driver_sql(statement, execution_options={"no_parameters": True})


@event.listens_for(METADATA, "after_create")
def _on_create(_metadata: MetaData, db: Connection, **_options: Any) -> None:
    create(db)
