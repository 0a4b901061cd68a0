"""Players: accounts, money in and out, sessions at terminals."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from tabletools.api import answers_people as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    MOST_NUMBER,
    AppState,
    InApp,
    Key,
    RowNumber,
    SignedIn,
    action,
    as_json,
    as_time,
    two_of,
)
from tabletools.api.seats import OFFER_NS
from tabletools.api.shapes import NO_NUL, Movement, NewAccount, PinReset, SeatOffer
from tabletools.money import cash, people_queries, pins, play_queries
from tabletools.store import LedgerRejection, people

router = APIRouter(prefix="/v1")
Row = dict[str, Any]


# --- accounts ------------------------------------------------------------------------------------


@router.get("/accounts", tags=["accounts"], **action("accounts.see"), **responds(answers.Accounts))
def accounts(
    app: InApp,
    player_number: Annotated[str, Query(max_length=40, pattern=NO_NUL)] = "",
    name: Annotated[
        str, Query(max_length=100, pattern=NO_NUL, description="A part of the name.")
    ] = "",
    after: Annotated[int, Query(ge=0, le=MOST_NUMBER)] = 0,
    most: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Row:
    """Players by number. after: the last number of the page before."""
    with app.ledger.read() as db:
        rows = people_queries.player_rows(db, player_number, name, after, most)
    return {"accounts": [as_json(row._asdict()) for row in rows]}


@router.post(
    "/accounts", tags=["accounts"], **action("accounts.open"), **responds(answers.Account, 201)
)
def open_account(body: NewAccount, who: SignedIn, app: InApp) -> Row:
    """Open the account of a player, who types a PIN; 409 if the player number has one."""
    pin_hash = None
    if body.pin is not None:
        pin_hash = app.seats.hash_of(body.pin, body.player_number)
    number = cash.open_account(
        app.ledger,
        body.player_number,
        body.name,
        currency=body.currency,
        pin_hash=pin_hash,
        who=who.actor,
        is_in_wallet=app.pit.context.wallet.is_external,
    )
    return _account(app, number)


@router.put(
    "/accounts/{account}/pin", tags=["accounts"], status_code=204, **action("accounts.pin")
)
def reset_pin(account: RowNumber, body: PinReset, who: SignedIn, app: InApp) -> None:
    """Set the PIN that a player types at the cash desk, seen by two users; the seat ends."""
    app.seats.reset_pin(account, body.pin, who.actor, two_of(app, who, body.second))


@router.get(
    "/accounts/{account}",
    tags=["accounts"],
    **action("accounts.see"),
    **responds(answers.AccountWhole),
)
def account(account: RowNumber, app: InApp) -> Row:
    """One player, with the newest bets and open sessions."""
    with app.ledger.read() as db:
        bets = play_queries.bets_by(db, account)
        sessions = people_queries.sessions_of(db, account=account)
        paid = cash.paid_cents(db, account, app.ledger.clock.wall_ns())
        has_pin = pins.find(db, account) is not None
    more = {
        "bets": [as_json(row) for row in bets],
        "sessions": [as_json(row._asdict()) for row in sessions],
        "paid_cents": paid,
        "held_from_cents": app.settings.payout_release_cents,
        "has_pin": has_pin,
    }
    return _account(app, account) | more


@router.post(
    "/accounts/{account}/deposits",
    tags=["accounts"],
    **action("accounts.deposit"),
    **responds(answers.Balance, 201),
)
def deposit(account: RowNumber, body: Movement, key: Key, who: SignedIn, app: InApp) -> Row:
    """Pay money in. Above what a user of the role may alone in 24 hours a second one confirms."""
    users = [] if body.second is None else two_of(app, who, body.second)
    balance = cash.deposit(
        app.ledger,
        account,
        body.cents,
        key,
        who.actor,
        confirmed_by=users,
        seen_cents=body.seen_cents,
    )
    return {"account": account, "balance_cents": balance}


@router.post(
    "/accounts/{account}/payouts",
    tags=["accounts"],
    **action("accounts.pay_out"),
    **responds(answers.Balance, 201),
)
def pay_out(account: RowNumber, body: Movement, key: Key, who: SignedIn, app: InApp) -> Row:
    """Pay money out. From EUR 100,000 in 24 hours on a second user has to release it."""
    users = [] if body.second is None else two_of(app, who, body.second)
    balance = cash.pay_out(
        app.ledger,
        account,
        body.cents,
        key,
        who.actor,
        released_by=users,
        held_cents=app.settings.payout_release_cents,
        seen_cents=body.seen_cents,
    )
    return {"account": account, "balance_cents": balance}


def _account(app: AppState, account: int) -> Row:
    with app.ledger.read() as db:
        row = people_queries.player(db, account)
    if row is None:
        raise LedgerRejection(
            "no_such_player", f"account {account} is not a player account", "list them", "account"
        )
    return as_json(row._asdict())


# --- sessions ------------------------------------------------------------------------------------


@router.get(
    "/tables/{table}/sessions",
    tags=["sessions"],
    **action("sessions.see"),
    **responds(answers.Sessions),
)
def sessions(table: RowNumber, app: InApp) -> Row:
    """The players at a table."""
    with app.ledger.read() as db:
        play_queries.table_row(db, table)
        rows = people_queries.sessions_of(db, table=table)
    return {"sessions": [as_json(row._asdict()) for row in rows]}


@router.post(
    "/tables/{table}/sessions",
    tags=["sessions"],
    **action("sessions.open"),
    **responds(answers.Offered, 201),
)
def offer_seat(table: RowNumber, body: SeatOffer, who: SignedIn, app: InApp) -> Row:
    """Offer a player a seat; the code opens it at the terminal, with the player's PIN."""
    with app.ledger.read() as db:
        play_queries.table_row(db, table)
    offer = app.seats.offer(body.account, table, body.terminal, who.actor)
    return {
        "code": offer.code,
        "table": table,
        "account": body.account,
        "terminal": body.terminal,
        "expires_at": as_time(app.ledger.clock.wall_ns() + OFFER_NS),
    }


@router.delete(
    "/sessions/{session}", tags=["sessions"], status_code=204, **action("sessions.close")
)
def close_session(session: RowNumber, who: SignedIn, app: InApp) -> None:
    """End a player's session; the bets stay."""
    with app.ledger.read() as db:
        open_sessions = people_queries.sessions_of(db)
    if all(row.id != session or row.account_id is None for row in open_sessions):
        what = f"no player has an open session {session}"
        raise LedgerRejection("no_such_session", what, "list them", "session")
    people.close_session(app.ledger, session, "closed", who.actor)
    app.seats.forget(session)
