"""Slips of many bets over HTTP; the fast path for bets answers exactly as the normal one."""

from concurrent.futures import ThreadPoolExecutor

from host_tools.tests.served import HOUSE
from tabletools.store import people

RED, BAD, HALF = (
    {"bet": "red", "stake_cents": 1000},
    {"bet": "green", "stake_cents": 1000},
    {"bet": "black", "stake_cents": 700},
)


def send(terminal, key, *bets, where="/v1/slips"):
    """The answer to a slip."""
    return terminal.post(where, json={"bets": list(bets)}, headers={"Idempotency-Key": key})


def codes(answer):
    """The code of each bet of an answer, empty if it was accepted."""
    return [bet["code"] or "" for bet in answer.json()["bets"]]


def balance(terminal):
    return terminal.get("/v1/seat").json()["balance_cents"]


def test_each_bet_of_a_slip_is_answered_by_itself(floor, sue, ada):
    """1,000.00; 10.00 twice on red, an unknown bet and 7.00, no multiple of 5.00, in between."""
    number = floor.open()
    answer = send(ada, "a", RED, BAD, HALF, RED)
    assert answer.status_code == 200
    first, bad, half, last = answer.json()["bets"]
    assert codes(answer) == ["", "unknown_bet", "not_a_multiple", ""]
    assert [bet["where"] for bet in (bad, half)] == ["bets[1].bet", "bets[2].stake"]
    assert [bet["balance_cents"] for bet in (first, bad, half, last)] == [
        99_000,
        None,
        None,
        98_000,
    ]
    assert (first["round"], first["standing"], first["bet"] < last["bet"]) == (
        number,
        "valid",
        True,
    )
    assert (bad["bet"], bool(bad["detail"])) == (None, True)
    assert [bet["id"] for bet in ada.get("/v1/bets").json()["bets"]] == [first["bet"], last["bet"]]


def test_every_refusal_of_a_slip_names_its_bet(floor, ada):
    """999 is no multiple of the minimum of 500: that is said, not that halves need 4 cents."""
    floor.open()
    wrong = RED | {"stake_cents": 999}
    dear, late = RED | {"stake_cents": 10_000_000}, RED | {"round": 999}
    first, *bets = send(ada, "a", RED, wrong, dear, late).json()["bets"]
    assert [(bet["code"], bet["where"]) for bet in bets] == [
        ("not_a_multiple", "bets[1].stake"),
        ("not_enough_money", "bets[2].stake"),
        ("other_round", "bets[3].round"),
    ]
    changed = ada.put(
        f"/v1/bets/{first['bet']}", json=wrong, headers={"Idempotency-Key": "change"}
    )
    assert (changed.status_code, changed.json()["code"]) == (422, "not_a_multiple")
    assert "a multiple of the minimum 500" in changed.json()["detail"]


def test_a_slip_sent_again_is_answered_the_same_and_booked_once(floor, ada):
    floor.open()
    first, again = send(ada, "a", RED, BAD), send(ada, "a", RED, BAD)
    assert first.json()["is_repeat"] is False
    assert again.json() == first.json() | {"is_repeat": True}
    assert balance(ada) == 99_000
    other = send(ada, "a", RED, RED)
    assert (other.status_code, other.json()["code"]) == (409, "key_reused")
    single = ada.post("/v1/bets", json=RED, headers={"Idempotency-Key": "a"})
    assert (single.status_code, single.json()["code"]) == (409, "key_reused")
    assert balance(ada) == 99_000


def test_equal_slips_at_once_are_booked_once(floor, ada):
    floor.open()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: send(ada, "a", RED, RED), range(16)))
    assert [codes(answer) for answer in answers] == [["", ""]] * 16
    assert sorted(answer.json()["is_repeat"] for answer in answers) == [False] + [True] * 15
    assert len({str(answer.json()["bets"]) for answer in answers}) == 1
    assert balance(ada) == 98_000


def test_after_no_more_bets_every_bet_of_a_slip_is_refused(floor, sue, ada):
    """Nothing is kept under the key: the next round may use it."""
    floor.open()
    assert sue.post(f"/v1/tables/{floor.table}/close-bets").status_code == 204
    assert codes(send(ada, "a", RED, HALF)) == ["no_more_bets"] * 2
    assert balance(ada) == 100_000
    floor.shut()
    floor.fall(7)
    floor.open()
    assert codes(send(ada, "a", RED, HALF)) == ["", "not_a_multiple"]


