"""A bet keeps what the clock of its table showed. Frozen: a change is a new migration."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns; what was written before has none of it."""
    whole = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
    for table in ("bets", "late_refusals"):
        for name in ("device_boot", "device_ms", "uncertainty_ms"):
            op.add_column(table, sa.Column(name, whole, nullable=True))


def downgrade() -> None:
    """Refuse: a ledger only grows."""
    raise NotImplementedError("a ledger never goes back; restore a backup")
