"""The dealer of a card round: which bet is on which box, what was decided, what is lacking."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter

from tabletools.api import answers_rulings as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import AppState, InApp, Key, RowNumber, SignedIn, action
from tabletools.api.auth import Person
from tabletools.api.play_routes import round_of
from tabletools.api.shapes import BoxDecision, Hands, Layout
from tabletools.table import dealing
from tabletools.table.bet_context import ReadClock
from tabletools.table.dealing import EntryRequest

router = APIRouter(prefix="/v1/rounds/{number}", tags=["deals"])
Row = dict[str, Any]


@router.get("/deal", **action("bets.see"), **responds(answers.DealShown))
def deal(number: RowNumber, app: InApp) -> Row:
    """How far the deal of a card round is, and what it lacks."""
    return _shown(app, number)


@router.post("/layout", **action("rounds.deal"), **responds(answers.DealShown))
def enter_layout(number: RowNumber, body: Layout, key: Key, who: SignedIn, app: InApp) -> Row:
    """Enter which bet is on which box, after no more bets and before the first card."""
    table = round_of(app, number)["table_id"] or 0
    wanted = _request(number, who, key, {"boxes": body.boxes})
    with app.pit.ruling(table) as lease:
        dealing.enter_layout(app.ledger, lease, wanted, reading=_clock(app, table))
    return _shown(app, number)


@router.post("/hands", **action("rounds.deal"), **responds(answers.DealShown))
def enter_hands(number: RowNumber, body: Hands, key: Key, who: SignedIn, app: InApp) -> Row:
    """Enter what the boxes decided. The round settles by itself once its shoe agrees."""
    table = round_of(app, number)["table_id"] or 0
    said = None if body.decisions is None else [_decision(one) for one in body.decisions]
    wanted = _request(number, who, key, {"outcome": body.outcome, "decisions": said})
    with app.pit.ruling(table) as lease:
        dealing.enter_hands(app.ledger, lease, wanted, reading=_clock(app, table))
    return _shown(app, number)


def _decision(one: BoxDecision) -> list[int | str]:
    return [one.box, one.hand, str(one.act)]


def _request(number: int, who: Person, key: str, content: Mapping[str, Any]) -> EntryRequest:
    return EntryRequest(number, who.actor, key, content)


def _clock(app: AppState, table: int) -> ReadClock | None:
    """Reads the clock of a table of this host, None for another's."""
    seat = app.pit.seats.get(table)
    return None if seat is None else seat.host.reading


def _shown(app: AppState, number: int) -> Row:
    state = dealing.deal_state(app.ledger, number)
    return {"round": number, **state._asdict(), "lacks": [each._asdict() for each in state.lacks]}
