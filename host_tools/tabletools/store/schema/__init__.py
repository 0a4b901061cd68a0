"""The tables of the ledger, the same on SQLite and PostgreSQL.

`evidence` is what the tables sent, `play` the rounds and bets, `books` the money, `people` the
users and their actions. A change is a new migration; a test compares these with the migrations.
"""

from tabletools.store.schema import books, chain, evidence, people, play
from tabletools.store.schema.base import APPEND_ONLY, METADATA
from tabletools.store.schema.guards import guards

__all__ = ["APPEND_ONLY", "METADATA", "books", "chain", "evidence", "guards", "people", "play"]
