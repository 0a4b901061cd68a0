"""The database of a host, SQLite or PostgreSQL: every write is complete and on the disk."""

from sqlalchemy import Connection

from tabletools.store.audit import Actor
from tabletools.store.clock import Clock, SystemClock
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection, LostLease, StoreError

__all__ = [
    "Actor",
    "Clock",
    "Connection",
    "Lease",
    "LedgerRejection",
    "LostLease",
    "Store",
    "StoreError",
    "SystemClock",
]
