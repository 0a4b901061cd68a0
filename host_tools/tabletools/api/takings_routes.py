"""What tables took, and who deals at them."""

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from tabletools.api import answers_cash as answers
from tabletools.api import csv_file, takings_report
from tabletools.api.answers import responds
from tabletools.api.app_state import InApp, RowNumber, SignedIn, action
from tabletools.api.spreadsheet import csv_text
from tabletools.api.takings_report import MOST_DAYS, Wanted
from tabletools.table import dealer_shifts

router = APIRouter(prefix="/v1")
Row = dict[str, Any]
Day = Annotated[date | None, Query(description="The first gaming day; left out: the present one.")]
Days = Annotated[int, Query(ge=1, le=MOST_DAYS)]
By = Literal["table", "dealer", "game", "zone", "day"]


@router.get("/takings", tags=["takings"], **action("takings.see"), **responds(answers.Takings))
def takings(app: InApp, day: Day = None, days: Days = 1, by: By = "table") -> Row:
    """Drop, win, hold, theoretical hold and pace of gaming days."""
    report = takings_report.report(app, Wanted(day, days, by))
    return {**report._asdict(), "rows": [row._asdict() for row in report.rows]}


@router.get(
    "/takings.csv",
    tags=["takings"],
    responses=csv_file.DESCRIBED,
    response_class=Response,
    **action("takings.see"),
)
def takings_file(
    app: InApp,
    day: Day = None,
    days: Days = 1,
    by: By = "table",
    locale: Literal["en", "nl", "de", "el"] = "en",
) -> Response:
    """The same for a spreadsheet. locale: its separator and decimal sign."""
    report = takings_report.report(app, Wanted(day, days, by))
    text = csv_text(takings_report.HEAD, takings_report.lines(report.rows), locale)
    return csv_file.answer(f"takings-{report.day}-{days}-{by}.csv", text)


@router.get(
    "/tables/{table}/dealer", tags=["tables"], **action("tables.see"), **responds(answers.Dealer)
)
def dealer_of_table(table: RowNumber, app: InApp) -> Row:
    """Who deals at a table."""
    with app.ledger.read() as db:
        return {"name": dealer_shifts.present(db, table)}


@router.put("/tables/{table}/dealer", tags=["tables"], status_code=204, **action("tables.deal"))
def take_over_table(table: RowNumber, who: SignedIn, app: InApp) -> None:
    """Deal at a table from now on, as the logged-in user."""
    dealer_shifts.take_over(app.ledger, table, who.actor)


@router.delete("/tables/{table}/dealer", tags=["tables"], status_code=204, **action("tables.deal"))
def leave_table(table: RowNumber, who: SignedIn, app: InApp) -> None:
    """Note that no user deals at a table any more."""
    dealer_shifts.leave(app.ledger, table, who.actor)
