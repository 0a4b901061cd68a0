"""Trays of the host's own cameras whose floor was corrected by hand."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    LargeBinary,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects import sqlite

revision = "0015"
down_revision = "0014"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "tray_versions",
        Column("id", INT, Identity(), primary_key=True),
        Column("table_id", INT, ForeignKey("tables.id"), nullable=False),
        Column("reference", Text(), nullable=False),
        Column("version", INT, nullable=False),
        Column("replaces", Text()),
        Column("digest", Text(), nullable=False),
        Column("file", LargeBinary(), nullable=False),
        Column("user_id", INT, ForeignKey("users.id")),
        Column("reason", Text()),
        Column("at_ns", INT, nullable=False),
        CheckConstraint("(version = 1) = (replaces IS NULL)", op.f("ck_tray_versions_corrected")),
        CheckConstraint("(version = 1) = (user_id IS NULL)", op.f("ck_tray_versions_named")),
        CheckConstraint("(version = 1) = (reason IS NULL)", op.f("ck_tray_versions_why")),
        UniqueConstraint(
            "table_id",
            "reference",
            "version",
            name=op.f("uq_tray_versions_table_id_reference_version"),
        ),
        sqlite_strict=True,
    )
