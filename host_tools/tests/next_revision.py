"""Tips: a table, a column of two others, an index, a kind of posting."""

from alembic import op
from sqlalchemy import BigInteger, Column, ForeignKey, Identity, Text
from sqlalchemy.dialects import sqlite

revision = "9999"
down_revision = "0016"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
CHECK = "ck_postings_kind_known"
KINDS = (
    "'deposit', 'payout', 'bet', 'withdrawal', 'settlement', 'reversal', 'ruling', 'seed',"
    " 'adjustment'"
)


def upgrade():
    """Add them."""
    op.create_table(
        "tips",
        Column("id", INT, Identity(), primary_key=True),
        Column("account_id", INT, ForeignKey("accounts.id"), nullable=False),
        Column("cents", INT, nullable=False),
        sqlite_strict=True,
    )
    op.add_column("accounts", Column("remark", Text()))
    op.add_column("bets", Column("seat", INT))
    op.create_index("ix_bets_seat", "bets", ["seat"])
    if op.get_bind().dialect.name == "sqlite":
        # No table is copied: https://sqlite.org/lang_altertable.html, the simpler procedure.
        [version] = op.get_bind().exec_driver_sql("PRAGMA schema_version").one()
        op.execute("PRAGMA writable_schema=ON")
        op.execute(
            "UPDATE sqlite_schema"
            " SET sql = replace(sql, '''adjustment''', '''adjustment'', ''tip''')"
            " WHERE type = 'table' AND name = 'postings'"
        )
        op.execute(f"PRAGMA schema_version={version + 1}")
        op.execute("PRAGMA writable_schema=OFF")
    else:
        op.drop_constraint(op.f(CHECK), "postings")
        op.create_check_constraint(op.f(CHECK), "postings", f"kind IN ({KINDS}, 'tip', 'wallet')")
