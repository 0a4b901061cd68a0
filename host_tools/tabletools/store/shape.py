"""The shape of a database: what tells the schema of one development version from another's.

Until a release the first revision follows the declarations, so its number alone says nothing.
"""

import hashlib
from collections.abc import Iterator

from sqlalchemy.schema import CreateIndex, CreateTable

from tabletools.store.schema import METADATA, guards

_DIGITS = 12


def fingerprint() -> str:
    """Return the digest of every table, column, constraint, index and trigger."""
    digest = hashlib.sha256()
    for statement in _statements():
        digest.update(" ".join(statement.split()).encode() + b"\0")
    return digest.hexdigest()[:_DIGITS]


def _statements() -> Iterator[str]:
    for table in METADATA.sorted_tables:
        yield str(CreateTable(table))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            yield str(CreateIndex(index))
    for dialect in ("sqlite", "postgresql"):
        yield from guards(dialect)
