"""The tables of the ledger, the same on SQLite and PostgreSQL.

`evidence` is what the tables sent, `play` the rounds and bets, `books` the money, `people` the
users and their actions. `METADATA.create_all` creates a ledger: tables, indexes and guards. A
change after a release also needs a revision for the ledgers that exist, see `store.migrate`.
"""

from tabletools.store.schema import books, chain, evidence, guards, people, play
from tabletools.store.schema.base import APPEND_ONLY, METADATA

__all__ = ["APPEND_ONLY", "METADATA", "books", "chain", "evidence", "guards", "people", "play"]
