"""Who ordered changes of a configuration, and values that no record told."""

from alembic import op

from tabletools.store.schema.evidence import order_records, orders, readings

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables."""
    for table in (orders, order_records, readings):
        table.create(op.get_bind())


def downgrade() -> None:
    """Refuse: a ledger only grows."""
    raise NotImplementedError("a ledger never goes back; restore a backup")
