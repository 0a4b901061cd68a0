"""The machines: their audit, replays of rounds, maintenance, the meaning of every reason."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from tablespec.reasons import REASONS
from tabletools.api import answers_machines as answers
from tabletools.api import fairness, replaying
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
from tabletools.evidence import alarms, machines, second_readings
from tabletools.evidence import maintenance as maintenance_log
from tabletools.explain import as_record
from tabletools.money import play_queries
from tabletools.reports import service
from tabletools.store import LedgerRejection

router = APIRouter(prefix="/v1")
Row = dict[str, Any]
SVG, PNG = "image/svg+xml", "image/png"
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {SVG: {}}, "description": "The picture."}
}
_PHOTOGRAPH: dict[int | str, dict[str, Any]] = {
    200: {"content": {PNG: {}}, "description": "The photograph."}
}
# What to do about an alarm that has no reason code.
REMEDIES = {
    alarms.CONFLICT: (
        "two records of one round contradict each other",
        "keep the table out of play; compare the records of the round with the wheel's own sign; "
        "two named users rule on the round, then release the device",
    ),
    alarms.UNEXPECTED: (
        "a record arrived that cannot follow the one before it",
        "look at the records of the round; call the technician if it happens again",
    ),
    alarms.LINK_LOST: (
        "the table fell silent; its bets were closed",
        "check cable and power of the table; bets open again with the next round",
    ),
    alarms.FAULT: (
        "the table detected a fault and reports its code",
        "examine the table; the page of its code says what to do",
    ),
    alarms.TAMPER: (
        "a frame was refused: forged, replayed, stripped of its tag or damaged",
        "check line and device for anything that does not belong there, then release the device "
        "with a reason",
    ),
    alarms.BOOT_FELL: (
        "a device reported an older boot number than before",
        "make sure that the device was not exchanged, then release it with a reason",
    ),
    alarms.PROGRAM: (
        "the device does not run the signed release",
        "install the signed release and have it attested again",
    ),
    alarms.UNENDED: (
        "a round was left without an end, or with one that does not settle its bets",
        "look at the table; two named users rule on the outcome of the round",
    ),
    alarms.UNSETTLED: (
        "a round has ended and its bets could not be settled",
        "two named users rule on the outcome of the round",
    ),
    alarms.VOID_HELD: (
        "a round with stakes became void after no more bets; the alarm names cause and stakes",
        "find out what happened at the table; two named users rule: the round is void, or its "
        "result with the evidence for it",
    ),
    alarms.CLOCK_STEP: (
        "the clock of a host was set, or the host slept; bets were closed, later bets are marked",
        "compare the clock with a reliable one, then acknowledge: bets are no longer marked",
    ),
    alarms.DEVICE_CLOCK: (
        "the clock of a table stepped or drifts by more than 500 ppm; its bets were closed",
        "look at the table: if it happens again, or the alarm counts repeats, replace its "
        "controller, then acknowledge; bets open again with the next round",
    ),
    alarms.LINK_STALE: (
        "nothing proved that the state of the table is less than 1 s old: its bets closed",
        "check the line between host and table for delays, losses and devices that do not "
        "belong there; bets open again with the next round",
    ),
    alarms.NOT_UNDERSTOOD: (
        "a record of the table is authentic and this host cannot read it; its bets stay closed",
        "update this host, which then reads it; or find out what happened at the table and "
        "release the device with a reason",
    ),
    alarms.CONFIGURATION: (
        "the configuration of the controller does not fit the terms of its table, or it cannot "
        "be read; no bets open",
        "correct the value that the alarm names with `tabletool config set`, or the terms of the "
        "table in the host's file; bets open with the next round",
    ),
    alarms.NO_WALK: (
        "no passed walk round the wheel proves that it is mounted and configured correctly; "
        "no bets open",
        f"have a technician walk round it: {maintenance_log.WALK_COMMAND}; bets open with the "
        "next round",
    ),
    alarms.BELOW_ZERO: (
        "a ruling took back more than a player still had; the balance is below zero",
        "collect the amount from the player and deposit it, or have the manager decide",
    ),
    alarms.PICTURE: (
        "the host's reading of the picture of a throw differs from the table's, or failed",
        "look at the picture of the round and at the recordings; two named users rule what "
        "the round came to; if it repeats, look at light, lens and dice",
    ),
    alarms.RIGHTS: (
        "the administrator of the host gave rights alone: to a user on the command line, or to "
        "one person to undo rounds, by the terms of a table; the text says which",
        "ask the administrator who did it and why; disable the user, or take the codes out of "
        "automatic_voids of the table in the host's file, if nobody should",
    ),
    alarms.RESTORED: (
        "the ledger was restored from a backup; what was played and paid after it is missing",
        "compare it with the management system, the cash desk and the tables, and rule on what "
        "is open",
    ),
    alarms.PIN_GUESSED: (
        "so many wrong PINs were tried in a day that no more are checked: of an account, or at "
        "seats that one user offers; the text says which",
        "ask who sat there and look at the recordings; the player can set another PIN at the "
        "cash desk, with a second user",
    ),
    alarms.CALL: (
        "a user at a table calls a supervisor; the text says why",
        "go to the table, then acknowledge the alarm with what was done",
    ),
    alarms.PACE: (
        "a table plays fewer rounds an hour than a rule of the house asks for",
        "look what delays it: the dealer, disputes, or a machine that voids rounds",
    ),
    alarms.UNDONE: (
        "more rounds of a table became void or were corrected than a rule of the house allows",
        "read why in its list of rounds; if one dealer or one player repeats, look at the "
        "recordings; if one reason code repeats, call the technician",
    ),
    alarms.HOLD: (
        "what the bank of a table won of the stakes is outside the band of a rule of the house",
        "compare with the theoretical hold and the fairness of the table; with few rounds it is "
        "mostly chance",
    ),
    alarms.LONG_OPEN: (
        "the bets of a table are open for longer than a rule of the house allows",
        "ask the dealer; close the bets or void the round if it cannot be played",
    ),
    alarms.METER_MOVED: (
        "a round was corrected whose jackpot meter later rounds have moved; the meter stays as "
        "the players saw it, and the house bears the difference",
        "check that later winnings are right; correct those rounds too if they are not",
    ),
    alarms.LATE_BET: (
        "a bet came after no more bets, and by the rules in force a ruling is needed",
        "two named users rule on it under Late bets",
    ),
    alarms.LATE_WITHDRAWAL: (
        "a player took back or changed a bet, and nothing proves that it was before no more bets; "
        "the stake was returned",
        "look at the recording and at the result; if it was too late, charge the player by the "
        "house rules, and look at what delays the line of the table",
    ),
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


def _report(app: AppState, table: int) -> Any:
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
        reasons = [
            (one, maintenance_log.missing_walk(db, one))
            for one in sorted(fitted)
            if device in (None, one)
        ]
        return {
            "checks": [each._asdict() for each in maintenance_log.daily_checks(db, device, most)],
            "missing_walks": [
                {"device": one, "reason": reason} for one, reason in reasons if reason
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
