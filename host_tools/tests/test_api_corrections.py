"""Corrections and adjustments over HTTP: what is in force is what every answer shows. By hand."""

import pytest

from host_tools.tests.served import PASSWORD
from host_tools.tests.test_api_play import place_bet, rule
from tabletools.shadow import ledger as shadows
from tabletools.table import wheel_lines
from tabletools.table.verify import check

DAN = {"name": "Dan", "password": PASSWORD}
SEEN = "camera 4, 21:07"


def sound(floor):
    """`ledger verify` and the shadow agree."""
    with floor.host.ledger.read() as db:
        assert check(db).problems == []
        assert shadows.check(db).differences == []


def correct(sue, number, outcome, settled, key):
    """Sue and Dan preview a correction and make it; returns the preview."""
    preview = sue.post(f"/v1/rounds/{number}/ruling/preview", json={"outcome": outcome}).json()
    said = {"outcome": outcome, "second": DAN, "settled": settled, "reason": "misread"}
    said |= {"evidence": SEEN, "preview": preview["preview"]}
    answer = rule(sue, number, said, key)
    assert answer.status_code == 200, answer.text
    return preview


def spin(floor, pocket, *bets):
    """A round with bets of (terminal, key, bet, fields); returns its key."""
    number = floor.open()
    for terminal, key, cents, bet, more in bets:
        assert place_bet(terminal, key, cents, bet, **more).status_code == 201
    floor.shut()
    floor.fall(pocket)
    return number


def test_the_outcome_in_force_is_shown_everywhere(floor, sue, ada):
    """17 paid EUR 5 on 17; it was zero: list, search, wall, receipt, line and event say so."""
    number = spin(floor, 17, (ada, "a", 500, "straight", {"numbers": ["17"]}))
    correct(sue, number, {"pocket": "0"}, 1, "r")
    zero, seventeen = {"pocket": "0"}, {"pocket": "17"}
    [row] = sue.get("/v1/rounds").json()["rounds"]
    assert (row["outcome"], row["superseded"], row["is_void"]) == (zero, seventeen, False)
    assert (row["win_cents"], row["lost_cents"]) == (0, 500)
    assert [one["id"] for one in sue.get("/v1/rounds?outcome=0").json()["rounds"]] == [number]
    assert sue.get("/v1/rounds?outcome=17").json()["rounds"] == []
    whole = sue.get(f"/v1/rounds/{number}").json()
    ruling = whole["ruling"]
    assert (whole["outcome"], whole["superseded"]) == (zero, seventeen)
    assert (ruling["users"], ruling["reason"], ruling["evidence"], ruling["follows"]) == (
        ["Sue", "Dan"],
        "misread",
        SEEN,
        None,
    )
    by_table, by_two = whole["settlements"]
    assert (by_table["first"], by_table["evidence"]) == (None, None)
    assert (by_two["first"], by_two["second"], by_two["evidence"]) == ("Sue", "Dan", SEEN)
    floor.wait(lambda facts: facts["results"][0]["outcome"] == zero)
    wall = floor.host.pit.seat(floor.table).live.facts["results"][0]
    assert (wall["superseded"], wall["ruling"]["users"]) == (seventeen, ["Sue", "Dan"])
    receipt = sue.get(f"/v1/bets/{whole['bets'][0]['id']}/receipt").json()
    assert (receipt["result"], receipt["superseded"]) == (zero, seventeen)
    assert (receipt["ruling"]["evidence"], receipt["evidence"]["seal"]) == (SEEN, "verified")
    with floor.host.ledger.read() as db:
        face = wheel_lines.face(db, floor.table)
    assert (face.settled, face.generation, face.pocket) == (number, 2, "0")
    correct(sue, number, seventeen, 2, "s")
    [row] = sue.get("/v1/rounds?outcome=17").json()["rounds"]
    assert (row["outcome"], row["superseded"], row["settled"]) == (seventeen, None, 3)
    sound(floor)


