"""Whose turn it was to throw the dice of a table."""

from alembic import op
from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Identity, Text
from sqlalchemy.dialects import sqlite

revision = "0012"
down_revision = "0011"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
CAUSES = "'named', 'won', 'declined', 'ended'"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "throwers",
        Column("id", INT, Identity(), primary_key=True),
        Column("table_id", INT, ForeignKey("tables.id"), nullable=False),
        Column("after_round", INT, nullable=False),
        Column("place", INT),
        Column("account_id", INT, ForeignKey("accounts.id")),
        Column("why", Text(), nullable=False),
        Column("user_id", INT, ForeignKey("users.id")),
        Column("at_ns", INT, nullable=False),
        CheckConstraint(f"why IN ({CAUSES})", op.f("ck_throwers_why_known")),
        CheckConstraint(
            "(why = 'ended') = (place IS NULL)", op.f("ck_throwers_place_unless_ended")
        ),
        sqlite_strict=True,
    )
    op.create_index("ix_throwers_table_id", "throwers", ["table_id", "id"])
