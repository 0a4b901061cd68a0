"""The cash desk over HTTP: the balance seen is compared; held payouts, seats, receipts."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from host_tools.tests.served import PASSWORD, PIN, Floor
from tabletools import release
from tabletools.pit import checkpoints
from tabletools.store import chain

LIMIT = 100_000


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A table; payouts from EUR 1,000 in 24 hours are held; checkpoints are signed on request."""
    place = tmp_path_factory.mktemp("cash")
    private, _ = release.make_keys(place / "signer")
    new_floor = Floor(
        str(place / "ledger"),
        payout_release_cents=LIMIT,
        house="Casino Test, Hauptstraße 1",
        checkpoint_key=str(private),
        checkpoint_file=str(place / "signed"),
    )
    new_floor.key, new_floor.file = release.read_private(private), place / "signed"
    new_floor.sue, new_floor.cas = new_floor.host.login("Sue"), new_floor.host.login("Cas")
    yield new_floor
    new_floor.close()


def opened(floor, number, cents=0):
    """An account with so much on it."""
    player = {"player_number": number, "name": f"Player {number}", "pin": PIN}
    account = floor.cas.post("/v1/accounts", json=player).json()["id"]
    if cents:
        assert move(floor.cas, account, "deposits", cents, f"in {number}").status_code == 201
    return account


def move(client, account, what, cents, key, **more):
    where = f"/v1/accounts/{account}/{what}"
    return client.post(where, json={"cents": cents, **more}, headers={"Idempotency-Key": key})


def decide(client, payout, key, released=True, **more):
    body = {"released": released, "reason": "Passport seen", **more}
    where = f"/v1/held-payouts/{payout}/decision"
    return client.post(where, json=body, headers={"Idempotency-Key": key})


def balance(floor, account):
    return floor.sue.get(f"/v1/accounts/{account}").json()["balance_cents"]


def test_the_balance_a_cashier_saw_is_compared(floor):
    """100.00 seen by both: one pays out 60.00, the other is refused; sent again it is the same."""
    account = opened(floor, "100", 10_000)
    first = move(floor.cas, account, "payouts", 6_000, "one", seen_cents=10_000)
    assert (first.status_code, first.json()["balance_cents"]) == (201, 4_000)
    second = move(floor.sue, account, "payouts", 3_000, "two", seen_cents=10_000)
    assert (second.status_code, second.json()["code"]) == (409, "balance_changed")
    assert "is now 4000 cents, not 10000" in second.json()["detail"]
    again = move(floor.cas, account, "payouts", 6_000, "one", seen_cents=10_000)
    assert (again.status_code, again.json()["balance_cents"]) == (201, 4_000)
    late = move(floor.sue, account, "deposits", 100, "three", seen_cents=10_000)
    assert late.json()["code"] == "balance_changed"
    assert balance(floor, account) == 4_000


def test_of_many_at_once_one_is_booked(floor):
    """Eight cashiers saw 100.00 and pay out 10.00 each: 90.00 is left, seven get a conflict."""
    account = opened(floor, "101", 10_000)
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(
                lambda n: (
                    move(
                        floor.cas, account, "payouts", 1_000, f"k{n}", seen_cents=10_000
                    ).status_code
                ),
                range(8),
            )
        )
    assert sorted(answers) == [201] + [409] * 7
    assert balance(floor, account) == 9_000


def test_a_held_payout_is_released_by_who_did_not_request_it(floor):
    """1,500.00 is held for Cas, who may not release it; Sue does, the receipt has both names."""
    account = opened(floor, "102", 200_000)
    refused = move(floor.cas, account, "payouts", 150_000, "direct")
    assert (refused.status_code, refused.json()["code"]) == (403, "release_needed")
    held = move(floor.cas, account, "held-payouts", 150_000, "hold", seen_cents=200_000)
    assert held.status_code == 201, held.text
    assert (held.json()["paid_cents"], held.json()["limit_cents"]) == (150_000, LIMIT)
    payout = held.json()["id"]
    assert move(floor.cas, account, "held-payouts", 150_000, "hold").json()["id"] == payout
    assert balance(floor, account) == 200_000
    assert decide(floor.cas, payout, "a").json()["code"] == "not_allowed"
    for _ in range(2):  # the answer was lost, it is sent again
        done = decide(floor.sue, payout, "b")
        assert (done.status_code, done.json()["balance_cents"]) == (200, 50_000)
    again = decide(floor.sue, payout, "c")
    assert (again.status_code, again.json()["code"]) == (409, "payout_decided")
    [row] = floor.cas.get(f"/v1/held-payouts?account={account}").json()["payouts"]
    assert (row["requested_by"], row["decided_by"], row["second_user"]) == ("Cas", "Sue", "Cas")
    receipt = floor.cas.get(f"/v1/movements/{row['posting_id']}/receipt").json()
    assert (receipt["kind"], receipt["amount_cents"]) == ("payout", -150_000)
    assert (receipt["balance_cents"], receipt["player_number"]) == (50_000, "102")
    assert receipt["held"]["released_by"] == "Sue"
    assert receipt["held"]["reason"] == "Passport seen"


