"""Adjustments by two users; the evidence of a correction, and the round that it follows."""

from alembic import op
from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Text
from sqlalchemy.dialects import sqlite

revision = "0004"
down_revision = "0003"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
CHECK = "ck_postings_kind_known"
KINDS = "'deposit', 'payout', 'bet', 'withdrawal', 'settlement', 'reversal', 'ruling', 'seed'"


def upgrade() -> None:
    """Add them."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    op.create_table(
        "adjustments",
        Column("posting_id", INT, ForeignKey("postings.id"), primary_key=True),
        Column("account_id", INT, ForeignKey("accounts.id"), nullable=False),
        Column("table_id", INT, ForeignKey("tables.id"), nullable=False),
        Column("round_id", INT, ForeignKey("rounds.id")),
        Column("amount_cents", INT, nullable=False),
        Column("first_user", INT, ForeignKey("users.id"), nullable=False),
        Column("second_user", INT, ForeignKey("users.id"), nullable=False),
        Column("reason", Text(), nullable=False),
        Column("evidence", Text(), nullable=False),
        Column("at_ns", INT, nullable=False),
        CheckConstraint("amount_cents <> 0", "not_nothing"),
        CheckConstraint("first_user <> second_user", "two_users"),
        CheckConstraint("length(reason) > 0 AND length(evidence) > 0", "said"),
        sqlite_strict=True,
    )
    op.add_column("round_settlements", Column("evidence", Text()))
    op.add_column("round_settlements", Column("follows", INT))
    follows = "CONSTRAINT fk_round_settlements_follows FOREIGN KEY(follows) REFERENCES rounds (id)"
    if is_sqlite:
        # No table is copied: https://sqlite.org/lang_altertable.html, the simpler procedure.
        [version] = op.get_bind().exec_driver_sql("PRAGMA schema_version").one()
        op.execute("PRAGMA writable_schema=ON")
        second = "FOREIGN KEY(second_user) REFERENCES users (id)"
        _replace("postings", "''seed''", "''seed'', ''adjustment''")
        _replace("round_settlements", second, f"{second}, {follows}")
        op.execute(f"PRAGMA schema_version={version + 1}")
        op.execute("PRAGMA writable_schema=OFF")
    else:
        op.execute(f"ALTER TABLE round_settlements ADD {follows}")
        op.drop_constraint(op.f(CHECK), "postings")
        op.create_check_constraint(op.f(CHECK), "postings", f"kind IN ({KINDS}, 'adjustment')")


def _replace(table: str, old: str, new: str) -> None:
    """Replace a part of the statement that created a table of SQLite."""
    op.execute(
        f"UPDATE sqlite_schema SET sql = replace(sql, '{old}', '{new}')"
        f" WHERE type = 'table' AND name = '{table}'"
    )
