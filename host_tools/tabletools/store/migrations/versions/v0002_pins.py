"""PINs of players."""

from alembic import op
from sqlalchemy import BigInteger, Column, ForeignKey, Text
from sqlalchemy.dialects import sqlite

revision = "0002"
down_revision = "0001"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add their table."""
    op.create_table(
        "pins",
        Column(
            "account_id", INT, ForeignKey("accounts.id"), primary_key=True, autoincrement=False
        ),
        Column("pin_hash", Text(), nullable=False),
        Column("at_ns", INT, nullable=False),
        sqlite_strict=True,
    )