def test_who_requested_a_payout_needs_a_second_user_to_release_it(floor):
    """Sue requested it herself: not alone, not with herself, not with Amy; with Dan."""
    account = opened(floor, "103", 200_000)
    payout = move(floor.sue, account, "held-payouts", 100_000, "h").json()["id"]
    assert decide(floor.sue, payout, "1").json()["code"] == "two_users_needed"
    for name, code in (("Sue", "two_users_needed"), ("Amy", "user_not_allowed")):
        response = decide(floor.sue, payout, name, second={"name": name, "password": PASSWORD})
        assert response.json()["code"] == code
    wrong = decide(floor.sue, payout, "2", second={"name": "Dan", "password": "no"})
    assert wrong.status_code == 401
    done = decide(floor.sue, payout, "3", second={"name": "Dan", "password": PASSWORD})
    assert (done.status_code, done.json()["balance_cents"]) == (200, 100_000)


def test_what_is_held_is_never_paid_twice(floor):
    """Below the limit nothing is held; two holds need twice the money, a spent balance fails."""
    account = opened(floor, "104", 150_000)
    small = move(floor.cas, account, "held-payouts", 99_999, "small")
    assert (small.status_code, small.json()["code"]) == (409, "release_not_needed")
    payout = move(floor.cas, account, "held-payouts", 100_000, "h1").json()["id"]
    more = move(floor.cas, account, "held-payouts", 100_000, "h2")
    assert (more.status_code, more.json()["code"]) == (409, "not_enough_money")
    assert move(floor.cas, account, "payouts", 60_000, "out").status_code == 201
    poor = decide(floor.sue, payout, "r1")
    assert (poor.status_code, poor.json()["code"]) == (409, "not_enough_money")
    assert decide(floor.sue, payout, "r2", released=False).json()["balance_cents"] == 90_000
    assert decide(floor.sue, payout, "r3").json()["code"] == "payout_decided"
    waiting = floor.sue.get(f"/v1/held-payouts?waiting=true&account={account}").json()
    assert waiting["payouts"] == []


def test_releases_at_once_pay_once(floor):
    """Eight releases with a key each: one is booked."""
    account = opened(floor, "105", 300_000)
    payout = move(floor.cas, account, "held-payouts", 100_000, "h").json()["id"]
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(lambda n: decide(floor.sue, payout, f"k{n}").status_code, range(8)))
    assert sorted(codes) == [200] + [409] * 7
    assert balance(floor, account) == 200_000


@pytest.fixture(scope="module")
def player(floor):
    """The account of a player without money."""
    return opened(floor, "110")


@pytest.mark.parametrize(
    "cents", ["1e3", "-5", "0", "1.0", '"1"', "true", "1000000000000000000000"]
)
def test_what_is_no_amount_is_refused(floor, player, cents):
    for what in ("deposits", "payouts", "held-payouts"):
        answer = floor.cas.post(
            f"/v1/accounts/{player}/{what}",
            content=f'{{"cents": {cents}}}',
            headers={"Idempotency-Key": cents, "Content-Type": "application/json"},
        )
        assert (answer.status_code, answer.json()["code"]) == (422, "field_invalid")


def test_a_receipt_names_article_and_evidence(floor):
    """5.00 on 17 and 17 falls: 35:1 is 175.00; its article, record, chain entry, checkpoint."""
    ada = floor.host.terminal(floor.sue, floor.table, "ada")
    number = floor.open()
    slip = {"bet": "straight", "numbers": ["17"], "stake_cents": 500}
    bet = ada.post("/v1/bets", json=slip, headers={"Idempotency-Key": "x"}).json()["bet"]
    before = floor.cas.get(f"/v1/bets/{bet}/receipt").json()
    assert (before["result"], before["evidence"], before["checkpoint"]) == (None, None, None)
    floor.shut()
    floor.fall(17)
    checkpoints.append(floor.host.ledger, floor.key, floor.file, 0)
    receipt = floor.cas.get(f"/v1/bets/{bet}/receipt").json()
    [row] = floor.sue.get(f"/v1/rounds/{number}/bets").json()["bets"]
    assert receipt["house"] == "Casino Test, Hauptstraße 1"
    assert (receipt["table_name"], receipt["round_number"]) == ("R1", floor.round)
    assert (receipt["rules"], receipt["result"]) == ("hc2023", {"pocket": "17"})
    assert (receipt["bet"]["win_cents"], receipt["bet"]["back_cents"]) == (17_500, 500)
    assert receipt["bet"]["rule"] == row["rule"] == "hc2023 2:2(1)"
    assert (row["paragraphs"], row["odds"]) == (["hc2023 2:2(1)"], "35:1")
    whole = "17 on the straight 17: 35:1, hc2023 2:2(1); winnings 175.00, stake 5.00 returned"
    assert receipt["bet"]["sentence"] == row["sentence"] == whole
    [paragraph] = receipt["paragraphs"]
    assert (paragraph["name"], paragraph["line"]) == ("hc2023 2:2(1)", 89)
    ended = floor.sue.get(f"/v1/rounds/{number}").json()["records"]
    [record] = [one for one in ended if one["frame"] == receipt["evidence"]["frame"]]
    assert (record["type"], receipt["evidence"]["seal"]) == ("wheel_result", "verified")
    assert receipt["printed_by"] == "Cas"
    assert receipt["checkpoint"]["seq"] >= receipt["chain"]["seq"]
    with floor.host.ledger.read() as db:
        links = db.exec_driver_sql("SELECT seq, rows, previous, digest FROM chain").all()
    [entry] = [each for each in links if each.seq == receipt["chain"]["seq"]]
    part = json.loads(entry.rows)["settlements"]["keys"]
    assert (bet, 1) in chain.unpack_keys(part)
    assert bytes(entry.digest).hex() == receipt["chain"]["digest"]
    assert len(bytes.fromhex(receipt["chain"]["digest"])) == hashlib.sha256().digest_size


