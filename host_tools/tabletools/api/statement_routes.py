"""The statement of a player over gaming days, as pages and as a file."""

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from tabletools.api import account_statement, csv_file
from tabletools.api import answers_cash as answers
from tabletools.api.account_statement import Wanted
from tabletools.api.answers import responds
from tabletools.api.app_state import MOST_NUMBER, AppState, InApp, RowNumber, action, as_json
from tabletools.money import gaming_day
from tabletools.reports.statements import MOST, MOST_DAYS

router = APIRouter(prefix="/v1", tags=["accounts"])
Row = dict[str, Any]
_Day = Annotated[
    date | None, Query(description="The first gaming day; left out: the present one.")
]
_Days = Annotated[int, Query(ge=1, le=MOST_DAYS)]


@router.get(
    "/accounts/{account}/statement", **action("accounts.see"), **responds(answers.Statement)
)
def statement(
    account: RowNumber,
    app: InApp,
    day: _Day = None,
    days: _Days = 1,
    after: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    most: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> Row:
    """Movements of a player's money on gaming days, oldest first, with the balances before and
    after them. after: `next` of the page before."""
    wanted = _query(app, account, day, days)
    part = account_statement.page(app.reports, wanted, after, most)
    span = wanted.span
    facts = {
        **part.holder._asdict(),
        "day": wanted.day.isoformat(),
        "days": days,
        "begins_ns": span.first_ns,
        "ends_ns": span.end_ns,
        "opening_cents": part.opening_cents,
        "closing_cents": part.closing_cents,
        "is_complete": part.is_complete,
        "entries": [entry._asdict() for entry in part.entries],
        "next": part.next,
    }
    return as_json(facts)


@router.get(
    "/accounts/{account}/statement.csv",
    responses=csv_file.DESCRIBED,
    response_class=Response,
    **action("accounts.see"),
)
def statement_file(
    account: RowNumber,
    app: InApp,
    day: _Day = None,
    days: _Days = 1,
    locale: Literal["en", "nl", "de", "el"] = "en",
) -> Response:
    """The same, whole, for a spreadsheet. locale: its separator and decimal sign."""
    whole = account_statement.whole(app.reports, _query(app, account, day, days))
    name = f"statement-{whole.holder.player_number}-{whole.wanted.day}-{days}.csv"
    return csv_file.answer(name, account_statement.file_text(whole, locale))


def _query(app: AppState, account: int, day: date | None, days: int) -> Wanted:
    hour = app.settings.day_ends_hour
    first = gaming_day.chosen(day, app.ledger.clock.wall_ns(), hour, back=days - 1)
    return Wanted(account, first, days, hour)
