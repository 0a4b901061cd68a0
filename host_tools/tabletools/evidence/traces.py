"""The traces of rounds, evidence beside them: which are still to be fetched, and keeping them."""

from sqlalchemy import and_, func, select

from tabletools.store.database import Store
from tabletools.store.rows import insert_new
from tabletools.store.schema.evidence import traces
from tabletools.store.schema.play import rounds

# Rounds a table keeps traces of.
KEPT = 10


class Traces:
    """What of the traces a host needs; each call is a transaction. Raises StoreError."""

    def __init__(self, ledger: Store) -> None:
        self._ledger = ledger

    def wanted(self, device: int) -> int | None:
        """The oldest round the table may have a trace of that is not here, None if all are."""
        at, of = rounds.c, traces.c
        newest = select(func.max(at.number)).where(at.device == device).scalar_subquery()
        query = (
            select(at.number)
            .outerjoin(traces, and_(of.device == at.device, of.round == at.number))
            .where(at.device == device, at.ended.is_not(None), of.round.is_(None))
            .where(at.number > newest - KEPT)
            .order_by(at.number)
            .limit(1)
        )
        with self._ledger.read() as db:
            found: int | None = db.execute(query).scalar_one_or_none()
        return found

    def keep(self, device: int, number: int, data: bytes) -> None:
        """Keep the trace of a round; empty: the table has none. A trace that is here stays."""
        values = {
            "device": device, "round": number, "data": data or None,
            "received_ns": self._ledger.clock.wall_ns(),
        }  # fmt: skip
        self._ledger.run(lambda db: insert_new(db, traces, values))

    def of(self, device: int, number: int) -> bytes | None:
        """The trace of a round, None if there is none here."""
        query = select(traces.c.data).where(traces.c.device == device, traces.c.round == number)
        with self._ledger.read() as db:
            found = db.execute(query).scalar_one_or_none()
        return None if found is None else bytes(found)
