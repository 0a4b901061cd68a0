"""The first schema, as it is declared.

Until the first release this is the only migration; it follows the declarations, and its name has
their fingerprint. After that it is frozen as explicit statements, and each change is a new
migration.
"""

from alembic import op

from tabletools.store.schema import METADATA, guards
from tabletools.store.shape import fingerprint

revision = f"0001_{fingerprint()}"
down_revision = None


def upgrade() -> None:
    """Create every table, index and trigger."""
    bind = op.get_bind()
    METADATA.create_all(bind)
    # Executed by the driver itself, so that a percent sign stays one.
    cursor = bind.connection.cursor()
    for statement in guards(bind.dialect.name):
        cursor.execute(statement)
    cursor.close()


def downgrade() -> None:
    """Refuse: a ledger is never downgraded."""
    raise NotImplementedError("a ledger never goes back; restore a backup")
