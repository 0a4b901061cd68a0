"""The release of a stopped device at a table without terms."""

from sqlalchemy import Connection

from tabletools.evidence import alarms, rounds
from tabletools.evidence import tables as casino
from tabletools.evidence.alarms import Found
from tabletools.store import people
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection

_HERE = Actor("evidence")


def release(ledger: Store, device: int, by: str, why: str) -> None:
    """Release a stopped device, and judge what waited. Raises LedgerRejection.

    by: name of a user, added if there is none with that name. At a table with terms the release
    settles as well: there its pit host does it.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        row = casino.table_of(db, device)
        if row is not None and casino.newest_terms(db, row["id"]) is not None:
            what = f"device {device} plays table {row['name']} of a pit"
            raise LedgerRejection("table_of_a_pit", what, "release it at the console of its host")
        user = people.known_user(db, by, _HERE, now_ns)
        alarms.mark_released(db, device, user, why, now_ns)
        table = None if row is None else row["id"]
        for wrong in rounds.judge_pending(db, device).wrong:
            found = Found(wrong.kind, wrong.text, device, table, wrong.round)
            alarms.raise_alarm(db, found, now_ns)

    ledger.run(write)
