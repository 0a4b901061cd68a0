"""Requests of a terminal: the player's seat, and bets placed, changed and withdrawn.

The requests that place bets are declared once, in PLACING; `express` is a fast path to them.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

from fastapi import APIRouter, Request

from tabletools import store
from tabletools.api import answers_people as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    AppState,
    InApp,
    Key,
    RowNumber,
    Seated,
    SeatedNow,
    address_of,
    as_json,
    as_time,
    in_thread,
)
from tabletools.api.seats import Player
from tabletools.api.shapes import BetSlip, Call, NewPin, SeatOpening, Shape, Slip
from tabletools.evidence import tables as casino
from tabletools.money import people_queries, play_queries
from tabletools.pit.bet_queue import BetQueue
from tabletools.store import LedgerRejection, people
from tabletools.table import betting, thrower
from tabletools.table.betting import BetReceipt, BetRequest, SlipReceipt
from tabletools.table.terms import limits_for

Receipt = TypeVar("Receipt", BetReceipt, SlipReceipt)

router = APIRouter(prefix="/v1")
_WALLET_DOWN = "wallet_down"
Row = dict[str, Any]


@router.get("/seat", tags=["bets"], **responds(answers.Seat))
def seat(player: Seated, app: InApp) -> Row:
    """The terminal's own session: player, balance, table, whether bets are open."""
    with app.ledger.read() as db:
        row = people_queries.player(db, player.account)
        state = casino.state_of(db, player.table)
        _, terms = casino.terms_of(db, player.table)
        ending = play_queries.play_end(db, player.table)
        turn = thrower.present(db, player.table)
    assert row is not None
    is_held = _is_held(app, player)
    return {
        "session": player.session,
        "account": player.account,
        "name": row.name,
        "balance_cents": row.balance_cents + _at_wallet_cents(app, player),
        "currency": row.currency,
        "table": player.table,
        "terminal": player.terminal,
        "round": state.round,
        "bets_open": state.bets_open and not is_held,
        "cause": _WALLET_DOWN if is_held else state.cause,
        "play_end": ending.kind,
        "play_end_at": as_time(ending.at_ns),
        "thrower_place": None if turn is None else turn.place,
        "game": terms.game,
        "rules": terms.rules,
        "variant": terms.variant,
        "limits": limits_for(terms, player.account),
    }


@router.post("/seat", tags=["bets"], **responds(answers.Seated, 201))
def open_seat(body: SeatOpening, app: InApp, request: Request) -> Row:
    """Open the seat that a user offered, by the player's PIN; returns the terminal's token, once.

    An offer is good for five minutes and three PINs.
    """
    token, player = app.seats.open(body.code, body.pin, address_of(request, app.settings))
    return {
        "session": player.session,
        "token": token,
        "table": player.table,
        "account": player.account,
        "expires_at": as_time(player.expires_ns),
    }


@router.post("/seat/pin", tags=["bets"], status_code=204)
def change_pin(body: NewPin, player: SeatedNow, app: InApp) -> None:
    """Change the player's PIN, with the old one."""
    app.seats.change_pin(player, body.old, body.new)


@router.delete("/seat", tags=["bets"], status_code=204)
def leave(player: Seated, app: InApp) -> None:
    """End the player's session; the bets stay."""
    actor = store.Actor(f"terminal {player.terminal}")
    people.close_session(app.ledger, player.session, "left", actor)
    app.seats.forget(player.session)


@router.get("/bets", tags=["bets"], **responds(answers.OwnBets))
def bets(player: Seated, app: InApp) -> Row:
    """The player's bets of the current round."""
    with app.ledger.read() as db:
        state = casino.state_of(db, player.table)
        rows = (
            [] if state.round is None else play_queries.bet_rows(db, state.round, player.account)
        )
        row = people_queries.player(db, player.account)
    assert row is not None
    is_held = _is_held(app, player)
    return {
        "round": state.round,
        "bets_open": state.bets_open and not is_held,
        "cause": _WALLET_DOWN if is_held else state.cause,
        "balance_cents": row.balance_cents + _at_wallet_cents(app, player),
        "bets": [as_json(each) for each in rows],
    }


class Placing(NamedTuple):
    """A request that places bets. shape: of its body. put: queues them; answer: the response."""

    shape: type[Shape]
    put: Callable[[BetQueue, Player, Any, str], "Future[Any]"]
    answer: Callable[[Any], Row]
    status: int


@router.post("/bets", tags=["bets"], **responds(answers.BetReceipt, 201))
async def place(slip: Slip, player: Seated, key: Key, app: InApp) -> Row:
    """Place a bet in the current round."""
    return await placed(app, player, PLACING["/v1/bets"], slip, key)


@router.post("/slips", tags=["bets"], **responds(answers.SlipReceipt))
async def place_slip(slip: BetSlip, player: Seated, key: Key, app: InApp) -> Row:
    """Place many bets under one key; accepted are those that the table accepts together."""
    return await placed(app, player, PLACING["/v1/slips"], slip, key)


