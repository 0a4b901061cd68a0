"""Triggers by which the database refuses to change or delete append-only rows."""

from collections.abc import Iterator

from tabletools.store.schema.base import APPEND_ONLY
from tabletools.store.schema.chain import postgresql_guards

_FUNCTION = """CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% only grows: % refused', TG_TABLE_NAME, TG_OP;
END $$"""


def guards(dialect: str) -> Iterator[str]:
    """The statements that create them. dialect: sqlite or postgresql."""
    if dialect == "postgresql":
        yield from postgresql_guards()
        yield _FUNCTION
        for name in sorted(APPEND_ONLY):
            yield (
                f"CREATE TRIGGER {name}_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON {name}"
                " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )
        return
    for name in sorted(APPEND_ONLY):
        for change in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {name}_no_{change.lower()} BEFORE {change} ON {name}"
                f" BEGIN SELECT RAISE(ABORT, '{name} only grows: {change} refused'); END"
            )
