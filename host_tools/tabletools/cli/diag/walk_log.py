"""Records a walk round a roulette wheel in the maintenance log of a ledger."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tabletools.cli.diag import asking
from tabletools.cli.open_database import explaining
from tabletools.cli.table_client import TableClient
from tabletools.diag import report
from tabletools.diag.check import Check

if TYPE_CHECKING:
    from tabletools.store import Store


def confirm_worker(place: str, by: str) -> None:
    """Verify that a ledger can record a walk by this user. Raises ToolError."""
    from tabletools.evidence import maintenance as log

    with _open_ledger(place) as ledger:
        log.worker(ledger, by)


def record_walk(client: TableClient, checks: Sequence[Check], place: str, by: str) -> None:
    """Record the checks of a walk, and the values it was made with. Raises ToolError."""
    from tabletools.evidence import maintenance as log

    table = asking.identity(client)
    values = {key: client.value(key) for key in log.walked_keys(asking.role(client))}
    with _open_ledger(place) as ledger:
        passed = not report.failed(checks)
        log.keep_walk(ledger, log.worker(ledger, by), table.device, values, passed=passed)


@contextmanager
def _open_ledger(place: str) -> "Iterator[Store]":
    # The database takes long to import, and is needed only here.
    from tabletools.store import Store

    with explaining(place):
        ledger = Store.open_existing(place)
        try:
            yield ledger
        finally:
            ledger.close()
