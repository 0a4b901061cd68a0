"""The close of a gaming day at the cash desk and at tables, and what comes from the vault."""

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query

from tabletools.api import answers_cash as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    MOST_NUMBER,
    InApp,
    Key,
    SignedIn,
    action,
    as_json,
    two_of,
)
from tabletools.api.shapes import NewClose, NewTransfer
from tabletools.money import day_close
from tabletools.money.day_close import Count, Place, Transfer
from tabletools.money.gaming_day import day_of

router = APIRouter(prefix="/v1", tags=["day close"])
Row = dict[str, Any]


@router.get("/cash-places", **action("desk.see"), **responds(answers.CashPlace))
def cash_place(
    app: InApp,
    currency: Annotated[str, Query(pattern="^[A-Z]{3}$")] = "EUR",
    table: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
) -> Row:
    """What has to be at the cash desk or at a table now, and the newest closes and transfers."""
    place = Place(currency, table)
    with app.ledger.read() as db:
        due = day_close.expected(db, place)
        closes, transfers = day_close.rows(db, place)
    day = day_of(app.ledger.clock.wall_ns(), app.settings.day_ends_hour)
    return {
        "day": day.isoformat(),
        "currency": currency,
        "table": table,
        **due._asdict(),
        "closes": [as_json(row) for row in closes],
        "transfers": [as_json(row) for row in transfers],
    }


@router.post("/cash-transfers", **action("desk.transfer"), **responds(answers.Due, 201))
def transfer(body: NewTransfer, key: Key, who: SignedIn, app: InApp) -> Row:
    """Record a fill (from the vault) or a credit (to the vault) with a second user."""
    users = two_of(app, who, body.second)
    place = Place(body.currency, body.table)
    wanted = Transfer(body.kind, place, body.cents, users, body.reason, key)
    return {"expected_cents": day_close.transfer(app.ledger, wanted)}


@router.post("/day-closes", **action("desk.close"), **responds(answers.Difference, 201))
def close_day(body: NewClose, key: Key, who: SignedIn, app: InApp) -> Row:
    """Close a gaming day at a place with what was counted there, with a second user."""
    users = two_of(app, who, body.second)
    place = Place(body.currency, body.table)
    wanted = Count(
        date.fromisoformat(body.day), place, body.counted_cents, users, body.reason, key
    )
    return {"difference_cents": day_close.close(app.ledger, wanted, app.settings.day_ends_hour)}