def test_movements_end_with_the_balance(floor):
    """Paid in 100.00, 20.00 out, 5.00 staked: each with the balance after it, newest first."""
    account = opened(floor, "106", 10_000)
    move(floor.cas, account, "payouts", 2_000, "o")
    player = floor.host.seat(floor.sue, floor.table, account, "box 3")
    [session] = floor.cas.get(f"/v1/seats?account={account}").json()["seats"]
    assert (session["player"], session["table_name"], session["terminal"]) == (
        "Player 106",
        "R1",
        "box 3",
    )
    floor.open()
    slip = {"bet": "red", "stake_cents": 500}
    player.post("/v1/bets", json=slip, headers={"Idempotency-Key": "z"})
    rows = floor.cas.get(f"/v1/accounts/{account}/movements").json()["movements"]
    assert [(r["kind"], r["amount_cents"], r["balance_cents"]) for r in rows] == [
        ("bet", -500, 7_500),
        ("payout", -2_000, 8_000),
        ("deposit", 10_000, 10_000),
    ]
    assert (rows[0]["table_name"], rows[0]["round_number"]) == ("R1", floor.round)
    where = f"/v1/accounts/{account}/movements?before={rows[0]['id']}&most=1"
    [page] = floor.cas.get(where).json()["movements"]
    assert (page["kind"], page["balance_cents"], page["user_name"]) == ("payout", 8_000, "Cas")
    floor.shut()
    floor.fall(18)


def test_the_cashier_is_refused_what_is_not_cash(floor):
    """No ruling, no order, no seat, no user; nothing of the machines."""
    refused = (
        ("post", "/v1/bets/1/ruling"),
        ("post", f"/v1/tables/{floor.table}/close-bets"),
        ("post", f"/v1/tables/{floor.table}/sessions"),
        ("get", "/v1/users"),
        ("get", "/v1/devices"),
        ("get", "/v1/rounds/1/bets"),
    )
    for method, path in refused:
        answer = floor.cas.request(method, path, headers={"Idempotency-Key": "k"})
        assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed"), path


def test_the_ledger_verifies_with_what_the_desk_wrote(floor):
    """Chain and balances verify with held payouts and their decisions in the ledger."""
    from tabletools.table import verify

    with floor.host.ledger.read() as db:
        assert verify.check(db).problems == []


def test_a_statement_is_read_page_by_page(floor):
    """1.00, 2.00 and 3.00 paid in, 4.00 paid out: two pages of three and one."""
    account = opened(floor, "S-1")
    for cents in (100, 200, 300):
        move(floor.cas, account, "deposits", cents, f"s{cents}")
    move(floor.cas, account, "payouts", 400, "s400")
    where = f"/v1/accounts/{account}/statement"
    first = floor.cas.get(where, params={"most": 3}).json()
    assert (first["opening_cents"], first["closing_cents"], first["is_complete"]) == (0, 200, True)
    assert first["player_number"] == "S-1"
    second = floor.cas.get(where, params={"most": 3, "after": first["next"]}).json()
    entries = [*first["entries"], *second["entries"]]
    assert [row["balance_cents"] for row in entries] == [100, 300, 600, 200]
    assert [row["kind"] for row in entries] == ["deposit"] * 3 + ["payout"]
    assert second["next"] is None
    for wrong, code in (
        ({"after": 10**9}, "no_such_movement"),
        ({"day": "1999-12-31"}, "no_such_day"),
        ({"days": 367}, "field_invalid"),
        ({"most": 201}, "field_invalid"),
    ):
        assert floor.cas.get(where, params=wrong).json()["code"] == code
    assert floor.cas.get("/v1/accounts/0/statement").json()["code"] == "no_such_player"
    file = floor.cas.get(f"{where}.csv", params={"locale": "el"})
    assert file.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'filename="statement-S-1-' in file.headers["content-disposition"]
    lines = file.content.decode("utf-8-sig").splitlines()
    assert [line.split(";")[4:6] for line in lines[1:-1]] == [
        ["", "0,00"],
        ["1,00", "1,00"],
        ["2,00", "3,00"],
        ["3,00", "6,00"],
        ["-4,00", "2,00"],
    ]
