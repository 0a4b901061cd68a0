"""Run by Alembic: the migrations of the ledger, on the given connection."""

from alembic import context

from tabletools.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table="ledger_version",
)
with context.begin_transaction():
    context.run_migrations()
