"""Tables, devices, rounds and alarms."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from tabletools import decode
from tabletools.api import answers_play as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    MOST_NUMBER,
    AppState,
    InApp,
    RowNumber,
    SignedIn,
    action,
    as_json,
    as_time,
    two_of,
)
from tabletools.api.auth import AuthError
from tabletools.api.paragraph_texts import texts_of
from tabletools.api.record_text import text_of
from tabletools.api.roles import PERMISSIONS, may
from tabletools.api.shapes import (
    NO_NUL,
    Acknowledgement,
    Acknowledgements,
    AlarmsEnd,
    Enable,
    Order,
    PlayEnd,
    Release,
    Shelving,
    SupervisorCall,
    ThrowerTurn,
)
from tabletools.evidence import alarms
from tabletools.evidence.rounds import RoundRow, by_key
from tabletools.evidence.stored_traces import Traces
from tabletools.evidence_file import writing as evidence_writing
from tabletools.money import people_queries, play_queries
from tabletools.money.people_queries import AlarmSearch
from tabletools.money.play_queries import MOST, CasinoTable, Search
from tabletools.pit import checkpoints, orders
from tabletools.pit.host_addresses import addresses_of
from tabletools.pit.pit import host_of
from tabletools.reports import rounds as round_reports
from tabletools.store import LedgerRejection
from tabletools.table import play_end, thrower
from tabletools.table.terms import change_table

router = APIRouter(prefix="/v1")
Row = dict[str, Any]
_FILE: dict[int | str, Row] = {
    200: {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}
}


_PARTS = 20
"""Most parts of MOST rounds that one search by outcome goes through."""


# --- tables --------------------------------------------------------------------------------------


@router.get("/tables", tags=["tables"], **action("tables.see"), **responds(answers.Tables))
def tables(app: InApp) -> Row:
    """Every table of the ledger; those this host owns with their live state."""
    with app.ledger.read() as db:
        rows = play_queries.table_rows(db)
    return {"tables": [_table(app, row) for row in rows]}


@router.get("/tables/{table}", tags=["tables"], **action("tables.see"), **responds(answers.Table))
def table(table: RowNumber, app: InApp) -> Row:
    """One table."""
    with app.ledger.read() as db:
        row = play_queries.table_row(db, table)
    return _table(app, row)


@router.get(
    "/where/{name}", tags=["tables"], **action("tables.see"), **responds(answers.Whereabouts)
)
def where(name: Annotated[str, Path(max_length=100, pattern=NO_NUL)], app: InApp) -> Row:
    """Which host owns a table, by the table's name."""
    with app.ledger.read() as db:
        owner = play_queries.owner_of(db, name)
    if owner is None:
        what = f"there is no table {name!r}"
        raise LedgerRejection("no_such_table", what, "list the tables", "name")
    until_ns, settings = owner.expires_ns or 0, app.settings
    is_owned = until_ns > app.ledger.clock.wall_ns()
    host = host_of(owner.holder) if is_owned and owner.holder is not None else None
    return {
        "table": owner.table,
        "name": name,
        "site": settings.site,
        "pit": settings.pit,
        "host": host,
        "address": None if host is None else addresses_of(settings).get(host),
        "is_here": host is not None and str(owner.holder).startswith(app.pit.context.holder),
        "owned_until_at": as_time(until_ns) if is_owned else None,
    }


def _table(app: AppState, row: CasinoTable) -> Row:
    facts, terms = row._asdict(), row.terms
    del facts["terms"]
    seat = app.pit.seats.get(row.id)
    return as_json(facts) | {
        "enabled": bool(row.enabled),
        "bets_open": bool(row.bets_open),
        "game": terms.game,
        "rules": terms.rules,
        "variant": terms.variant,
        "limits": dict(terms.limits),
        "options": dict(terms.options),
        "void_policy": terms.void_policy,
        "has_host_camera": seat is not None and seat.place.aids.camera is not None,
        "live": None if seat is None else as_json(seat.live.facts),
    }


@router.post(
    "/tables/{table}/close-bets", tags=["tables"], status_code=204, **action("tables.close_bets")
)
def close_bets(table: RowNumber, who: SignedIn, app: InApp) -> None:
    """Close the bets by hand. They open again with the next round."""
    app.pit.close_bets(table, who.actor)


