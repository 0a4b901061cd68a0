"""The floor of a tray that the host's own camera sees, corrected by hand between two rounds.

What is read of a throw depends on it, so it is the same from the opening of a round to its end:
while one is played, or waits for its verdict, none is accepted.
"""

from sqlalchemy.exc import IntegrityError

from tabletools import authority
from tabletools.evidence import tray_versions
from tabletools.evidence.rounds import PENDING
from tabletools.evidence.tray_versions import Corrected
from tabletools.store import audit, people
from tabletools.store.audit import Actor
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.table import shell
from tabletools.table.shell import Turn

CORRECTED = "tablewire.tray.corrected"
_WAIT = "wait for its end, and send it again: it holds from the next throw on"
_AGAIN = "load the page again, and correct the floor that is in force now"


def correct(
    ledger: Store,
    lease: Lease,
    calibrated: bytes,
    one: Corrected,
    floor: list[tuple[int, int]],
    who: Actor,
) -> None:
    """Store a corrected tray; from the next throw on it is read with.

    calibrated: file of the tray before any correction. floor: corners in `one`, px. Raises
    LedgerRejection, LostLease, StoreError.
    """

    def write(turn: Turn) -> None:
        people.verify_may(turn.db, who, authority.TRAY)
        _verify_between_rounds(turn)
        present = tray_versions.newest_digest(turn.db, turn.table, one.reference)
        if present != one.replaces:
            raise _change_rejection(turn)
        if present == one.digest:
            what = f"the floor of table {turn.shared.name} has these corners already"
            raise LedgerRejection("floor_unchanged", what, "move a corner first", "floor")
        try:
            version = tray_versions.keep(turn.db, turn.table, calibrated, one, turn.now_ns)
        except IntegrityError as error:
            raise _change_rejection(turn) from error
        _note(turn, one, version, floor, who)

    shell.run(ledger, lease, write)


def _verify_between_rounds(turn: Turn) -> None:
    """Raise LedgerRejection while a throw is played, or is not read yet."""
    state, table = turn.state, turn.shared.name
    for each in state.of_device(turn.shared.device or 0):
        is_running = each.ended is None and not each.settled
        if is_running or (each.verdict == PENDING and not each.settled):
            word = "is not over" if is_running else "is not read yet"
            what = f"round {each.number} of table {table} {word}"
            raise LedgerRejection("round_unended", what, _WAIT, "table")
    if state.bets_open:
        what = f"bets are open at table {table}"
        raise LedgerRejection("round_unended", what, _WAIT, "table")


def _change_rejection(turn: Turn) -> LedgerRejection:
    what = f"another floor of table {turn.shared.name} was stored since this one was read"
    return LedgerRejection("tray_changed", what, _AGAIN, "digest")


def _note(
    turn: Turn, one: Corrected, version: int, floor: list[tuple[int, int]], who: Actor
) -> None:
    facts = {"version": version, "digest": one.digest, "replaces": one.replaces}
    facts |= {"reason": one.reason}
    subject = f"table {turn.table}"
    more = {"reference": one.reference, "floor": floor}
    audit.note(turn.db, who, "tray_corrected", subject, turn.now_ns, **facts, **more)
    data = {"table": turn.table, **facts, "user": who.name}
    name = f"tray-{turn.table}-{one.reference}-{version}"
    event = OutboxEvent(name, CORRECTED, f"table/{turn.table}", data, turn.table)
    enqueue(turn.db, event, turn.now_ns)
