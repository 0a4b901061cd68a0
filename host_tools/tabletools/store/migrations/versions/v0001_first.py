"""The first schema, from the statements beside this file."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table, index and trigger."""
    bind = op.get_bind()
    script = Path(__file__).with_name(f"v0001_{bind.dialect.name}.sql")
    # By the driver itself: a percent sign stays one.
    cursor = bind.connection.cursor()
    for statement in script.read_text(encoding="utf-8").split(";\n\n"):
        cursor.execute(statement.rstrip(";\n"))
    cursor.close()


def downgrade() -> None:
    """Refuse: a ledger only grows."""
    raise NotImplementedError("a ledger never goes back; restore a backup")