@router.post(
    "/tables/{table}/orders", tags=["tables"], **action("tables.order"), **responds(answers.Obeyed)
)
def order(table: RowNumber, body: Order, who: SignedIn, app: InApp) -> Row:
    """Send an order to a table, such as open_bets, load_shoe or declare_balls (docs/SERVE.md)."""
    needed = f"tables.{body.order}"  # some orders need a higher role
    if needed in PERMISSIONS and not may(who.role, needed):
        roles = ", ".join(sorted(PERMISSIONS[needed]))
        what = f"a {who.role} may not give the order {body.order}"
        raise AuthError(403, "not_allowed", what, f"ask one of: {roles}")
    shown_now = app.pit.seat(table).live.round_number
    number = shown_now if body.number is None else body.number
    number = 0 if body.order == "open_bets" else number
    correction = None
    if body.second is not None:
        correction = orders.Correction(two_of(app, who, body.second), body.reason, body.evidence)
    wanted = orders.Order(body.order, body.values, number, correction)
    answer = decode.record(app.pit.order(table, wanted, who.actor))
    head, text = decode.head_of(answer), decode.describe(answer).strip()
    if head.type in ("refusal", "fault_raised"):
        step = "see its phase and its faults, then give the order that fits"
        raise LedgerRejection("table_refused", f"the table refused: {text}", step, "order")
    return {"order": body.order, "number": head.round, "answer": head.type, "text": text}


@router.post("/tables/{table}/call", tags=["tables"], status_code=204, **action("tables.call"))
def call_supervisor(table: RowNumber, body: SupervisorCall, who: SignedIn, app: InApp) -> None:
    """Call a supervisor to a table: an alarm with the reason, one while it is active."""
    with app.ledger.read() as db:
        play_queries.table_row(db, table)
    alarms.call_supervisor(app.ledger, table, who.actor, body.why)


@router.put("/tables/{table}/enabled", tags=["tables"], status_code=204, **action("tables.enable"))
def enable(table: RowNumber, body: Enable, who: SignedIn, app: InApp) -> None:
    """Enable or disable a table for bets."""
    lease = app.pit.lease(table)
    change_table(app.ledger, lease, who.actor, enabled=int(body.enabled))


@router.post(
    "/tables/{table}/play-end", tags=["tables"], status_code=204, **action("tables.end_play")
)
def announce_end(table: RowNumber, body: PlayEnd, who: SignedIn, app: InApp) -> None:
    """Announce the last shoe, the last round or the last fifteen minutes (hc2023 1:1(11))."""
    play_end.announce(app.ledger, app.pit.lease(table), body.last, who.actor)


@router.delete(
    "/tables/{table}/play-end", tags=["tables"], status_code=204, **action("tables.end_play")
)
def withdraw_end(table: RowNumber, who: SignedIn, app: InApp) -> None:
    """Withdraw the announcement: bets open again with the next round."""
    play_end.withdraw(app.ledger, app.pit.lease(table), who.actor)


@router.get(
    "/tables/{table}/thrower",
    tags=["tables"],
    **action("tables.see"),
    **responds(answers.TurnToThrow),
)
def turn_to_throw(table: RowNumber, app: InApp) -> Row:
    """Whose turn it is to throw the dice."""
    with app.ledger.read() as db:
        play_queries.table_row(db, table)
        return {"thrower": _thrower(thrower.present(db, table))}


@router.put(
    "/tables/{table}/thrower", tags=["tables"], status_code=204, **action("tables.pass_dice")
)
def pass_dice(table: RowNumber, body: ThrowerTurn, who: SignedIn, app: InApp) -> None:
    """Give the turn to throw to a place of the table (hc2023 4:2(4), 4:3(4), 4:4(5))."""
    lease = app.pit.lease(table)
    thrower.move(app.ledger, lease, body.place, body.why, who.actor, body.account)


@router.delete(
    "/tables/{table}/thrower", tags=["tables"], status_code=204, **action("tables.pass_dice")
)
def end_turn_to_throw(table: RowNumber, who: SignedIn, app: InApp) -> None:
    """Note that nobody has the turn to throw any more."""
    thrower.end(app.ledger, app.pit.lease(table), who.actor)


def _thrower(turn: thrower.Thrower | None) -> Row | None:
    return None if turn is None else turn._asdict()


