"""Players whose money is in an external wallet, and what is requested there."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects import sqlite

revision = "0013"
down_revision = "0012"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
ACCOUNTS = "'player', 'escrow', 'house', 'cash', 'meter', 'rake'"
POSTINGS = (
    "'deposit', 'payout', 'bet', 'withdrawal', 'settlement', 'reversal', 'ruling', 'seed',"
    " 'adjustment'"
)
KINDS = "'stake', 'payment', 'collection'"
OPEN = "'requested', 'queued', 'reversing', 'held'"


def upgrade() -> None:
    """Add them."""
    op.create_table(
        "wallet_accounts",
        Column("account_id", INT, ForeignKey("accounts.id"), primary_key=True),
        Column("at_ns", INT, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "wallet_transfers",
        Column("id", INT, Identity(), primary_key=True),
        Column("request_key", Text(), nullable=False),
        Column("kind", Text(), nullable=False),
        Column("account_id", INT, ForeignKey("accounts.id"), nullable=False),
        Column("amount_cents", INT, nullable=False),
        Column("day", Text(), nullable=False),
        Column("table_id", INT, ForeignKey("tables.id")),
        Column("round_id", INT, ForeignKey("rounds.id")),
        Column("posting_id", INT, ForeignKey("postings.id")),
        Column("state", Text(), nullable=False),
        Column("at_ns", INT, nullable=False),
        Column("attempts", INT, nullable=False),
        Column("error", Text()),
        Column("done_ns", INT),
        _check("kind_known", f"kind IN ({KINDS})"),
        _check("state_known", f"state IN ({OPEN}, 'done', 'refused', 'reversed')"),
        _check("amount", "amount_cents > 0"),
        _check("booked", "(posting_id IS NULL) = (kind = 'stake' AND state <> 'done')"),
        UniqueConstraint("request_key", name=op.f("uq_wallet_transfers_request_key")),
        sqlite_strict=True,
    )
    op.create_index("ix_wallet_transfers_day", "wallet_transfers", ["day", "id"])
    is_open = text(f"state IN ({OPEN})")
    op.create_index(
        "ix_wallet_transfers_open",
        "wallet_transfers",
        ["state", "id"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
    _add_kinds()


def _check(name: str, condition: str) -> CheckConstraint:
    return CheckConstraint(condition, name=op.f(f"ck_wallet_transfers_{name}"))


def _add_kinds() -> None:
    """Add the kind of account and of posting."""
    if op.get_bind().dialect.name == "sqlite":
        # No table is copied: https://sqlite.org/lang_altertable.html, the simpler procedure.
        [version] = op.get_bind().exec_driver_sql("PRAGMA schema_version").one()
        op.execute("PRAGMA writable_schema=ON")
        for table, last in (("accounts", "rake"), ("postings", "adjustment")):
            op.execute(
                "UPDATE sqlite_schema"
                f" SET sql = replace(sql, '''{last}'')', '''{last}'', ''wallet'')')"
                f" WHERE type = 'table' AND name = '{table}'"
            )
        op.execute(f"PRAGMA schema_version={version + 1}")
        op.execute("PRAGMA writable_schema=OFF")
        return
    for table, kinds in (("accounts", ACCOUNTS), ("postings", POSTINGS)):
        name = op.f(f"ck_{table}_kind_known")
        op.drop_constraint(name, table)
        op.create_check_constraint(name, table, f"kind IN ({kinds}, 'wallet')")
