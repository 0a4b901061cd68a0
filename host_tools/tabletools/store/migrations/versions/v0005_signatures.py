"""Signatures: keys of users, their signatures of the audit log, the MAC and key of a session."""

from alembic import op
from sqlalchemy import BigInteger, Column, ForeignKey, Identity, LargeBinary, text
from sqlalchemy.dialects import sqlite

revision = "0005"
down_revision = "0004"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add them."""
    op.create_table(
        "user_keys",
        Column("id", INT, Identity(), primary_key=True),
        Column("user_id", INT, ForeignKey("users.id"), nullable=False),
        Column("public_key", LargeBinary(), nullable=False),
        Column("salt", LargeBinary(), nullable=False),
        Column("sealed_key", LargeBinary(), nullable=False),
        Column("created_ns", INT, nullable=False),
        Column("retired_ns", INT),
        sqlite_strict=True,
    )
    active = text("retired_ns IS NULL")
    op.create_index(
        "ux_user_keys_active",
        "user_keys",
        ["user_id"],
        unique=True,
        sqlite_where=active,
        postgresql_where=active,
    )
    op.create_table(
        "signatures",
        Column(
            "audit_seq", INT, ForeignKey("audit_log.seq"), primary_key=True, autoincrement=False
        ),
        Column("user_key_id", INT, ForeignKey("user_keys.id"), nullable=False),
        Column("after_seq", INT, nullable=False),
        Column("signature", LargeBinary(), nullable=False),
        sqlite_strict=True,
    )
    op.add_column("sessions", Column("mac", LargeBinary()))
    op.add_column("sessions", Column("sealed_key", LargeBinary()))