def test_the_last_money_of_a_player_goes_to_the_first_bets(floor, sue):
    ben = floor.host.terminal(sue, floor.table, "ben", cents=2_500)
    floor.open()
    small = {"bet": "red", "stake_cents": 500}
    assert codes(send(ben, "a", RED, RED, RED, small, small)) == [
        "",
        "",
        "not_enough_money",
        "",
        "not_enough_money",
    ]
    assert balance(ben) == 0


MISTAKES = [
    ("/v1/slips", {"bets": []}, {}),
    ("/v1/slips", {"bets": [RED] * 201}, {}),
    ("/v1/slips", {"bets": [{"bet": "red", "stake_cents": 5.0}]}, {}),
    ("/v1/slips", {"bets": [RED], "more": 1}, {}),
    ("/v1/bets", {"bet": "red"}, {}),
    ("/v1/bets", RED, {"Idempotency-Key": "k" * 65}),
    ("/v1/bets", RED, {"Idempotency-Key": ""}),
    ("/v1/bets", RED, {"Authorization": "Bearer nobody"}),
    ("/v1/bets", RED, {"Authorization": "Basic x"}),
    ("/v1/bets", RED, {"Content-Type": "text/plain"}),
    ("/v1/bets", RED | {"round": 999}, {}),
    ("/v1/bets", BAD, {}),
    ("/v1/bets", HALF, {}),
    ("/v1/bets", RED | {"stake_cents": 10**8}, {}),
    ("/v1/slips", {"bets": [BAD, HALF]}, {}),
]


def test_both_ways_say_the_same(floor, ada):
    """A query that no route knows takes the way of all requests."""
    floor.open()
    assert codes(send(ada, "first", RED)) == [""]  # the terminal is known from now on
    for where, body, headers in MISTAKES:
        all_headers = {"Idempotency-Key": "mistake"} | headers
        short = ada.post(where, json=body, headers=all_headers)
        long = ada.post(f"{where}?", params={"way": "long"}, json=body, headers=all_headers)
        assert (short.status_code, short.json()) == (long.status_code, long.json()), body
        assert short.headers["content-type"] == long.headers["content-type"]
        assert short.status_code != 201
    again = send(ada, "first", RED, where="/v1/slips?way=long")
    assert again.json() == send(ada, "first", RED).json()
    assert balance(ada) == 99_000


def test_a_session_that_ended_elsewhere_places_no_bet(floor, sue, ada):
    """Another host of the same ledger closes it: this one knows nothing of that before it asks."""
    floor.open()
    assert codes(send(ada, "a", RED)) == [""]
    session = ada.get("/v1/seat").json()["session"]
    people.close_session(floor.host.ledger, session, "closed", HOUSE)
    assert codes(send(ada, "b", RED)) == ["session_closed"]
    single = ada.post("/v1/bets", json=RED, headers={"Idempotency-Key": "c"})
    assert (single.status_code, single.json()["code"]) == (409, "session_closed")
    sue.delete(f"/v1/sessions/{session}")


def test_a_session_closed_here_is_unknown_at_once(floor, sue, ada):
    floor.open()
    assert codes(send(ada, "a", RED)) == [""]
    session = ada.get("/v1/seat").json()["session"]
    assert sue.delete(f"/v1/sessions/{session}").status_code == 204
    answer = send(ada, "b", RED)
    assert (answer.status_code, answer.json()["code"]) == (401, "no_session")


def test_a_late_slip_waits_for_two_users(floor, ada):
    """After no more bets a house of 2023 may still let a stake count: each bet is referred."""
    floor.open()
    floor.shut()
    answer = send(ada, "a", RED, HALF)
    assert [bet["standing"] for bet in answer.json()["bets"]] == ["referred", None]


def test_a_call_bet_over_http(floor, ada):
    """The table accepts none, and says so; of another game's fields nothing is read."""
    floor.open()
    tiers = {"call": "tiers", "stake_cents": 3000}
    headers = {"Idempotency-Key": "call"}
    answer = ada.post("/v1/calls", json=tiers, headers=headers)
    [refused] = answer.json()["bets"]
    assert (answer.status_code, refused["code"], refused["where"]) == (
        200,
        "bet_not_offered",
        "call",
    )
    assert balance(ada) == 100_000
    assert ada.post("/v1/calls", json={**tiers, "bet": "red"}, headers=headers).status_code == 422
