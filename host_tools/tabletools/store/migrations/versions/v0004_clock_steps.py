"""A bet laid while a step of the host's clock is not looked at says so. Frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns; what was written before has none of it."""
    whole = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
    for table in ("bets", "late_refusals"):
        op.add_column(table, sa.Column("clock_alarm", whole, nullable=True))


def downgrade() -> None:
    """Refuse: a ledger only grows."""
    raise NotImplementedError("a ledger never goes back; restore a backup")