@router.get("/devices", tags=["devices"], **action("devices.see"), **responds(answers.Devices))
def devices(app: InApp) -> Row:
    """Every known controller."""
    with app.ledger.read() as db:
        return {"devices": [as_json(row) for row in people_queries.device_rows(db)]}


@router.post(
    "/tables/{table}/release", tags=["devices"], status_code=204, **action("devices.release")
)
def release(table: RowNumber, body: Release, who: SignedIn, app: InApp) -> None:
    """Release the stopped device of a table, and settle what waited."""
    app.pit.release(table, who.actor, body.why)


# --- rounds --------------------------------------------------------------------------------------


@router.get("/rounds", tags=["rounds"], **action("rounds.see"), **responds(answers.Rounds))
def rounds(
    app: InApp,
    table: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    device: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    verdict: Annotated[str | None, Query(max_length=20, pattern=NO_NUL)] = None,
    outcome: Annotated[str | None, Query(max_length=20, pattern=NO_NUL)] = None,
    before: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    most: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Row:
    """Rounds, newest first. outcome: such as 17. before: id of the last of the page before."""
    wanted = Search(table, device, verdict, before=before, most=most)
    if outcome is not None:
        return {"rounds": [as_json(row) for row in _with_outcome(app, wanted, outcome)]}
    with app.ledger.read() as db:
        return {"rounds": [as_json(row) for row in play_queries.round_rows(db, wanted)]}


def _with_outcome(app: AppState, wanted: Search, outcome: str) -> list[Row]:
    """Return the newest rounds whose outcome in force has a text, and that match the rest."""
    rows: list[Row] = []
    before = wanted.before
    with app.reports.look_back() as look:
        for _ in range(_PARTS):
            keys = round_reports.with_label(look.model, outcome, wanted.table, before, MOST)
            matching = wanted._replace(keys=keys, most=wanted.most - len(rows))
            rows += play_queries.round_rows(look.ledger, matching) if keys else []
            if len(keys) < MOST or len(rows) >= wanted.most:
                break
            before = keys[-1]
    return rows


@router.get(
    "/rounds/{number}", tags=["rounds"], **action("rounds.see"), **responds(answers.RoundWhole)
)
def round_whole(number: RowNumber, who: SignedIn, app: InApp) -> Row:
    """A round with its records, and, with the right to see them, its bets and settlements."""
    round_ = round_of(app, number)
    if not may(who.role, "bets.see"):
        round_ = round_ | {"bets": None, "settlements": None}
    return as_json(round_ | {"paragraphs": texts_of(round_["bets"] or ())})


@router.get(
    "/rounds/{number}/trace",
    tags=["rounds"],
    response_class=Response,
    responses=_FILE,
    **action("rounds.see"),
)
def trace(number: RowNumber, app: InApp) -> Response:
    """The sensor trace of a round as the table stored it: a file for `tabletool replay`."""
    data = trace_of(app, number)
    if not data:
        what = f"there is no trace of round {number} here"
        raise LedgerRejection("no_such_trace", what, "a table keeps its last ten rounds", "round")
    return Response(data, media_type="application/octet-stream")


@router.get(
    "/rounds/{number}/evidence",
    tags=["rounds"],
    response_class=Response,
    responses=_FILE,
    **action("audit.see"),
)
def evidence(number: RowNumber, app: InApp) -> Response:
    """A round with all that proves it: a file for `tabletool evidence check`, signed by the host.

    Entries of the last minute are proved by a checkpoint once the host has signed it.
    """
    row = round_row(app, number)
    signing = evidence_writing.Signing(
        checkpoints.signing_key(app.settings, app.ledger),
        checkpoints.file_of(app.settings, app.ledger),
    )
    if row.table is None:
        what = f"round {number} is of no table, so nothing of it was settled"
        raise LedgerRejection("no_evidence", what, "list its records", "round")
    with app.ledger.read() as db:
        name = play_queries.table_row(db, row.table).name
        one = (row.id, row.device, row.number)
        wanted = evidence_writing.Wanted(row.table, name, [one], None)
        now_ns = app.ledger.clock.wall_ns()
        data = evidence_writing.encoded(db, wanted, signing, now_ns)
    return Response(data, media_type="application/octet-stream")


def trace_of(app: AppState, number: int) -> bytes | None:
    """Return the stored trace of a round, None without one. Raises LedgerRejection."""
    row = round_row(app, number)
    return Traces(app.ledger).of(row.device, row.number)


def round_row(app: AppState, number: int) -> RoundRow:
    """Return a round as it is stored. number: of its row. Raises LedgerRejection."""
    with app.ledger.read() as db:
        row = by_key(db, number)
    if row is None:
        raise _no_round(number)
    return row


def round_of(app: AppState, number: int) -> Row:
    """Return a round with its records, bets and settlements. Raises LedgerRejection."""
    with app.ledger.read() as db:
        round_ = play_queries.round_whole(db, number)
        if round_ is None:
            raise _no_round(number)
        turn = thrower.of_round(db, number)
    round_ |= {"thrower": _thrower(turn)}
    for row in round_["records"]:
        row["text"] = text_of(bytes.fromhex(row["raw"]), row["payload"])
    return round_


def _no_round(number: int) -> LedgerRejection:
    return LedgerRejection("no_such_round", f"there is no round {number}", "search them", "round")


# --- bets as the staff sees them ----------------------------------------------------------------


@router.get(
    "/rounds/{number}/bets", tags=["rounds"], **action("bets.see"), **responds(answers.Bets)
)
def bets_of_round(number: RowNumber, app: InApp) -> Row:
    """The bets of a round and the result of each."""
    with app.ledger.read() as db:
        if by_key(db, number) is None:
            raise _no_round(number)
        return {"bets": [as_json(row) for row in play_queries.bet_rows(db, number)]}


# --- alarms --------------------------------------------------------------------------------------


@router.get("/alarms", tags=["alarms"], **action("alarms.see"), **responds(answers.Alarms))
def alarm_list(
    app: InApp,
    standing: bool = True,
    shelved: bool | None = None,
    table: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    kind: Annotated[str | None, Query(max_length=40, pattern=NO_NUL)] = None,
    priority: Annotated[int | None, Query(ge=1, le=4)] = None,
    before: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    most: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Row:
    """Alarms, newest first; only those that are not back to normal unless standing is false.

    priority: this, or more urgent.
    """
    search = AlarmSearch(standing, shelved, table, kind, priority, before, most)
    with app.ledger.read() as db:
        rows = people_queries.alarm_rows(db, app.ledger.clock.wall_ns(), search)
    return {"alarms": [as_json(row) for row in rows]}


@router.post(
    "/alarms/{alarm}/acknowledge", tags=["alarms"], status_code=204, **action("alarms.acknowledge")
)
def acknowledge(alarm: RowNumber, body: Acknowledgement, who: SignedIn, app: InApp) -> None:
    """Acknowledge an alarm as the logged-in user."""
    alarms.acknowledge(app.ledger, alarm, who.actor, body.note)


@router.post(
    "/alarms/acknowledge", tags=["alarms"], status_code=204, **action("alarms.acknowledge")
)
def acknowledge_several(body: Acknowledgements, who: SignedIn, app: InApp) -> None:
    """Acknowledge alarms as the logged-in user: all of them, or none."""
    alarms.acknowledge_all(app.ledger, body.alarms, who.actor, body.note)


@router.post("/alarms/shelve", tags=["alarms"], status_code=204, **action("alarms.acknowledge"))
def shelve(body: Shelving, who: SignedIn, app: InApp) -> None:
    """Set alarms aside for some minutes: all of them, or none; what is urgent is refused."""
    alarms.shelve(app.ledger, body.alarms, body.minutes, who.actor, body.reason)


@router.post("/alarms/unshelve", tags=["alarms"], status_code=204, **action("alarms.acknowledge"))
def unshelve(body: AlarmsEnd, who: SignedIn, app: InApp) -> None:
    """End the shelving of alarms: all of them, or none."""
    alarms.unshelve(app.ledger, body.alarms, who.actor, body.reason)


@router.post("/alarms/clear", tags=["alarms"], status_code=204, **action("alarms.acknowledge"))
def clear(body: AlarmsEnd, who: SignedIn, app: InApp) -> None:
    """Note that the cause of alarms is over, where the host missed its end: all, or none."""
    alarms.clear_by_hand(app.ledger, body.alarms, who.actor, body.reason)
