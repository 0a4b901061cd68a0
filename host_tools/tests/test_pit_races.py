"""Bets, voids, rulings, releases and cash at the same time, over HTTP, on both databases.

Of conflicting requests one wins, every answer is correct, and afterwards the ledger
verifies and its shadow agrees.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from host_tools.tests.emulated import DEVICE, SECRET
from host_tools.tests.served import PASSWORD, Floor
from host_tools.tests.test_pit_orders import Obedient
from tabletools.shadow import ledger as shadow
from tabletools.store.schema.books import ledger_lines
from tabletools.table.verify import check

DAN = {"name": "Dan", "password": PASSWORD}
FULL, HELD_FROM = 100_000, 50_000


@pytest.fixture
def floor(ledger_place):
    """A table that obeys orders; at the end the books balance and both settlements agree."""
    new_floor = Floor(
        ledger_place, played=Obedient(DEVICE, SECRET), payout_release_cents=HELD_FROM
    )
    new_floor.sue = new_floor.host.login("Sue")
    yield new_floor
    with new_floor.host.ledger.read() as db:
        assert check(db).problems == []
        assert shadow.check(db).differences == []
        assert db.execute(select(func.sum(ledger_lines.c.amount_cents))).scalar() == 0
    new_floor.close()


def at_once(*calls):
    """The answers to calls that begin at the same moment."""
    gate = threading.Barrier(len(calls))

    def begin(call):
        gate.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(begin, calls))


def bet(terminal, key, cents=500):
    slip = {"bet": "red", "stake_cents": cents}
    return terminal.post("/v1/bets", json=slip, headers={"Idempotency-Key": key})


def ruling(client, number, outcome, key, settled):
    said = {
        "outcome": outcome,
        "reason": "seen",
        "evidence": "camera 4",
        "second": DAN,
        "settled": settled,
    }
    where = f"/v1/rounds/{number}/ruling"
    return client.post(where, json=said, headers={"Idempotency-Key": key})


def opened(floor, names):
    """A round that is open, and a player at a terminal for each name; returns both."""
    players = [floor.host.terminal(floor.sue, floor.table, name) for name in names]
    floor.host.ready(floor.table)
    order = {"order": "open_bets"}
    assert floor.sue.post(f"/v1/tables/{floor.table}/orders", json=order).status_code == 200
    floor.wait(lambda facts: facts["bets_open"])
    return floor.host.pit.seat(floor.table).live.facts["round"], players


def balances(players):
    return [player.get("/v1/seat").json()["balance_cents"] for player in players]


def test_bets_against_voids_and_rulings(floor):
    """Eight bets, a void by order and eight rulings: one ruling at most; every stake is returned.

    An accepted bet is in the void round; a bet that came after the void was refused.
    """
    number, players = opened(floor, "abcdefgh")
    clients = [floor.host.login("Sue") for _ in range(9)]
    void = {"order": "void_round", "values": {"reason": "croupier_void"}}
    answers = at_once(
        *(lambda one=one, n=n: bet(one, f"bet {n}") for n, one in enumerate(players)),
        *(
            lambda n=n: ruling(clients[n], number, {"void": f"ruling {n}"}, f"r{n}", 0)
            for n in range(8)
        ),
        lambda: clients[8].post(f"/v1/tables/{floor.table}/orders", json=void),
    )
    bets, rulings, order = answers[:8], answers[8:16], answers[16]
    assert {one.status_code for one in bets} <= {201, 409}
    won = [one for one in rulings if one.is_success]
    assert len(won) <= 1
    lost = {(one.status_code, one.json()["code"]) for one in rulings if not one.is_success}
    assert lost <= {(409, "generation_changed")}
    # On a busy machine the table may answer too late.
    refusals = ("two_users_needed", "table_refused", "table_silent")
    assert order.is_success or order.json()["code"] in refusals
    if not won:
        last = ruling(floor.sue, number, {"void": "by order"}, "last", 0)  # it is held for two
        assert last.is_success, last.text
    assert balances(players) == [FULL] * 8
    reply = floor.sue.get(f"/v1/rounds/{number}").json()
    assert (reply["settled"], len(reply["settlements"])) == (1, 1)
    assert len(reply["bets"]) == sum(one.is_success for one in bets)


def test_corrections_against_releases(floor):
    """A win of 1,000.00 is held for payout, then corrected and released at once, by eight each.

    One correction and one release succeed: a paid release is a debt after the correction, or
    there was not enough left to release.
    """
    number, [ada] = opened(floor, "a")
    assert bet(ada, "bet", FULL).status_code == 201
    floor.round = 1
    floor.shut()
    won = ruling(floor.sue, number, {"pocket": "7"}, "first", 0)
    assert won.status_code == 200, won.text
    [account] = [row["id"] for row in floor.sue.get("/v1/accounts").json()["accounts"]]
    hold = {"json": {"cents": 2 * FULL}, "headers": {"Idempotency-Key": "hold"}}
    cas = floor.host.login("Cas")
    held = cas.post(f"/v1/accounts/{account}/held-payouts", **hold)
    assert held.status_code == 201, held.text
    payout = held.json()["id"]
    clients = [floor.host.login("Sue") for _ in range(16)]
    decision = {"released": True, "reason": "Passport seen"}
    answers = at_once(
        *(
            lambda n=n: ruling(clients[n], number, {"pocket": str(2 * n + 2)}, f"c{n}", 1)
            for n in range(4)
        ),
        *(
            lambda n=n: ruling(clients[n], number, {"void": f"void {n}"}, f"c{n}", 1)
            for n in range(4, 8)
        ),
        *(
            lambda n=n: clients[8 + n].post(
                f"/v1/held-payouts/{payout}/decision",
                json=decision,
                headers={"Idempotency-Key": f"d{n}"},
            )
            for n in range(8)
        ),
    )
    corrections, releases = answers[:8], answers[8:]
    assert sorted(one.status_code for one in corrections) == [200] + [409] * 7
    paid = [one for one in releases if one.is_success]
    assert len(paid) <= 1
    codes = {one.json()["code"] for one in releases if not one.is_success}
    assert codes <= {"payout_decided", "not_enough_money"}
    reply = floor.sue.get(f"/v1/rounds/{number}").json()
    assert (reply["settled"], len(reply["settlements"])) == (2, 2)
    black = "pocket" in reply["settlements"][1]["outcome"]
    assert balances([ada]) == [(0 if black else FULL) - (2 * FULL if paid else 0)]
