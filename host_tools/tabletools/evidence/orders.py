"""Orders to change a device's configuration: by whom, and their outcome. One row each."""

from collections.abc import Sequence

from sqlalchemy import Connection, insert, update

from tabletools.evidence.records import RecordId
from tabletools.store.database import Store
from tabletools.store.rows import insert_new
from tabletools.store.schema.evidence import order_records, orders

# Author, command (message id), key and value; key 0: all of them.
Wanted = tuple[str, int, int, int]


def begin(ledger: Store, device: int, wanted: Wanted) -> int:
    """Store an order before it is sent; returns its number. Raises StoreError."""
    author, command, key, value = wanted
    values = {"author": author, "command": command, "key": key, "value": value}
    values |= {"device": device, "at_ns": ledger.clock.wall_ns()}
    statement = insert(orders).values(**values).returning(orders.c.id)
    return ledger.run(lambda db: int(db.execute(statement).scalar_one()))


def end(ledger: Store, number: int, device: int, outcome: str, places: Sequence[RecordId]) -> None:
    """Store the outcome of an order. places: of the records it made. Raises StoreError."""

    def write(db: Connection) -> None:
        col = orders.c
        db.execute(
            update(orders).where(col.id == number, col.outcome.is_(None)).values(outcome=outcome)
        )
        for boot, counter in places:
            values = {"device": device, "boot": boot, "counter": counter, "order_id": number}
            insert_new(db, order_records, values)

    ledger.run(write)
