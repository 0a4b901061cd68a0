"""The schema of release 1.0.0: the statements beside this file, which never change again."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table, index and trigger."""
    bind = op.get_bind()
    statements = Path(__file__).with_name(f"v0001_{bind.dialect.name}.sql").read_text("utf-8")
    # Executed by the driver itself, so that a percent sign stays one.
    cursor = bind.connection.cursor()
    for statement in statements.split(";\n\n"):
        cursor.execute(statement)
    cursor.close()


def downgrade() -> None:
    """Refuse: a ledger is never downgraded."""
    raise NotImplementedError("a ledger never goes back; restore a backup")
