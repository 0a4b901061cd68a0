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
    shown,
    two_of,
)
from tabletools.api.shapes import NO_NUL, Movement, NewAccount, NewSession
from tabletools.money import cash, people_queries, play_queries
from tabletools.store import LedgerRejection, people

router = APIRouter(prefix="/v1")
Row = dict[str, Any]


# --- accounts ------------------------------------------------------------------------------------


@router.get("/accounts", tags=["accounts"], **action("accounts.see"), **responds(answers.Accounts))
def accounts(
    at: InApp,
    player_number: Annotated[str, Query(max_length=40, pattern=NO_NUL)] = "",
    name: Annotated[
        str, Query(max_length=100, pattern=NO_NUL, description="A part of the name.")
    ] = "",
    after: Annotated[int, Query(ge=0, le=MOST_NUMBER)] = 0,
    most: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Row:
    """Players by number. after: the last number of the page before."""
    with at.ledger.read() as db:
        rows = people_queries.player_rows(db, player_number, name, after, most)
    return {"accounts": [shown(row) for row in rows]}


@router.post(
    "/accounts", tags=["accounts"], **action("accounts.open"), **responds(answers.Account, 201)
)
def open_account(given: NewAccount, at: InApp) -> Row:
    """Open the account of a player; 409 if the player number has one."""
    number = cash.open_account(at.ledger, given.player_number, given.name, currency=given.currency)
    return _account(at, number)


@router.get(
    "/accounts/{account}",
    tags=["accounts"],
    **action("accounts.see"),
    **responds(answers.AccountWhole),
)
def account(account: RowNumber, at: InApp) -> Row:
    """One player, with the newest bets and open sessions."""
    with at.ledger.read() as db:
        bets = play_queries.bets_by(db, account)
        sessions = people_queries.sessions_of(db, account=account)
        paid = cash.paid_cents(db, account, at.ledger.clock.wall_ns())
    more = {
        "bets": [shown(row) for row in bets], "sessions": [shown(row) for row in sessions],
        "paid_cents": paid, "held_from_cents": at.settings.payout_release_cents,
    }  # fmt: skip
    return _account(at, account) | more


@router.post(
    "/accounts/{account}/deposits",
    tags=["accounts"],
    **action("accounts.deposit"),
    **responds(answers.Balance, 201),
)
def deposit(account: RowNumber, given: Movement, key: Key, who: SignedIn, at: InApp) -> Row:
    """Pay money in. Above what a user of the role may alone in 24 hours a second one confirms."""
    users = [] if given.second is None else two_of(at, who, given.second)
    balance = cash.deposit(
        at.ledger,
        account,
        given.cents,
        key,
        who.actor,
        confirmed_by=users,
        seen_cents=given.seen_cents,
    )
    return {"account": account, "balance_cents": balance}


@router.post(
    "/accounts/{account}/payouts",
    tags=["accounts"],
    **action("accounts.pay_out"),
    **responds(answers.Balance, 201),
)
def pay_out(account: RowNumber, given: Movement, key: Key, who: SignedIn, at: InApp) -> Row:
    """Pay money out. From EUR 100,000 in 24 hours on a second user has to release it."""
    users = [] if given.second is None else two_of(at, who, given.second)
    balance = cash.pay_out(
        at.ledger, account, given.cents, key, who.actor, released_by=users,
        held_cents=at.settings.payout_release_cents, seen_cents=given.seen_cents,
    )  # fmt: skip
    return {"account": account, "balance_cents": balance}


def _account(at: AppState, account: int) -> Row:
    with at.ledger.read() as db:
        row = people_queries.player(db, account)
    if row is None:
        raise LedgerRejection(
            "no_such_player", f"account {account} is not a player account", "list them", "account"
        )
    return shown(row)


# --- sessions ------------------------------------------------------------------------------------


@router.get(
    "/tables/{table}/sessions",
    tags=["sessions"],
    **action("sessions.see"),
    **responds(answers.Sessions),
)
def sessions(table: RowNumber, at: InApp) -> Row:
    """The players at a table."""
    with at.ledger.read() as db:
        play_queries.table_row(db, table)
        rows = people_queries.sessions_of(db, table=table)
    return {"sessions": [shown(row) for row in rows]}


@router.post(
    "/tables/{table}/sessions",
    tags=["sessions"],
    **action("sessions.open"),
    **responds(answers.Seated, 201),
)
def open_session(table: RowNumber, given: NewSession, who: SignedIn, at: InApp) -> Row:
    """Seat a player at a terminal; returns the terminal's token, once."""
    with at.ledger.read() as db:
        play_queries.table_row(db, table)
    token, number = at.auth.seat(given.account, table, given.terminal, who.actor)
    return {"session": number, "token": token, "table": table, "account": given.account}


@router.delete("/sessions/{session}", tags=["sessions"], status_code=204,
               **action("sessions.close"))  # fmt: skip
def close_session(session: RowNumber, who: SignedIn, at: InApp) -> None:
    """End a player's session; the bets stay."""
    with at.ledger.read() as db:
        found = [row for row in people_queries.sessions_of(db) if row["id"] == session]
    if not found or found[0]["account_id"] is None:
        what = f"no player has an open session {session}"
        raise LedgerRejection("no_such_session", what, "list them", "session")
    people.close_session(at.ledger, session, "closed", who.actor)
    at.auth.forget(session)
