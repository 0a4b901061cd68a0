"""Who dealt at a table, and when."""

from alembic import op
from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Identity, text
from sqlalchemy.dialects import sqlite

revision = "0009"
down_revision = "0008"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "dealer_shifts",
        Column("id", INT, Identity(), primary_key=True),
        Column("table_id", INT, ForeignKey("tables.id"), nullable=False),
        Column("user_id", INT, ForeignKey("users.id"), nullable=False),
        Column("began_ns", INT, nullable=False),
        Column("ended_ns", INT),
        CheckConstraint(
            "ended_ns IS NULL OR ended_ns >= began_ns", name=op.f("ck_dealer_shifts_order")
        ),
        sqlite_strict=True,
    )
    op.create_index("ix_dealer_shifts_table_id", "dealer_shifts", ["table_id", "id"])
    present = text("ended_ns IS NULL")
    op.create_index(
        "ux_dealer_shifts_present",
        "dealer_shifts",
        ["table_id"],
        unique=True,
        sqlite_where=present,
        postgresql_where=present,
    )
