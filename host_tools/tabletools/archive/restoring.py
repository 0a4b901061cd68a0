"""Rows of archives in a temporary database: what reads a ledger reads archives too.

It has only the tables that are asked for, without constraints: a row may name another that is in
no archive here. Of a row in several archives it has that of the latest.
"""

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Table, UniqueConstraint

from tabletools.archive.checking import Archive, file_problems
from tabletools.archive.writing import ENDING, libraries
from tabletools.errors import UNSOUND, ToolError
from tabletools.store.derived_database import DerivedDatabase
from tabletools.store.engine import engine_of
from tabletools.store.schema import METADATA
from tabletools.store.schema.chain import key_names, value_columns

_ROWS = 1000
"""Rows read together: a trace has some kilobytes."""


@contextmanager
def restored(archives: Sequence[Archive], names: Collection[str]) -> Iterator[DerivedDatabase]:
    """Yield a database with the rows of these tables. Raises ToolError for a changed file.

    archives: of one ledger, in their order.
    """
    tables = [METADATA.tables[name] for name in names]
    for archive in archives:
        if problems := list(file_problems(archive, names)):
            raise ToolError(
                "the archive was changed",
                where=str(archive.folder),
                step="keep it for the auditor: tabletool ledger check-archive",
                exit_code=UNSOUND,
                details=problems,
            )
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(DerivedDatabase(engine_of(Path(folder) / "rows"))) as database,
    ):
        with database.write() as db:
            for table in tables:
                _make(db, table)
                for archive in archives:
                    if table.name in archive.manifest.files:
                        _insert(db, table, archive.folder / f"{table.name}{ENDING}")
        yield database


def _make(db: Connection, table: Table) -> None:
    """Make a table, and an index where the ledger has a unique key: a round by its number."""
    columns, keys = value_columns(table), key_names(table)
    names = f"{', '.join(columns)}, PRIMARY KEY ({', '.join(keys)})"
    db.exec_driver_sql(f"CREATE TABLE {table.name} ({names})")
    for place, each in enumerate(table.constraints):
        if isinstance(each, UniqueConstraint):
            unique = ", ".join(column.name for column in each.columns)
            name = f"{table.name}_{place}"
            db.exec_driver_sql(f"CREATE INDEX {name} ON {table.name} ({unique})")


def _insert(db: Connection, table: Table, file: Path) -> None:
    """Insert the rows of a file; a column that its release did not have stays NULL."""
    _, pq = libraries()
    with pq.ParquetFile(file) as rows:
        present = set(rows.schema_arrow.names)
        names = [name for name in value_columns(table) if name in present]
        marks = ", ".join("?" * len(names))
        statement = f"INSERT OR REPLACE INTO {table.name} ({', '.join(names)}) VALUES ({marks})"
        for batch in rows.iter_batches(_ROWS, columns=names):
            columns = [batch.column(name).to_pylist() for name in names]
            db.exec_driver_sql(statement, list(zip(*columns, strict=True)))
