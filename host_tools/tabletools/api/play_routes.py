"""Tables, devices, rounds and alarms."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

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
    shown,
    two_of,
)
from tabletools.api.auth import AuthError
from tabletools.api.paragraph_texts import texts_of
from tabletools.api.record_text import text_of
from tabletools.api.roles import PERMISSIONS, may
from tabletools.api.shapes import (
    NO_NUL,
    Acknowledgement,
    Enable,
    Order,
    Release,
)
from tabletools.evidence import alarms
from tabletools.evidence.rounds import by_key
from tabletools.evidence.stored_traces import Traces
from tabletools.money import people_queries, play_queries
from tabletools.money.play_queries import Search
from tabletools.pit import orders
from tabletools.store import LedgerRejection
from tabletools.table.terms import change_table

router = APIRouter(prefix="/v1")
Row = dict[str, Any]
_FILE: dict[int | str, Row] = {
    200: {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}
}


# --- tables --------------------------------------------------------------------------------------


@router.get("/tables", tags=["tables"], **action("tables.see"), **responds(answers.Tables))
def tables(at: InApp) -> Row:
    """Every table of the ledger; those this host owns with their live state."""
    with at.ledger.read() as db:
        rows = play_queries.table_rows(db)
    return {"tables": [_table(at, row) for row in rows]}


@router.get("/tables/{table}", tags=["tables"], **action("tables.see"), **responds(answers.Table))
def table(table: RowNumber, at: InApp) -> Row:
    """One table."""
    with at.ledger.read() as db:
        row = play_queries.table_row(db, table)
    return _table(at, row)


def _table(at: AppState, row: Row) -> Row:
    terms = row.pop("terms")
    found = shown(row) | {
        "enabled": bool(row["enabled"]), "bets_open": bool(row["bets_open"]), "game": terms.game,
        "rules": terms.rules, "variant": terms.variant, "limits": dict(terms.limits),
        "options": dict(terms.options), "void_policy": terms.void_policy,
    }  # fmt: skip
    seat = at.pit.seats.get(row["id"])
    return found | {"live": None if seat is None else shown(seat.live.facts)}


@router.post("/tables/{table}/close-bets", tags=["tables"], status_code=204,
             **action("tables.close_bets"))  # fmt: skip
def close_bets(table: RowNumber, who: SignedIn, at: InApp) -> None:
    """Close the bets by hand. They open again with the next round."""
    at.pit.close_bets(table, who.actor)


@router.post("/tables/{table}/orders", tags=["tables"], **action("tables.order"),
             **responds(answers.Obeyed))  # fmt: skip
def order(table: RowNumber, given: Order, who: SignedIn, at: InApp) -> Row:
    """Send an order to a table, such as open_bets, load_shoe or declare_balls (docs/SERVE.md)."""
    needed = f"tables.{given.order}"  # some orders need a higher role
    if needed in PERMISSIONS and not may(who.role, needed):
        roles = ", ".join(sorted(PERMISSIONS[needed]))
        what = f"a {who.role} may not give the order {given.order}"
        raise AuthError(403, "not_allowed", what, f"ask one of: {roles}")
    shown_now = at.pit.seat(table).live.facts["number"] or 0
    number = shown_now if given.number is None else given.number
    number = 0 if given.order == "open_bets" else number
    correction = None
    if given.second is not None:
        correction = orders.Correction(two_of(at, who, given.second), given.reason, given.evidence)
    wanted = orders.Order(given.order, given.values, number, correction)
    found = decode.record(at.pit.order(table, wanted, who.actor))
    text = decode.describe(found).strip()
    if found["type"] in ("refusal", "fault_raised"):
        step = "see its phase and its faults, then give the order that fits"
        raise LedgerRejection("table_refused", f"the table refused: {text}", step, "order")
    return {"order": given.order, "number": found["round"], "answer": found["type"], "text": text}


@router.put("/tables/{table}/enabled", tags=["tables"], status_code=204,
            **action("tables.enable"))  # fmt: skip
def enable(table: RowNumber, given: Enable, who: SignedIn, at: InApp) -> None:
    """Enable or disable a table for bets."""
    lease = at.pit.lease(table)
    change_table(at.ledger, lease, who.actor, enabled=int(given.enabled))


@router.get("/devices", tags=["devices"], **action("devices.see"), **responds(answers.Devices))
def devices(at: InApp) -> Row:
    """Every known controller."""
    with at.ledger.read() as db:
        return {"devices": [shown(row) for row in people_queries.device_rows(db)]}


@router.post("/tables/{table}/release", tags=["devices"], status_code=204,
             **action("devices.release"))  # fmt: skip
def release(table: RowNumber, given: Release, who: SignedIn, at: InApp) -> None:
    """Release the stopped device of a table, and settle what waited."""
    at.pit.release(table, who.actor, given.why)


# --- rounds --------------------------------------------------------------------------------------


@router.get("/rounds", tags=["rounds"], **action("rounds.see"), **responds(answers.Rounds))
def rounds(
    at: InApp,
    table: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    device: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    verdict: Annotated[str | None, Query(max_length=20, pattern=NO_NUL)] = None,
    outcome: Annotated[str | None, Query(max_length=20, pattern=NO_NUL)] = None,
    before: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    most: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Row:
    """Rounds, newest first. outcome: such as 17. before: id of the last of the page before."""
    wanted = Search(table, device, verdict, outcome, before=before, most=most)
    with at.ledger.read() as db:
        return {"rounds": [shown(row) for row in play_queries.round_rows(db, wanted)]}


@router.get(
    "/rounds/{number}", tags=["rounds"], **action("rounds.see"), **responds(answers.RoundWhole)
)
def round_whole(number: RowNumber, who: SignedIn, at: InApp) -> Row:
    """A round with its records, and, with the right to see them, its bets and settlements."""
    found = round_of(at, number)
    if not may(who.role, "bets.see"):
        found = found | {"bets": None, "settlements": None}
    return shown(found | {"paragraphs": texts_of(found["bets"] or ())})


@router.get("/rounds/{number}/trace", tags=["rounds"], response_class=Response, responses=_FILE,
            **action("rounds.see"))  # fmt: skip
def trace(number: RowNumber, at: InApp) -> Response:
    """The sensor trace of a round as the table stored it: a file for `tabletool replay`."""
    found = round_of(at, number)
    data = Traces(at.ledger).of(found["device"], found["number"])
    if not data:
        what = f"there is no trace of round {number} here"
        raise LedgerRejection("no_such_trace", what, "a table keeps its last ten rounds", "round")
    return Response(data, media_type="application/octet-stream")


def round_of(at: AppState, number: int) -> Row:
    with at.ledger.read() as db:
        found = play_queries.round_whole(db, number)
    if found is None:
        raise _no_round(number)
    for row in found["records"]:
        row["text"] = text_of(bytes.fromhex(row["raw"]), row["payload"])
    return found


def _no_round(number: int) -> LedgerRejection:
    return LedgerRejection("no_such_round", f"there is no round {number}", "search them", "round")


# --- bets as the staff sees them ----------------------------------------------------------------


@router.get(
    "/rounds/{number}/bets", tags=["rounds"], **action("bets.see"), **responds(answers.Bets)
)
def bets_of_round(number: RowNumber, at: InApp) -> Row:
    """The bets of a round and the result of each."""
    with at.ledger.read() as db:
        if by_key(db, number) is None:
            raise _no_round(number)
        return {"bets": [shown(row) for row in play_queries.bet_rows(db, number)]}


# --- alarms --------------------------------------------------------------------------------------


@router.get("/alarms", tags=["alarms"], **action("alarms.see"), **responds(answers.Alarms))
def alarm_list(
    at: InApp,
    standing: bool = True,
    table: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    before: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    most: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Row:
    """Alarms, newest first; only those not acknowledged unless standing is false."""
    with at.ledger.read() as db:
        rows = people_queries.alarm_rows(
            db, standing=standing, table=table, before=before, most=most
        )
    return {"alarms": [shown(row) for row in rows]}


@router.post("/alarms/{alarm}/acknowledge", tags=["alarms"], status_code=204,
             **action("alarms.acknowledge"))  # fmt: skip
def acknowledge(alarm: RowNumber, given: Acknowledgement, who: SignedIn, at: InApp) -> None:
    """Acknowledge an alarm as the logged-in user; its cause remains."""
    alarms.acknowledge(at.ledger, alarm, who.actor, given.note)