@router.post("/calls", tags=["bets"], **responds(answers.SlipReceipt))
async def place_call(call: Call, player: Seated, key: Key, app: InApp) -> Row:
    """Place the bets of a call bet, such as voisins; the answer has each of them, or why none."""
    return await placed(app, player, PLACING["/v1/calls"], call, key)


@router.put("/bets/{bet}", tags=["bets"], **responds(answers.BetReceipt))
async def change(bet: RowNumber, slip: Slip, player: Seated, key: Key, app: InApp) -> Row:
    """Change a bet: it is replaced by the new one, or stays unchanged."""
    queue = app.pit.seat(player.table).queue
    request = _bet_request(slip, player, _player_key(player, key))._replace(replaces=bet)
    receipt = await asyncio.wrap_future(queue.place(request))
    return _bet_receipt(_with_wallet(app, player, receipt))


@router.delete("/bets/{bet}", tags=["bets"], **responds(answers.BetReceipt))
async def withdraw(bet: RowNumber, player: Seated, key: Key, app: InApp) -> Row:
    """Withdraw a bet while bets are open, and the bets that need it, such as its side bets."""
    queue = app.pit.seat(player.table).queue
    own = _player_key(player, key)
    receipt = await in_thread(lambda: queue.withdraw(player.account, bet, own))
    return _bet_receipt(_with_wallet(app, player, receipt))


async def placed(app: AppState, player: Player, kind: Placing, slip: Shape, key: str) -> Row:
    """Place the bets of a request.

    Returns the answer. Raises LedgerRejection, TableUnavailable, StoreError.
    """
    queue = app.pit.seat(player.table).queue
    receipt = await asyncio.wrap_future(kind.put(queue, player, slip, key))
    return kind.answer(_with_wallet(app, player, receipt))


def _is_held(app: AppState, player: Player) -> bool:
    """Whether no bet of a player is accepted as the external wallet that has the money is down."""
    wallet = app.pit.context.wallet
    return bool(wallet.trouble()) and wallet.has(player.account)


def _at_wallet_cents(app: AppState, player: Player) -> int:
    """What a player has in an external wallet, as it last said; 0 where the ledger has all."""
    return app.pit.context.wallet.balance_cents(player.account) or 0


def _with_wallet(app: AppState, player: Player, receipt: Receipt) -> Receipt:
    """Return a receipt whose balances have what the player has in an external wallet."""
    at_wallet = _at_wallet_cents(app, player)
    if not at_wallet:
        return receipt
    if isinstance(receipt, BetReceipt):
        return receipt._replace(balance_cents=receipt.balance_cents + at_wallet)
    bets = (
        each
        if isinstance(each, LedgerRejection)
        else each._replace(balance_cents=each.balance_cents + at_wallet)
        for each in receipt.bets
    )
    return receipt._replace(bets=tuple(bets))


def _put_bet(queue: BetQueue, player: Player, slip: Slip, key: str) -> "Future[BetReceipt]":
    return queue.place(_bet_request(slip, player, _player_key(player, key)))


def _put_slip(queue: BetQueue, player: Player, slip: BetSlip, key: str) -> "Future[SlipReceipt]":
    own = _player_key(player, key)
    requests = tuple(_bet_request(bet, player, own) for bet in slip.bets)
    return queue.place_slip(betting.Slip(player.account, own, requests))


def _put_call(queue: BetQueue, player: Player, call: Call, key: str) -> "Future[SlipReceipt]":
    request = _bet_request(call, player, _player_key(player, key))
    return queue.place_slip(betting.CallRequest(request))


def _bet_request(slip: Slip | Call, player: Player, key: str) -> BetRequest:
    return BetRequest(
        player.account,
        slip.fields(),
        slip.stake_cents,
        key,
        slip.round,
        None,
        player.session,
        player.terminal,
    )


def _player_key(player: Player, key: str) -> str:
    """Return the key of a request as one that no other player can have."""
    return f"{player.account} {key}"


def _bet_receipt(receipt: BetReceipt) -> Row:
    return receipt._asdict()


def _slip_receipt(receipt: SlipReceipt) -> Row:
    return {"bets": [_slip_bet(each) for each in receipt.bets], "is_repeat": receipt.is_repeat}


def _slip_bet(receipt: BetReceipt | LedgerRejection) -> Row:
    if isinstance(receipt, LedgerRejection):
        return {
            "bet": None,
            "round": None,
            "standing": None,
            "balance_cents": None,
            "code": receipt.code,
            "detail": receipt.what,
            "step": receipt.step or None,
            "where": receipt.where,
        }
    return {
        "bet": receipt.bet,
        "round": receipt.round,
        "standing": receipt.standing,
        "balance_cents": receipt.balance_cents,
        "code": None,
        "detail": None,
        "step": None,
        "where": "",
    }


PLACING = {
    "/v1/bets": Placing(Slip, _put_bet, _bet_receipt, 201),
    "/v1/slips": Placing(BetSlip, _put_slip, _slip_receipt, 200),
    "/v1/calls": Placing(Call, _put_call, _slip_receipt, 200),
}
"""By path; each is a POST."""
