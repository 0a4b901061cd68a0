"""The cash desk: movements of an account, held payouts, seats, receipts."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query

from tabletools.api import answers_cash as answers
from tabletools.api import answers_people
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
from tabletools.api.auth import Person
from tabletools.api.paragraph_texts import texts_of
from tabletools.api.shapes import Adjustment, Money, PayoutDecision
from tabletools.money import adjustments, payouts, people_queries, receipts
from tabletools.money.cash import Movement
from tabletools.pit import checkpoints
from tabletools.reports import statements
from tabletools.store import Connection, LedgerRejection

router = APIRouter(prefix="/v1")
Row = dict[str, Any]
_Before = Annotated[int | None, Query(ge=1, le=MOST_NUMBER)]
_Most = Annotated[int, Query(ge=1, le=200)]


@router.get(
    "/accounts/{account}/movements",
    tags=["accounts"],
    **action("accounts.see"),
    **responds(answers.Movements),
)
def movements(account: RowNumber, app: InApp, before: _Before = None, most: _Most = 50) -> Row:
    """Movements of a player's money, newest first. before: id of the last of the page before."""
    with app.ledger.read() as db:
        if people_queries.player(db, account) is None:
            what = f"account {account} is not a player account"
            raise LedgerRejection("no_such_player", what, "list them", "account")
        balance = partial(_balance, app)
        rows = receipts.movements(db, account, before, most, balance=balance)
    return {"movements": [as_json(row) for row in rows]}


@router.post(
    "/accounts/{account}/adjustments",
    tags=["accounts"],
    **action("accounts.adjust"),
    **responds(answers.Adjusted, 201),
)
def adjust(account: RowNumber, body: Adjustment, key: Key, who: SignedIn, app: InApp) -> Row:
    """Move money between a player and the bank of a table, by two named users."""
    users = two_of(app, who, body.second)
    wanted = adjustments.Adjustment(
        account,
        body.cents,
        body.table,
        users,
        body.reason,
        body.evidence,
        key,
        body.round,
        body.seen_cents,
    )
    posting, balance_cents = adjustments.adjust(app.ledger, wanted)
    return {"account": account, "movement": posting, "balance_cents": balance_cents}


# --- held payouts --------------------------------------------------------------------------------


@router.post(
    "/accounts/{account}/held-payouts",
    tags=["payouts"],
    **action("accounts.pay_out"),
    **responds(answers.HeldPayout, 201),
)
def hold(account: RowNumber, body: Money, key: Key, who: SignedIn, app: InApp) -> Row:
    """Request a payout that has to be released. It reserves nothing."""
    wanted = Movement(account, -body.cents, body.seen_cents)
    limit = app.settings.payout_release_cents
    return _held(app, payouts.hold(app.ledger, wanted, key, who.actor, limit))


@router.get(
    "/held-payouts", tags=["payouts"], **action("accounts.see"), **responds(answers.HeldPayouts)
)
def held(
    app: InApp,
    waiting: bool | None = None,
    account: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    before: _Before = None,
    most: _Most = 50,
) -> Row:
    """Held payouts, newest first. waiting: the undecided ones, or the others."""
    with app.ledger.read() as db:
        rows = payouts.rows(db, is_open=waiting, account=account, before=before, most=most)
    return {"payouts": [as_json(row) for row in rows]}


@router.post(
    "/held-payouts/{payout}/decision",
    tags=["payouts"],
    **action("payouts.release"),
    **responds(answers_people.Balance),
)
def decide(payout: RowNumber, body: PayoutDecision, key: Key, who: SignedIn, app: InApp) -> Row:
    """Release a held payout, or decline it. The requester is the second user of a release."""
    account = _held(app, payout)["account_id"]
    second = None
    if body.second is not None:
        _, second = two_of(app, who, body.second)
    wanted = payouts.Decision(payout, body.released, body.reason, second)
    balance = payouts.decide(app.ledger, wanted, key, who.actor)
    return {"account": account, "balance_cents": balance}


def _held(app: AppState, payout: int) -> Row:
    with app.ledger.read() as db:
        rows = payouts.rows(db, number=payout)
    if not rows:
        what = f"there is no held payout {payout}"
        raise LedgerRejection("no_such_payout", what, "list the held payouts", "payout")
    return as_json(rows[0])


# --- seats ---------------------------------------------------------------------------------------


@router.get("/seats", tags=["sessions"], **action("sessions.see"), **responds(answers.TakenSeats))
def seats(
    app: InApp,
    table: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    account: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    after: Annotated[int, Query(ge=0, le=MOST_NUMBER)] = 0,
    most: Annotated[int, Query(ge=1, le=500)] = 200,
) -> Row:
    """Players at terminals: all, or those of a table or a player.

    after: id of the last one before.
    """
    with app.ledger.read() as db:
        rows = people_queries.seat_rows(db, table, account, after, most)
    return {"seats": [as_json(row) for row in rows]}


# --- receipts ------------------------------------------------------------------------------------


@router.get(
    "/bets/{bet}/receipt",
    tags=["receipts"],
    **action("accounts.see"),
    **responds(answers.PrintedReceipt),
)
def bet_receipt(bet: RowNumber, who: SignedIn, app: InApp) -> Row:
    """The result of a bet, the article that decided, and the evidence."""
    with app.ledger.read() as db:
        receipt = receipts.bet_receipt(db, bet)
    if receipt is None:
        raise LedgerRejection(
            "no_such_bet", f"there is no bet {bet}", "list the bets first", "bet"
        )
    return _proven(app, who, receipt | {"paragraphs": texts_of([receipt["bet"]])})


@router.get(
    "/movements/{movement}/receipt",
    tags=["receipts"],
    **action("accounts.see"),
    **responds(answers.CashReceipt),
)
def cash_receipt(movement: RowNumber, who: SignedIn, app: InApp) -> Row:
    """A deposit, a payout or an adjustment, who decided it, and the evidence."""
    with app.ledger.read() as db:
        receipt = receipts.cash_receipt(db, movement, partial(_balance, app))
    if receipt is None:
        what = f"movement {movement} is no deposit, no payout and no adjustment"
        raise LedgerRejection("no_such_movement", what, "list the movements first", "movement")
    return _proven(app, who, receipt)


def _balance(app: AppState, db: Connection, account: int, at_ns: int, posting: int) -> int:
    """Return the balance of an account after a posting: of the read model if it has it yet."""
    known = None
    with app.reports.present_model() as model:
        if model is not None:
            known = statements.balance_after(model, account, at_ns, posting)
    return receipts.balance_at(db, account, at_ns, posting) if known is None else known


def _proven(app: AppState, who: Person, receipt: Row) -> Row:
    signed, entry = checkpoints.newest(app.settings, app.ledger), receipt["chain"]
    checkpoint = None
    if signed is not None and entry is not None and signed.seq >= entry["seq"]:
        checkpoint = {"seq": signed.seq, "at": as_time(signed.at_ns)}
    more = {
        "house": app.settings.house,
        "printed_at": as_time(app.ledger.clock.wall_ns()),
        "printed_by": who.name,
        "checkpoint": checkpoint,
    }
    return as_json(receipt) | more