def test_a_chain_is_previewed_and_corrected(floor, sue, ada):
    """EUR 10 on red, imprisoned twice, then free: EUR 5 back. Spin 1 was 2: EUR 10 lost, and back.

    The rounds after keep their outcome and say which correction they follow.
    """
    prison = {"choice": "prison"}
    first = spin(floor, 0, (ada, "a", 1000, "red", prison))
    second, third = spin(floor, 0), spin(floor, 1)
    assert ada.get("/v1/seat").json()["balance_cents"] == 99_500
    refused = rule(
        sue,
        first,
        {
            "outcome": {"pocket": "2"},
            "second": DAN,
            "settled": 1,
            "reason": "misread",
            "evidence": SEEN,
        },
        "unseen",
    )
    assert (refused.status_code, refused.json()["code"]) == (409, "preview_needed")
    preview = correct(sue, first, {"pocket": "2"}, 1, "r")
    assert [(one["round"], one["outcome"]["pocket"]) for one in preview["later"]] == [
        (second, "0"),
        (third, "1"),
    ]
    assert [one["lines"] for one in preview["later"]] == [[], []]
    [balance] = preview["balances"]
    assert (balance["before_cents"], balance["after_cents"]) == (99_500, 99_000)
    assert ada.get("/v1/seat").json()["balance_cents"] == 99_000
    for number, pocket in ((second, "0"), (third, "1")):
        one = sue.get(f"/v1/rounds/{number}").json()
        assert (one["outcome"], one["superseded"]) == ({"pocket": pocket}, None)
        assert (one["settled"], one["ruling"]["follows"]) == (2, first)
        assert (one["ruling"]["users"], one["ruling"]["evidence"]) == (["Sue", "Dan"], SEEN)
    preview = correct(sue, first, {"pocket": "0"}, 2, "s")
    [half] = preview["later"][1]["lines"]
    assert (half["stake_cents"], half["back_cents"], half["win_cents"]) == (500, 500, 0)
    assert ada.get("/v1/seat").json()["balance_cents"] == 99_500
    sound(floor)


@pytest.fixture
def account(sue, ada):
    return ada.get("/v1/seat").json()["account"]


def adjust(client, account, key="adjustment", **more):
    """The answer to an adjustment of EUR 5.00 in favour of the player."""
    said = {"cents": 500, "table": 1, "reason": "paid to ben", "evidence": SEEN, "second": DAN}
    where = f"/v1/accounts/{account}/adjustments"
    return client.post(where, json=said | more, headers={"Idempotency-Key": key})


def test_an_adjustment_is_posted_once_and_proved(floor, sue, ada, account):
    """EUR 5.00 from the bank, by two users: receipt, movement, event, audit; again: no more."""
    number = spin(floor, 2)
    for _ in range(2):
        answer = adjust(sue, account, round=number, seen_cents=100_000)
        assert (answer.status_code, answer.json()["balance_cents"]) == (201, 100_500)
    movement = answer.json()["movement"]
    moved = sue.get(f"/v1/accounts/{account}/movements").json()["movements"][0]
    assert (moved["kind"], moved["amount_cents"]) == ("adjustment", 500)
    assert (moved["is_cash"], moved["has_receipt"]) == (False, True)
    receipt = sue.get(f"/v1/movements/{movement}/receipt").json()
    assert receipt["adjustment"] == {
        "users": ["Sue", "Dan"],
        "reason": "paid to ben",
        "evidence": SEEN,
        "table_name": "R1",
        "round": number,
        "round_number": 1,
    }
    assert (receipt["amount_cents"], receipt["balance_cents"]) == (500, 100_500)
    assert receipt["chain"] is not None
    rows = sue.get("/v1/audit?action=adjusted").json()["rows"]
    assert [row["who"] for row in rows] == ["Dan", "Sue"]
    assert adjust(sue, account, "b", cents=-600).json()["balance_cents"] == 99_900
    sound(floor)


def test_an_adjustment_that_is_refused(floor, sue, ada, account):
    """One user twice, no evidence, no such table or round, above the balance or the limit."""
    sue_too = {"name": "Sue", "password": PASSWORD}
    for more, code in (
        ({"second": sue_too}, "two_users_needed"),
        ({"evidence": " "}, "evidence_needed"),
        ({"reason": " "}, "reason_needed"),
        ({"table": 9}, "no_such_table"),
        ({"round": 9}, "no_such_round"),
        ({"cents": 0}, "amount_invalid"),
        ({"cents": -100_001}, "not_enough_money"),
        ({"seen_cents": 1}, "balance_changed"),
        ({"cents": 10_000_001}, "adjustment_limit"),
    ):
        assert adjust(sue, account, **more).json()["code"] == code
    assert adjust(sue, account, "all", cents=10_000_000).status_code == 201
    refused = adjust(sue, account, "more", cents=-1)  # the other way takes of the day too
    assert (refused.status_code, refused.json()["code"]) == (409, "adjustment_limit")
    assert adjust(floor.host.login("Cas"), account).status_code == 403
    sound(floor)
