"""The release of a stopped device at a table without terms."""

from sqlalchemy import Connection

from tabletools.evidence import alarms
from tabletools.evidence import tables as casino
from tabletools.evidence.alarms import AlarmCause
from tabletools.store import people
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.table import judging, shell

_HERE = Actor("evidence")


def release(ledger: Store, device: int, by: str, why: str) -> None:
    """Release a stopped device, and judge what waited. Raises LedgerRejection.

    by: name of a user, added if there is none with that name. At a table with terms the release
    settles as well: there its pit host does it. A collector that has the lease of the table reads
    its state again when it meets the end of the stop.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        row = casino.table_of(db, device)
        if row is not None and casino.newest_terms(db, row.id) is not None:
            what = f"device {device} plays table {row.name} of a pit"
            raise LedgerRejection("table_of_a_pit", what, "release it at the console of its host")
        user = people.known_user(db, by, _HERE, now_ns)
        alarms.end_stop(db, device, user, why, now_ns)
        if row is not None:
            _judge(ledger, db, row.id, device)

    ledger.run(write)


def _judge(ledger: Store, db: Connection, table: int, device: int) -> None:
    turn = shell.without_lease(ledger, db, table, device)
    if turn is None:
        return  # no host ever had it
    for key, text, kind in judging.judge(turn, device):
        alarms.raise_alarm(db, AlarmCause(kind, text, device, table, key), turn.now_ns)
    turn.flush()
