"""The users of a provider by the number that it gives them."""

from alembic import op
from sqlalchemy import BigInteger, Column, ForeignKey, Identity, Text, UniqueConstraint
from sqlalchemy.dialects import sqlite

revision = "0014"
down_revision = "0013"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "subjects",
        Column("id", INT, Identity(), primary_key=True),
        Column("issuer", Text(), nullable=False),
        Column("subject", Text(), nullable=False),
        Column("user_id", INT, ForeignKey("users.id"), nullable=False),
        Column("at_ns", INT, nullable=False),
        UniqueConstraint(
            "issuer", "subject", "user_id", name=op.f("uq_subjects_issuer_subject_user_id")
        ),
        sqlite_strict=True,
    )
    op.create_index("ix_subjects_user_id", "subjects", ["user_id"])
