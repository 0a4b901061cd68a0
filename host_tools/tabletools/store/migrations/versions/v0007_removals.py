"""Removals by retention; deliveries without a foreign key; rounds that are not believed."""

from alembic import op
from sqlalchemy import BigInteger, CheckConstraint, Column, Identity, Text, text
from sqlalchemy.dialects import sqlite

revision = "0007"
down_revision = "0006"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add them."""
    op.create_table(
        "removals",
        Column("id", INT, Identity(), primary_key=True),
        Column("name", Text(), nullable=False),
        Column("entry", INT, nullable=False),
        Column("before_ns", INT, nullable=False),
        Column("rows", INT, nullable=False),
        Column("at_ns", INT, nullable=False),
        CheckConstraint("name IN ('outbox', 'idempotency_keys')", "name_known"),
        sqlite_strict=True,
    )
    op.create_index("ix_removals_name", "removals", ["name", "id"])
    others = text("verdict <> 'believed'")
    op.create_index(
        "ix_rounds_not_believed",
        "rounds",
        ["verdict", "id"],
        sqlite_where=others,
        postgresql_where=others,
    )
    constraint = "CONSTRAINT fk_deliveries_outbox_id FOREIGN KEY(outbox_id) REFERENCES outbox (id)"
    if op.get_bind().dialect.name == "sqlite":
        # No table is copied: https://sqlite.org/lang_altertable.html, the simpler procedure.
        [version] = op.get_bind().exec_driver_sql("PRAGMA schema_version").one()
        op.execute("PRAGMA writable_schema=ON")
        op.execute(
            f"UPDATE sqlite_schema SET sql = replace(sql, ', \n\t{constraint}', '')"
            " WHERE type = 'table' AND name = 'deliveries'"
        )
        op.execute(f"PRAGMA schema_version={version + 1}")
        op.execute("PRAGMA writable_schema=OFF")
    else:
        op.drop_constraint(op.f("fk_deliveries_outbox_id"), "deliveries")
