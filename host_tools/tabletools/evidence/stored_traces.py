"""The traces of rounds: which are still to be fetched, and how they are stored.

A trace is stored as the frames that carried it, so that their tags prove it.
"""

from sqlalchemy import Connection, and_, func, select

from tabletools.decode.stored_frames import assembled
from tabletools.evidence import records
from tabletools.evidence.rounds import PENDING
from tabletools.link import Proof
from tabletools.store.database import Store
from tabletools.store.rows import insert_new
from tabletools.store.schema.evidence import traces
from tabletools.store.schema.play import rounds

# Rounds a table keeps traces of.
KEPT = 10


class Traces:
    """The traces a host needs; each call is a transaction. Raises StoreError."""

    def __init__(self, ledger: Store) -> None:
        self._ledger = ledger

    def next_missing(self, device: int) -> int | None:
        """A round whose trace is missing here and may be at the table, else None.

        First one whose result waits, for the picture is in the trace; then the oldest.
        """
        round_col, trace_col = rounds.c, traces.c
        newest = (
            select(func.max(round_col.number)).where(round_col.device == device).scalar_subquery()
        )
        query = (
            select(round_col.number)
            .outerjoin(
                traces,
                and_(trace_col.device == round_col.device, trace_col.round == round_col.number),
            )
            .where(
                round_col.device == device, round_col.ended.is_not(None), trace_col.round.is_(None)
            )
            .where(round_col.number > newest - KEPT)
            .order_by(
                (round_col.verdict != PENDING) | (round_col.settled > 0),
                round_col.number,
            )
            .limit(1)
        )
        with self._ledger.read() as db:
            number: int | None = db.execute(query).scalar_one_or_none()
        return number

    def keep(self, device: int, number: int, raw: bytes, proof: Proof | None) -> None:
        """Store the trace of a round, as the frames that carried it.

        A stored trace is not replaced. proof: of the session under which all of them came.
        """
        now_ns = self._ledger.clock.wall_ns()

        def insert(db: Connection) -> None:
            values = {
                "device": device,
                "round": number,
                "bytes": len(assembled(raw)),
                "raw": raw,
                "line_session_id": records.session_of(db, device, proof, now_ns),
                "received_ns": now_ns,
            }
            insert_new(db, traces, values)

        self._ledger.run(insert)

    def of(self, device: int, number: int) -> bytes | None:
        """The trace of a round, None if there is none here."""
        query = select(traces.c.raw).where(traces.c.device == device, traces.c.round == number)
        with self._ledger.read() as db:
            raw = db.execute(query).scalar_one_or_none()
        return None if raw is None else assembled(bytes(raw)) or None
