"""The machines: their audit, replays of rounds, maintenance, the meaning of every reason."""

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Response

from tablespec.reasons import REASONS
from tabletools.api import answers_machines as answers
from tabletools.api import fairness, replaying
from tabletools.api.alarm_remedies import REMEDIES
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    MOST_NUMBER,
    AppState,
    InApp,
    RowNumber,
    SignedIn,
    action,
    as_json,
)
from tabletools.api.play_routes import trace_of
from tabletools.api.record_text import text_of
from tabletools.api.shapes import NewDailyCheck
from tabletools.evidence import machines, second_readings
from tabletools.evidence import maintenance as maintenance_log
from tabletools.explain import as_record
from tabletools.money import play_queries
from tabletools.reports import service
from tabletools.store import LedgerRejection

if TYPE_CHECKING:
    from tabletools.audit import Machine, Report

router = APIRouter(prefix="/v1")
Row = dict[str, Any]
SVG, PNG = "image/svg+xml", "image/png"
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {SVG: {}}, "description": "The picture."}
}
_PHOTOGRAPH: dict[int | str, dict[str, Any]] = {
    200: {"content": {PNG: {}}, "description": "The photograph."}
}


@router.get("/reasons", tags=["alarms"], **action("tables.see"))
def reasons() -> Row:
    """Cause and remedy of every reason code and of every kind of alarm."""
    kinds = [
        {"kind": kind, "cause": cause, "remedy": remedy}
        for kind, (cause, remedy) in REMEDIES.items()
    ]
    return {"reasons": [as_record(reason) for reason in REASONS], "alarms": kinds}


@router.get("/tables/{table}/audit", tags=["machines"], **action("rounds.see"))
def audit(table: RowNumber, app: InApp) -> Row:
    """Whether wheel, dice, cards or balls are fair, by the results since the last move."""
    report = _report(app, table)
    if report is None:
        return {"table": table, "machine": None, "n": 0}
    return {"table": table, **fairness.record_of(*report)}


@router.get(
    "/tables/{table}/audit.svg",
    tags=["machines"],
    responses=_PICTURE,
    response_class=Response,
    **action("rounds.see"),
)
def audit_picture(table: RowNumber, app: InApp) -> Response:
    """The audit as a picture."""
    report = _report(app, table)
    if report is None or report[1] is None:
        raise LedgerRejection(
            "no_picture", "nothing fell at this table", "wait for a round", "table"
        )
    return Response(fairness.picture_of(report[1]), media_type=SVG)


def _report(app: AppState, table: int) -> "tuple[Machine, Report | None] | None":
    with app.reports.look_back() as look:
        return fairness.report_looking_back(look, play_queries.table_row(look.ledger, table))


@router.get("/rounds/{number}/replay", tags=["rounds"], **action("rounds.see"))
def replay(number: RowNumber, app: InApp) -> Row:
    """Replay of a round by the table's logic on its sensor trace, and whether it agrees."""
    return {"round": number, **replaying.summary(trace_of(app, number))}


@router.get(
    "/rounds/{number}/replay.svg",
    tags=["rounds"],
    responses=_PICTURE,
    response_class=Response,
    **action("rounds.see"),
)
def replay_picture(number: RowNumber, app: InApp) -> Response:
    """The replay as a picture."""
    data = trace_of(app, number)
    drawn = None if data is None else replaying.picture(data)
    if drawn is None:
        what = f"there is no picture of round {number}"
        raise LedgerRejection("no_picture", what, "see the records of the round", "round")
    return Response(drawn, media_type=SVG)


@router.get(
    "/rounds/{number}/second-picture.png",
    tags=["rounds"],
    responses=_PHOTOGRAPH,
    response_class=Response,
    **action("rounds.see"),
)
def second_picture(number: RowNumber, app: InApp) -> Response:
    """What the host's own cameras saw when the result came."""
    with app.ledger.read() as db:
        reading = second_readings.of_round(db, number)
    if reading is None or not reading.second_picture:
        what = f"no picture by a camera of the host is kept of round {number}"
        raise LedgerRejection("no_picture", what, "see the records of the round", "round")
    return Response(reading.second_picture, media_type=PNG)


@router.get("/maintenance", tags=["devices"], **action("devices.see"))
def maintenance(
    app: InApp,
    device: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    before: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    most: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Row:
    """Boots, service, configuration and faults, newest first, and counts of every device.

    before: frame of the last row of the page before.
    """
    with app.reports.look_back() as look:
        rows = machines.service_rows(look.ledger, service.newest(look.model, device, before, most))
        counted = machines.counts(look.ledger, service.counts(look.model))
    for row in rows:
        row["text"] = text_of(row.pop("raw"), row["payload"])
    return {"rows": [as_json(row) for row in rows], "devices": [as_json(row) for row in counted]}


@router.get(
    "/daily-checks", tags=["devices"], **action("devices.see"), **responds(answers.DailyChecks)
)
def daily_checks(
    app: InApp,
    device: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    most: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Row:
    """The checks made before opening, newest first, with their users.

    missing_walks: tables with a roulette wheel that no passed walk proves as it is configured.
    """
    with app.ledger.read() as db:
        fitted = {row.device for row in play_queries.table_rows(db) if row.device is not None}
        missing = {
            each: maintenance_log.missing_walk(db, each)
            for each in sorted(fitted)
            if device in (None, each)
        }
        checks = maintenance_log.daily_checks(db, device, most)
    return {
        "checks": [each._asdict() for each in checks],
        "missing_walks": [
            {"device": each, "reason": reason} for each, reason in missing.items() if reason
        ],
    }


@router.post(
    "/tables/{table}/daily-checks",
    tags=["devices"],
    **action("devices.check"),
    **responds(answers.DailyCheck, 201),
)
def keep_daily_check(table: RowNumber, body: NewDailyCheck, who: SignedIn, app: InApp) -> Row:
    """Store a check of a table's device made before opening; it is never changed."""
    with app.ledger.read() as db:
        device = play_queries.table_row(db, table).device
    if device is None:
        what = f"there is no table {table} with a device"
        raise LedgerRejection("no_such_table", what, "list them", "table")
    items = body.model_dump(include=set(maintenance_log.ITEMS))
    check = maintenance_log.keep_daily(app.ledger, who.actor, device, items, body.note)
    return check._asdict()
