"""The external wallet: its state, movements that wait, a day beside the wallet's statement."""

import threading
import time
from collections.abc import Iterator
from datetime import date
from functools import partial
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Path

from tabletools.api import answers_cash as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    AppState,
    InApp,
    RowNumber,
    SignedIn,
    action,
    as_json,
    two_of,
)
from tabletools.api.shapes import WalletClose, WalletRetry
from tabletools.errors import ToolError
from tabletools.money import gaming_day, wallet_transfers
from tabletools.money.wallet_transfers import HELD, QUEUED, REQUESTED, REVERSING, Transfer
from tabletools.store import LedgerRejection
from tabletools.wallet.messages import Entry
from tabletools.wallet.reconciliation import Reconciliation, reconciled

router = APIRouter(prefix="/v1", tags=["wallet"])
Row = dict[str, Any]
MOST = 200
"""Movements of a list."""
MOST_OF_DAY = 20_000
"""Movements of a day that a page compares: about 1 s of the process that runs the tables."""
MOST_S = 20.0
"""For which a page reads the statement of a day."""
_LISTS = ("differences", "open", "by_hand")
_comparing = threading.Lock()
_Day = Annotated[str, Path(pattern=r"^\d{4}-\d{2}-\d{2}$", json_schema_extra={"format": "date"})]


@router.get("/wallet", **action("wallet.see"), **responds(answers.Wallet))
def wallet(app: InApp) -> Row:
    """Whether the external wallet works, and the movements that are not final, refused ones first.

    day: the gaming day before this one.
    """
    own = app.pit.context.wallet
    with app.ledger.read() as db:
        counts = wallet_transfers.counts(db)
        held = wallet_transfers.in_states(db, HELD, most=MOST)
        others = wallet_transfers.in_states(db, REQUESTED, QUEUED, REVERSING, most=MOST)
    now_ns, hour = app.ledger.clock.wall_ns(), app.settings.day_ends_hour
    return {
        "is_external": own.is_external,
        "trouble": own.trouble(),
        "open": counts,
        "waiting": [_row(one) for one in held + others],
        "day": gaming_day.chosen(None, now_ns, hour, back=1).isoformat(),
    }


@router.get("/wallet/days/{day}", **action("wallet.see"), **responds(answers.WalletDay))
def wallet_day(day: _Day, app: InApp) -> Row:
    """Compare the movements of a gaming day with the statement that the wallet gives of it now."""
    own = app.pit.context.wallet
    if not own.is_external:
        step = "set `wallet` in the settings of the host"
        raise LedgerRejection("wallet_off", "no external wallet has the money", step, "wallet")
    name = _verify_day(day, app)
    if not _comparing.acquire(blocking=False):
        step = "wait until it is done"
        raise LedgerRejection("wallet_busy", "another day is compared", step, "wallet")
    try:
        return _comparison(reconciled(app.ledger, partial(_bound_statement, app), name))
    except ToolError as error:
        raise LedgerRejection("wallet_silent", error.what, error.step, "wallet") from error
    finally:
        _comparing.release()


@router.post(
    "/wallet/transfers/{transfer}/retry",
    **action("wallet.retry"),
    **responds(answers.WalletTransfer),
)
def retry(transfer: RowNumber, body: WalletRetry, who: SignedIn, app: InApp) -> Row:
    """Request a movement that the wallet refused again; a credit or collection under a new key."""
    return _row(wallet_transfers.retry(app.ledger, transfer, who.actor, body.reason))


@router.post(
    "/wallet/transfers/{transfer}/close",
    **action("wallet.close"),
    **responds(answers.WalletTransfer),
)
def close(transfer: RowNumber, body: WalletClose, who: SignedIn, app: InApp) -> Row:
    """Note with a second user that the money of a refused movement was moved there by hand.

    The answer is the movement as it was.
    """
    users = two_of(app, who, body.second)
    return _row(wallet_transfers.close(app.ledger, transfer, users, body.reason))


def _verify_day(day: str, app: AppState) -> str:
    """Return a gaming day that a page may compare. Raises LedgerRejection."""
    try:
        chosen = gaming_day.chosen(date.fromisoformat(day), 0, app.settings.day_ends_hour)
    except ValueError as error:
        what = f"{day} is not a date"
        raise LedgerRejection("no_such_day", what, "write it as 2027-01-31", "day") from error
    with app.ledger.read() as db:
        count = wallet_transfers.count_of_day(db, chosen.isoformat())
    if count > MOST_OF_DAY:
        raise _too_many(day)
    return chosen.isoformat()


def _bound_statement(app: AppState, day: str) -> Iterator[Entry]:
    """Yield the wallet's statement, which may be of a day on which the ledger has fewer."""
    statement = app.pit.context.wallet.statement(day)
    until_s = time.monotonic() + MOST_S
    for entry in islice(statement, MOST_OF_DAY):
        yield entry
        if time.monotonic() > until_s:
            step = "tabletool wallet reconcile waits longer"
            what = f"the wallet has not given its statement within {MOST_S:g} s"
            raise LedgerRejection("wallet_silent", what, step, "wallet")
    if next(statement, None) is not None:
        raise _too_many(day)


def _too_many(day: str) -> LedgerRejection:
    what = f"{day} has more than {MOST_OF_DAY} movements"
    step = f"tabletool wallet reconcile --config host.toml --day {day}"
    return LedgerRejection("wallet_day_long", what, step, "day")


def _row(one: Transfer) -> Row:
    return as_json(one._asdict())


def _comparison(result: Reconciliation) -> Row:
    return {
        "day": result.day,
        "agreed": result.agreed,
        "counts": {name: len(getattr(result, name)) for name in _LISTS},
        "sums": [
            {"currency": unit, "debited_cents": result.debited_cents.get(unit, 0)}
            | {"credited_cents": result.credited_cents.get(unit, 0)}
            for unit in sorted({*result.debited_cents, *result.credited_cents})
        ],
        "differences": [one._asdict() for one in result.differences[:MOST]],
        "open": [_row(one) for one in result.open[:MOST]],
        "by_hand": [_row(one) for one in result.by_hand[:MOST]],
    }
