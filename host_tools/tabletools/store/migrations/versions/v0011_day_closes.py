"""Fills and credits, and what was counted when a gaming day was closed."""

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

revision = "0011"
down_revision = "0010"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def _by_two(name: str) -> tuple[Column[int] | Column[str] | CheckConstraint, ...]:
    return (
        Column("first_user", INT, ForeignKey("users.id"), nullable=False),
        Column("second_user", INT, ForeignKey("users.id"), nullable=False),
        Column("reason", Text(), nullable=False),
        Column("at_ns", INT, nullable=False),
        CheckConstraint("first_user <> second_user", name=op.f(f"ck_{name}_two_users")),
    )


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "transfers",
        Column("id", INT, Identity(), primary_key=True),
        Column("kind", Text(), nullable=False),
        Column("place", Text(), nullable=False),
        Column("currency", Text(), nullable=False),
        Column("table_id", INT, ForeignKey("tables.id")),
        Column("amount_cents", INT, nullable=False),
        *_by_two("transfers"),
        CheckConstraint("kind IN ('fill', 'credit')", name=op.f("ck_transfers_kind_known")),
        CheckConstraint("amount_cents > 0", name=op.f("ck_transfers_amount")),
        sqlite_strict=True,
    )
    op.create_index("ix_transfers_place", "transfers", ["place", "currency", "id"])
    op.create_table(
        "day_closes",
        Column("id", INT, Identity(), primary_key=True),
        Column("day", Text(), nullable=False),
        Column("place", Text(), nullable=False),
        Column("currency", Text(), nullable=False),
        Column("table_id", INT, ForeignKey("tables.id")),
        Column("booked_cents", INT, nullable=False),
        Column("transferred_cents", INT, nullable=False),
        Column("expected_cents", INT, nullable=False),
        Column("counted_cents", INT, nullable=False),
        *_by_two("day_closes"),
        CheckConstraint("counted_cents >= 0", name=op.f("ck_day_closes_counted")),
        UniqueConstraint(
            "place", "currency", "day", name=op.f("uq_day_closes_place_currency_day")
        ),
        sqlite_strict=True,
    )
