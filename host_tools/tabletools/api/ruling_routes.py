"""Decisions of two named users, and what waits for them: late bets, rounds, open stakes."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query

from tabletools.api import answers_rulings as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    MOST_NUMBER,
    InApp,
    Key,
    RowNumber,
    SignedIn,
    action,
    as_json,
    two_of,
)
from tabletools.api.play_routes import round_row
from tabletools.api.shapes import BetRuling, Dealt, Declined, RoundRuling, StakesEnd, Supposed
from tabletools.money import play_queries, reports
from tabletools.reports import rounds as round_reports
from tabletools.store import LedgerRejection
from tabletools.table import hand_rulings, loading, rulings, unsettled_stakes
from tabletools.table.corrections import Resettled
from tabletools.table.rulings import Preview, decline, preview_round

router = APIRouter(prefix="/v1", tags=["rulings"])
Row = dict[str, Any]


@router.post("/rounds/{number}/ruling", **action("rounds.rule"), **responds(answers.Ruled))
def rule_round(number: RowNumber, body: RoundRuling, key: Key, who: SignedIn, app: InApp) -> Row:
    """Settle a round without a result, or correct one, by a ruling of two named users.

    409 if the round was settled since they saw it; nothing is written then.
    """
    table = round_row(app, number).table or 0
    users = two_of(app, who, body.second)
    ruling = rulings.Ruling(
        body.outcome, users, body.reason, body.settled, key, body.evidence, body.preview
    )
    with app.pit.ruling(table) as lease:
        generation = rulings.rule_round(app.ledger, lease, number, ruling)
    return {"round": number, "generation": generation}


@router.post(
    "/rounds/{number}/ruling/preview", **action("rounds.rule"), **responds(answers.Previewed)
)
def preview_ruling(number: RowNumber, body: Supposed, who: SignedIn, app: InApp) -> Row:
    """What a ruling would do to each bet and balance; nothing is changed."""
    return _preview_row(number, preview_round(app.ledger, number, body.outcome, who.actor))


@router.post("/rounds/{number}/ruling/decline", status_code=204, **action("rounds.rule"))
def decline_ruling(number: RowNumber, body: Declined, who: SignedIn, app: InApp) -> None:
    """Record that the second user does not agree; nothing is settled."""
    decline(app.ledger, number, body.outcome, two_of(app, who, body.second), body.reason)


def _preview_row(number: int, preview: Preview) -> Row:
    ruled, *later = preview.rounds
    return {
        "round": number,
        "settled": ruled.generation - 1,
        "generation": ruled.generation,
        "preview": preview.digest,
        "lines": _lines(ruled),
        "later": [
            {
                "round": each.round,
                "number": each.number,
                "generation": each.generation,
                "outcome": each.outcome,
                "lines": _lines(each),
            }
            for each in later
        ],
        "balances": [one._asdict() for one in preview.balances],
        "differences": preview.differences,
    }


def _lines(settled: Resettled) -> list[Row]:
    lines = []
    for bet, line in zip(settled.staked, settled.lines, strict=True):
        amounts = {
            f"{name}_cents": getattr(line, name)
            for name in ("stake", "win", "back", "live", "lost")
        }
        slip = json.loads(bet.slip)
        lines.append(
            {
                "account": bet.account,
                "slip": slip,
                "outcome": line.outcome,
                **amounts,
                "rule": line.rule,
            }
        )
    return lines


@router.post("/rounds/{number}/cards", **action("bets.see"), **responds(answers.CardsTold))
def cards_told(number: RowNumber, body: Dealt, app: InApp) -> Row:
    """The cards a shoe read in a round, and the round record they make; changes nothing."""
    round_row(app, number)
    said = body.decisions
    decisions = None if said is None else [(one.box, one.hand, str(one.act)) for one in said]
    with app.ledger.read() as db:
        played = loading.read_by_key(db, number)
        assert played is not None
        cards, record, why = hand_rulings.record_from_shoe(db, played, body.boxes, decisions)
    read = {"cards": cards.dealt, "burned": cards.burned}
    return {**read, "record": record, "why": why}


@router.get("/stakes", **action("bets.see"), **responds(answers.Stakes))
def stakes(app: InApp) -> Row:
    """Every open stake of any table, and why; they add up to the escrow of the tables."""
    offline = [table for table, seat in app.pit.seats.items() if seat.live.is_silent]
    with app.ledger.read() as db:
        rows = unsettled_stakes.stakes(db, app.ledger.clock.wall_ns(), offline)
    return {"stakes": [as_json(row._asdict()) for row in rows]}


@router.post(
    "/tables/{table}/stakes-end", **action("rounds.rule"), **responds(answers.StakesEnded)
)
def end_stakes(table: RowNumber, body: StakesEnd, key: Key, who: SignedIn, app: InApp) -> Row:
    """Refund, by two named users, stakes that join no later round, or all of a closed table."""
    with app.ledger.read() as db:
        play_queries.table_row(db, table)
    users = two_of(app, who, body.second)
    with app.pit.ruling(table) as lease:
        number, cents = unsettled_stakes.end_stakes(app.ledger, lease, users, body.reason, key)
    return {"table": table, "round": number, "back_cents": cents}


@router.post("/bets/{bet}/ruling", status_code=204, **action("bets.rule"))
def rule_bet(bet: RowNumber, body: BetRuling, key: Key, who: SignedIn, app: InApp) -> None:
    """Rule by two named users whether a bet that came late counts."""
    with app.ledger.read() as db:
        table = play_queries.table_of_bet(db, bet)
    if table is None:
        raise LedgerRejection("no_such_bet", f"there is no bet {bet}", "see the late bets", "bet")
    users = two_of(app, who, body.second)
    with app.pit.ruling(table) as lease:
        rulings.rule_bet(
            app.ledger, lease, rulings.BetRuling(bet, body.valid, users, body.reason, key)
        )


@router.get("/late-bets", **action("late_bets.see"), **responds(answers.LateBets))
def late_bets(
    app: InApp,
    before: Annotated[int | None, Query(ge=1, le=MOST_NUMBER)] = None,
    most: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Row:
    """Bets that came after no-more-bets, with their times; newest round first."""
    with app.reports.look_back() as look:
        keys = round_reports.with_late_bets(look.model, before, most)
        keys += reports.unsettled_rounds(look.ledger, before)
        rows = reports.late_bets(look.ledger, sorted(set(keys)))
    return {"late_bets": [_late(row) for row in rows[::-1][:most]]}


@router.get("/late-bets/waiting", **action("bets.see"), **responds(answers.LateBets))
def late_bets_waiting(app: InApp) -> Row:
    """Bets that came late and wait for two users, with their times; oldest round first."""
    with app.ledger.read() as db:
        rows = reports.waiting_bets(db)
    return {"late_bets": [_late(row) for row in rows]}


def _late(bet: reports.LateBet) -> Row:
    return as_json(bet._asdict() | {"slip": json.loads(bet.slip)})
