"""The first schema, as it is declared.

Until a release is out there is this one alone; it follows the declarations, and its name has
their fingerprint. From then on it is frozen as statements of its own, and each change is a
migration.
"""

from alembic import op

from tabletools.store.schema import METADATA, guards
from tabletools.store.shape import fingerprint

revision = f"0001_{fingerprint()}"
down_revision = None


def upgrade() -> None:
    """Make every table, index and trigger."""
    bind = op.get_bind()
    METADATA.create_all(bind)
    # By the driver itself: a percent sign stays one.
    cursor = bind.connection.cursor()
    for statement in guards(bind.dialect.name):
        cursor.execute(statement)
    cursor.close()


def downgrade() -> None:
    """Refuse: a ledger only grows."""
    raise NotImplementedError("a ledger never goes back; restore a backup")
