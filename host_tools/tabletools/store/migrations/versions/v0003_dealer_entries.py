"""What the dealer of a card round entered: which bet is on which box, and what was decided."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects import sqlite

revision = "0003"
down_revision = "0002"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "dealer_entries",
        Column("id", INT, Identity(), primary_key=True),
        Column("round_id", INT, ForeignKey("rounds.id"), nullable=False),
        Column("kind", Text(), nullable=False),
        Column("content", Text(), nullable=False),
        Column("user_id", INT, ForeignKey("users.id")),
        Column("at_ns", INT, nullable=False),
        Column("device_boot", INT),
        Column("device_ms", INT),
        Column("uncertainty_ms", INT),
        CheckConstraint("kind IN ('layout', 'hands')", name=op.f("ck_dealer_entries_kind_known")),
        UniqueConstraint("round_id", "kind", name=op.f("uq_dealer_entries_round_id_kind")),
        sqlite_strict=True,
    )
