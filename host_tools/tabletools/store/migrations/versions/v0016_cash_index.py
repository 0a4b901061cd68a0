"""What was paid in or out within a day is found without reading every posting."""

from alembic import op
from sqlalchemy import text

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add the index."""
    cash = text("kind = 'deposit' OR kind = 'payout'")
    op.create_index(
        "ix_postings_cash", "postings", ["at_ns"], sqlite_where=cash, postgresql_where=cash
    )
