"""Announcements of the end of play at a table."""

from alembic import op
from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Identity, Text
from sqlalchemy.dialects import sqlite

revision = "0006"
down_revision = "0005"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
KINDS = "'shoe', 'round', 'minutes', 'withdrawn'"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "play_ends",
        Column("id", INT, Identity(), primary_key=True),
        Column("table_id", INT, ForeignKey("tables.id"), nullable=False),
        Column("kind", Text(), nullable=False),
        Column("bound", INT),
        Column("user_id", INT, ForeignKey("users.id")),
        Column("at_ns", INT, nullable=False),
        CheckConstraint(f"kind IN ({KINDS})", "kind_known"),
        CheckConstraint("(kind = 'withdrawn') = (bound IS NULL)", "bound_unless_withdrawn"),
        sqlite_strict=True,
    )
    op.create_index("ix_play_ends_table_id", "play_ends", ["table_id", "id"])
