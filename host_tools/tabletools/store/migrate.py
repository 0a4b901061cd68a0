"""Give a database the schema of this release, in one transaction.

A new database is created from the metadata, and its revision is the newest at once. Only one of an
earlier release runs the revisions after its own, so none of them can depend on what the metadata
says today. Guards follow the metadata alone: they are dropped before and created after, so that a
revision need not repeat them.
"""

from functools import cache
from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    insert,
    inspect,
    select,
    text,
)

from tabletools.store.engine import POSTGRESQL, VERSION_TABLE
from tabletools.store.errors import StoreError
from tabletools.store.schema import METADATA, guards

MIGRATIONS = Path(__file__).with_name("migrations")
_VERSIONS = Table(
    VERSION_TABLE,
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
)
"""As Alembic declares it: it has one row."""
_LOCK = 0x7461626C65  # key of an advisory lock: hosts that start together migrate one by one


@cache
def revisions() -> tuple[str, ...]:
    """The revisions this release knows, newest first: each is the number of its file."""
    files = (MIGRATIONS / "versions").glob("v*_*.py")
    return tuple(sorted((file.name[1:].partition("_")[0] for file in files), reverse=True))


def newest() -> str:
    """The revision of this release."""
    return revisions()[0]


def revision_of(db: Connection) -> str | None:
    """Return the revision of a database, None for one without a ledger.

    Raises StoreError if another program has a table of the same name.
    """
    inspector = inspect(db)
    if not inspector.has_table(VERSION_TABLE):
        return None
    if [column["name"] for column in inspector.get_columns(VERSION_TABLE)] != ["version_num"]:
        raise _foreign()
    heads = db.execute(select(_VERSIONS.c.version_num)).scalars().all()
    if len(heads) > 1:
        raise _foreign()
    return heads[0] if heads else None


def _foreign() -> StoreError:
    return StoreError(
        "this is not a database of tabletool",
        "the database belongs to another program",
        "name another database; this one is unchanged",
    )


def verified_revision(db: Connection) -> str | None:
    """Return the revision of a database, None for an empty one. Raises StoreError.

    Databases of other programs, of later releases and of another shape are refused.
    """
    present = revision_of(db)
    if present is None and inspect(db).get_table_names():
        raise _foreign()
    if present is not None and present not in revisions():
        what = f"the database has schema {present}, this program knows {newest()}"
        if "_" in present:  # before 1.0.0 a number had a fingerprint of the tables behind it
            cause = "a development version of tabletool, from before 1.0.0, wrote it"
            step = "use that version, or name another database; this one is unchanged"
            raise StoreError(what, cause, step)
        raise StoreError(
            what, "a newer release of tabletool wrote it", "use that release or a newer one"
        )
    return present


def migrate(db: Connection) -> None:
    """Create or upgrade the schema, in an open transaction. Raises StoreError."""
    if db.dialect.name == POSTGRESQL:  # on SQLite the transaction is the only writer
        db.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    present = verified_revision(db)
    if present is None:
        METADATA.create_all(db, checkfirst=False)
        _VERSIONS.create(db, checkfirst=False)
        db.execute(insert(_VERSIONS).values(version_num=newest()))
    elif present != newest():
        guards.drop(db)
        _upgrade(db)
        guards.create(db)


def _upgrade(db: Connection) -> None:
    # To import Alembic takes 65 ms and more, a fifth of the start of a command, and few upgrade.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = db
    command.upgrade(config, "head")
