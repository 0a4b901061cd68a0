"""Which user deals at a table: noted when one takes over, for what the table takes meanwhile."""

from sqlalchemy import Connection, func, insert, select, update

from tabletools.store import audit
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.schema.people import users
from tabletools.store.schema.play import dealer_shifts, tables


def take_over(ledger: Store, table: int, who: Actor) -> None:
    """Note that a user deals at a table from now on; the shift of the dealer before ends.

    Raises LedgerRejection.
    """
    _change(ledger, table, who, is_dealing=True)


def leave(ledger: Store, table: int, who: Actor) -> None:
    """Note that no user deals at a table any more. Raises LedgerRejection."""
    _change(ledger, table, who, is_dealing=False)


def _change(ledger: Store, table: int, who: Actor, *, is_dealing: bool) -> None:
    now_ns, col = ledger.clock.wall_ns(), dealer_shifts.c

    def write(db: Connection) -> None:
        # Locked, so that of two who take over at once one ends the other.
        here = select(tables.c.id).where(tables.c.id == table).with_for_update(key_share=True)
        if db.execute(here).one_or_none() is None:
            what = f"there is no table {table}"
            raise LedgerRejection("no_such_table", what, "list them", "table")
        if present(db, table) == (who.name if is_dealing else None):
            return
        db.execute(
            update(dealer_shifts)
            .where(col.table_id == table, col.ended_ns.is_(None))
            .values(ended_ns=now_ns)
        )
        if is_dealing:
            values = {"table_id": table, "user_id": who.user, "began_ns": now_ns}
            db.execute(insert(dealer_shifts).values(**values))
        action = "dealer_began" if is_dealing else "dealer_left"
        audit.note(db, who, action, f"table {table}", now_ns)
        newest = db.execute(select(func.max(col.id)).where(col.table_id == table)).scalar_one()
        data = {"table": table, "dealer": who.name if is_dealing else None}
        name, kind = f"{action}-{newest}", "tablewire.dealer.changed"
        enqueue(db, OutboxEvent(name, kind, f"table/{table}", data, table), now_ns)

    ledger.run(write)


def present(db: Connection, table: int) -> str | None:
    """Return the name of who deals at a table, None for no user."""
    col = dealer_shifts.c
    query = (
        select(users.c.name)
        .join(dealer_shifts, col.user_id == users.c.id)
        .where(col.table_id == table, col.ended_ns.is_(None))
    )
    name: str | None = db.execute(query).scalar_one_or_none()
    return name
