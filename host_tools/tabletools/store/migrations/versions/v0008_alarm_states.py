"""The states of alarms: priority, first-up, cleared, shelved, back to normal."""

from alembic import op
from sqlalchemy import BigInteger, Column, Text, text
from sqlalchemy.dialects import sqlite

revision = "0008"
down_revision = "0007"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
NUMBERS = (
    "priority",
    "first_up",
    "cleared_ns",
    "cleared_by",
    "normal_ns",
    "shelved_until_ns",
    "shelved_by",
)
KEYS = {"first_up": "alarms", "cleared_by": "users", "shelved_by": "users"}
OPEN = "normal_ns IS NULL AND (acknowledged_ns IS NULL OR priority IS NOT NULL)"


def upgrade() -> None:
    """Add them."""
    for name in NUMBERS:
        op.add_column("alarms", Column(name, INT))
    op.add_column("alarms", Column("shelved_why", Text()))
    keys = [
        f"CONSTRAINT fk_alarms_{name} FOREIGN KEY({name}) REFERENCES {target} (id)"
        for name, target in KEYS.items()
    ]
    if op.get_bind().dialect.name == "sqlite":
        # No table is copied: https://sqlite.org/lang_altertable.html, the simpler procedure.
        [version] = op.get_bind().exec_driver_sql("PRAGMA schema_version").one()
        op.execute("PRAGMA writable_schema=ON")
        named = "FOREIGN KEY(acknowledged_by) REFERENCES users (id)"
        more = ", ".join([named, *keys])
        op.execute(
            f"UPDATE sqlite_schema SET sql = replace(sql, '{named}', '{more}')"
            " WHERE type = 'table' AND name = 'alarms'"
        )
        op.execute(f"PRAGMA schema_version={version + 1}")
        op.execute("PRAGMA writable_schema=OFF")
    else:
        for key in keys:
            op.execute(f"ALTER TABLE alarms ADD {key}")
    op.drop_index("ix_alarms_standing", "alarms")
    for name, columns, where in (
        ("ix_alarms_unacknowledged", ["kind", "id"], text("acknowledged_ns IS NULL")),
        ("ix_alarms_open", ["table_id", "id"], text(OPEN)),
    ):
        op.create_index(name, "alarms", columns, sqlite_where=where, postgresql_where=where)
