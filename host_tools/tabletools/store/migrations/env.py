"""Run by Alembic: the revisions of the schema, on the given connection."""

from alembic import context

from tabletools.store.engine import VERSION_TABLE
from tabletools.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
