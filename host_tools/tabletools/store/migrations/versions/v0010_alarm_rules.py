"""Rules by which users want an alarm."""

from alembic import op
from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Identity, Text
from sqlalchemy.dialects import sqlite

revision = "0010"
down_revision = "0009"
INT = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
MEASURES = "measure IN ('pace', 'undone', 'hold', 'long_open')"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "alarm_rules",
        Column("id", INT, Identity(), primary_key=True),
        Column("measure", Text(), nullable=False),
        Column("table_id", INT, ForeignKey("tables.id")),
        Column("low", INT),
        Column("high", INT),
        Column("hours", INT, nullable=False),
        Column("least_games", INT, nullable=False),
        Column("at_ns", INT, nullable=False),
        Column("user_id", INT, ForeignKey("users.id"), nullable=False),
        Column("ended_ns", INT),
        Column("ended_by", INT, ForeignKey("users.id")),
        CheckConstraint(MEASURES, name=op.f("ck_alarm_rules_measure_known")),
        CheckConstraint("low IS NOT NULL OR high IS NOT NULL", name=op.f("ck_alarm_rules_band")),
        CheckConstraint(
            "(ended_ns IS NULL) = (ended_by IS NULL)", name=op.f("ck_alarm_rules_ended")
        ),
        sqlite_strict=True,
    )
