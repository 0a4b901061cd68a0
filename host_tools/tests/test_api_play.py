"""Bets over HTTP at an emulated table: placed, changed, taken back, refused, settled once."""

import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from host_tools.tests.served import PASSWORD, Floor, until
from tabletools.evidence.stored_traces import Traces
from tabletools.evidence_file import checking
from tabletools.pit import checkpoints
from tabletools.store import StoreError

KEY = {"Idempotency-Key": "ruling"}


def place_bet(terminal, key, cents=500, bet="red", **more):
    """The answer to a bet."""
    slip = {"bet": bet, "stake_cents": cents, **more}
    return terminal.post("/v1/bets", json=slip, headers={"Idempotency-Key": key})


def rule(client, number, ruling, key="r"):
    """The answer to a ruling on a round."""
    where = f"/v1/rounds/{number}/ruling"
    return client.post(where, json=ruling, headers={"Idempotency-Key": key})


def test_a_bet_is_placed_once_and_settled_once(floor, sue, ada):
    """5.00 on red and 7 falls: 5.00 won, 1,005.00 in all; the request again is no second bet."""
    number = floor.open()
    first, again = place_bet(ada, "a"), place_bet(ada, "a")
    assert (first.status_code, first.json()["is_repeat"]) == (201, False)
    assert again.json() == first.json() | {"is_repeat": True}
    assert ada.get("/v1/seat").json()["balance_cents"] == 99_500
    floor.shut()
    floor.fall(7)
    assert ada.get("/v1/seat").json()["balance_cents"] == 100_500
    reply = sue.get(f"/v1/rounds/{number}").json()
    assert (reply["verdict"], reply["settled"], reply["outcome"]) == (
        "believed",
        1,
        {"pocket": "7"},
    )
    assert [record["type"] for record in reply["records"]] == [
        "round_opened",
        "bets_closed",
        "wheel_result",
    ]
    [bet] = reply["bets"]
    assert (bet["player"], bet["outcome"], bet["win_cents"]) == ("ada", "win", 500)
    assert reply["settlements"][0]["win_cents"] == 500


def test_a_bet_is_changed_and_taken_back(floor, ada):
    """A change returns the old stake; after a withdrawal no bet is left."""
    floor.open()
    bet = place_bet(ada, "a").json()["bet"]
    slip = {"bet": "black", "stake_cents": 1000}
    changed = ada.put(f"/v1/bets/{bet}", json=slip, headers={"Idempotency-Key": "b"}).json()
    assert changed["balance_cents"] == 99_000
    gone = ada.delete(f"/v1/bets/{bet}", headers={"Idempotency-Key": "c"})
    assert (gone.status_code, gone.json()["code"]) == (404, "no_such_bet")
    back = ada.delete(f"/v1/bets/{changed['bet']}", headers={"Idempotency-Key": "d"}).json()
    assert (back["standing"], back["balance_cents"]) == ("withdrawn", 100_000)
    assert [each["taken_back"] for each in ada.get("/v1/bets").json()["bets"]] == [
        "changed",
        "withdrawn",
    ]


@pytest.mark.parametrize(
    ("slip", "status", "code"),
    [
        ({"bet": "red", "stake_cents": 400}, 422, "below_minimum"),
        ({"bet": "red", "stake_cents": 200_000}, 409, "not_enough_money"),
        ({"bet": "purple", "stake_cents": 500}, 422, "unknown_bet"),
        ({"bet": "red", "stake_cents": 5.5}, 422, "field_invalid"),
        ({"bet": "red", "stake_cents": "500"}, 422, "field_invalid"),
        ({"bet": "red", "stake_cents": 500, "tip": 1}, 422, "field_invalid"),
        ({"bet": "red", "stake_cents": 500, "round": 99}, 409, "other_round"),
    ],
)
@pytest.mark.one_in(2)
def test_what_is_no_bet_is_refused(floor, ada, slip, status, code):
    """A problem of RFC 9457 with a code, what was wrong and the next step; nothing is booked."""
    floor.open()
    answer = ada.post("/v1/bets", json=slip, headers={"Idempotency-Key": "a"})
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert (answer.status_code, body["status"], body["code"]) == (status, status, code)
    assert body["detail"]
    assert body["step"]
    assert ada.get("/v1/seat").json()["balance_cents"] == 100_000


def test_what_no_database_counts_is_refused(floor, sue, ada):
    """Numbers of rows beyond 64 bits, text with NUL: 422 with what to do, no defect."""
    much, second = 2**63, {"name": "Dan", "password": "seventeen red horses"}
    for path in (
        f"rounds/{much}",
        f"accounts/{much}",
        f"rounds?before={much}",
        f"alarms?table={much}",
        "accounts?name=%00",
        "rounds?outcome=%00",
        "audit?action=%00",
    ):
        response = sue.get(f"/v1/{path}")
        assert (response.status_code, response.json()["code"]) == (422, "field_invalid"), path
    for path, body in (
        (f"alarms/{much}/acknowledge", {"note": "a"}),
        (f"tables/{much}/stakes-end", {"second": second, "reason": "a"}),
        (f"tables/{floor.table}/stakes-end", {"second": second, "reason": "a\0"}),
        ("accounts", {"player_number": "7", "name": "a\0"}),
    ):
        response = sue.post(f"/v1/{path}", json=body, headers=KEY)
        assert (response.status_code, response.json()["code"]) == (422, "field_invalid"), path
    number = floor.open()
    for outcome in (
        {"stakes_back": ["a"]},
        {"stakes_back": "a\0"},
        {"stakes_back": "a", "void": "a"},
    ):
        response = sue.post(f"/v1/rounds/{number}/ruling/preview", json={"outcome": outcome})
        assert (response.status_code, response.json()["code"]) == (422, "wrong_type"), outcome
    for outcome, code in (
        ('{"void":"\\ud800"}', "invalid_text"),
        ('{"void":1e999}', "wrong_type"),
        ('{"x":NaN}', "body_unreadable"),
        ('{"pocket":"38"}', "unknown_pocket"),
        ('{"pocket":"17","pocket":"18"}', "duplicate_key"),
    ):
        said = json.dumps({"second": second, "reason": "a"})[:-1]
        response = sue.post(
            f"/v1/rounds/{number}/ruling/decline",
            content=f'{said},"outcome":{outcome}}}',
            headers={"Content-Type": "application/json"},
        )
        status = 400 if code in ("body_unreadable", "duplicate_key") else 422
        assert (response.status_code, response.json()["code"]) == (status, code), outcome


def test_a_late_bet_is_held_for_two_users(floor, sue, ada):
    """hc2023: after no-more-bets a bet is referred, stake held, until two users rule on it."""
    floor.open()
    floor.shut()
    late = place_bet(ada, "a", 1000).json()
    assert (late["standing"], late["balance_cents"]) == ("referred", 99_000)
    floor.fall(1)
    where = f"/v1/bets/{late['bet']}/ruling"
    ruling = {"second": {"name": "Dan", "password": "wrong"}, "valid": False, "reason": "late"}
    assert sue.post(where, json=ruling, headers=KEY).json()["code"] == "login_failed"
    ruling["second"]["password"] = "seventeen red horses"
    assert sue.post(where, json=ruling).status_code == 422
    for _ in range(2):  # the answer was lost, it is sent again
        assert sue.post(where, json=ruling, headers=KEY).status_code == 204
    assert ada.get("/v1/seat").json()["balance_cents"] == 100_000
    again = sue.post(where, json=ruling, headers={"Idempotency-Key": "another"})
    assert again.json()["code"] == "bet_ruled"


def test_a_round_that_never_ends(floor, sue, ada):
    """Open bets are listed; two users preview their ruling, then return the stake."""
    number = floor.open()
    place_bet(ada, "a", 1000)
    [lies] = sue.get("/v1/stakes").json()["stakes"]
    assert (lies["round_id"], lies["why"], lies["stake_cents"]) == (number, "runs", 1000)
    said = {"outcome": {"stakes_back": "device gone"}}
    preview = sue.post(f"/v1/rounds/{number}/ruling/preview", json=said).json()
    assert [(line["outcome"], line["back_cents"]) for line in preview["lines"]] == [("void", 1000)]
    [balance] = preview["balances"]
    assert (balance["name"], balance["before_cents"], balance["after_cents"]) == (
        "ada",
        99_000,
        100_000,
    )
    assert ada.get("/v1/seat").json()["balance_cents"] == 99_000
    ruling = said | {
        "second": {"name": "Dan", "password": "seventeen red horses"},
        "reason": "burnt",
        "evidence": "Tim, in the workshop",
        "preview": "another",
        "settled": preview["settled"],
    }
    changed = rule(sue, number, ruling)
    assert (changed.status_code, changed.json()["code"]) == (409, "preview_changed")
    ruling["preview"] = preview["preview"]
    for _ in range(2):  # the same request again gets the same answer
        assert rule(sue, number, ruling).json()["generation"] == 1
    other = rule(sue, number, ruling | {"reason": "sold"})
    assert (other.status_code, other.json()["code"]) == (409, "key_reused")
    assert ada.get("/v1/seat").json()["balance_cents"] == 100_000
    assert sue.get("/v1/stakes").json() == {"stakes": []}
    end = {name: ruling[name] for name in ("second", "reason")}
    answer = sue.post(f"/v1/tables/{floor.table}/stakes-end", json=end, headers=KEY)
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing_lies")


def test_what_a_shoe_read_is_asked_for_by_round(floor, sue):
    """A wheel's round has no cards; unknown rounds and unknown boxes are refused."""
    number = floor.open()
    where = f"/v1/rounds/{number}/cards"
    assert sue.post(where, json={}).json() == {
        "cards": [],
        "burned": [],
        "record": None,
        "why": "no shoe reported cards of this round",
    }
    assert sue.post("/v1/rounds/999/cards", json={}).json()["code"] == "no_such_round"
    for wrong in ({"boxes": 0}, {"decisions": [{"box": 1, "act": "fold"}]}, {"cards": "AS"}):
        assert sue.post(where, json=wrong).status_code == 422
    floor.shut()
    floor.fall(1)


def test_of_rulings_at_once_one_holds(ledger_place, request):
    """17 was paid 35:1; of eight simultaneous corrections one is made, seven get a 409.

    The stake of EUR 10.00 on 17 is lost whichever wins, so ada ends with EUR 990.00.
    """
    floor = Floor(ledger_place)
    request.addfinalizer(floor.close)
    sue = floor.host.login("Sue")
    ada = floor.host.terminal(sue, floor.table, "ada")
    number = floor.open()
    place_bet(ada, "a", 1000, "straight", numbers=["17"])
    floor.shut()
    floor.fall(17)
    clients = [floor.host.login("Sue") for _ in range(8)]
    gate = threading.Barrier(8)

    def correct(pocket):
        ruling = {
            "outcome": {"pocket": str(pocket)},
            "reason": "misread",
            "evidence": "camera 4",
            "second": {"name": "Dan", "password": PASSWORD},
            "settled": 1,
        }
        gate.wait()
        return rule(clients[pocket], number, ruling, f"key {pocket}")

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(correct, range(8)))
    codes = [(one.status_code, one.json()["code"]) for one in answers if not one.is_success]
    assert codes == [(409, "generation_changed")] * 7
    [holds] = [pocket for pocket, one in enumerate(answers) if one.is_success]
    reply = sue.get(f"/v1/rounds/{number}").json()
    assert [one["outcome"] for one in reply["settlements"]] == [
        {"pocket": "17"},
        {"pocket": str(holds)},
    ]
    assert reply["settled"] == 2
    assert ada.get("/v1/seat").json()["balance_cents"] == 99_000
    noted = sue.get("/v1/audit?action=round_ruled").json()["rows"]
    assert len(noted) == 2  # one row for each of the two users


def test_two_players_of_one_name_have_two_accounts(floor, sue, ada):
    """The number is the player's, the name a label: a number that has an account is a 409."""
    accounts = [
        sue.post("/v1/accounts", json={"player_number": number, "name": "ada"})
        for number in ("1001", "1002", "1001", "10 01")
    ]
    assert [one.status_code for one in accounts] == [201, 201, 409, 422]
    assert [one.json().get("code") for one in accounts[2:]] == ["number_taken", "number_invalid"]
    first, second = (one.json() for one in accounts[:2])
    assert first["id"] != second["id"]
    assert second["balance_cents"] == 0
    [account] = sue.get("/v1/accounts?player_number=1002").json()["accounts"]
    assert account == second


def test_one_terminal_for_a_player(floor, sue, ada):
    """A second session is refused until the first one is left; its token is worth nothing then."""
    account = ada.get("/v1/seat").json()["account"]
    body = {"account": account, "terminal": "another"}
    where = f"/v1/tables/{floor.table}/sessions"
    assert sue.post(where, json=body).json()["code"] == "player_elsewhere"
    assert ada.delete("/v1/seat").status_code == 204
    assert ada.get("/v1/seat").status_code == 401
    assert sue.post(where, json=body).status_code == 201


def test_a_lost_link_closes_the_bets(floor, ada):
    """The port of the table is gone: no bet is accepted, and the alarm stays open."""
    floor.open()
    floor.port.__exit__()
    floor.wait(lambda facts: not facts["bets_open"])
    answer = place_bet(ada, "a")
    assert (answer.status_code, answer.json()["code"]) == (409, "no_more_bets")
    floor.wait(lambda facts: facts["alarms"] == 1)


def test_a_ledger_that_fails_books_nothing(floor, ada, monkeypatch):
    """503, to be tried again with the same key; then the bet is there once."""
    floor.open()
    error = StoreError("the ledger is full", "no space is left", "make room")

    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr("tabletools.table.betting.place_all", fail)
        answer = place_bet(ada, "a")
    assert (answer.status_code, answer.json()["code"]) == (503, "ledger_failed")
    assert answer.headers["retry-after"] == "1"
    assert ada.get("/v1/seat").json()["balance_cents"] == 100_000
    assert place_bet(ada, "a").json()["is_repeat"] is False


def test_the_trace_of_a_round_is_fetched_once(floor, sue):
    """The table is asked while idle; that it has no trace is known from then on."""
    number = floor.open()
    floor.shut()
    floor.fall(7)
    traces = Traces(floor.host.ledger)
    until(lambda: traces.next_missing(7) is None)
    assert sue.get(f"/v1/rounds/{number}/trace").json()["code"] == "no_such_trace"


def test_the_evidence_of_a_round_is_a_file_that_proves_itself(floor, sue, ada, tmp_path):
    number = floor.open()
    place_bet(ada, "e")
    floor.shut()
    floor.fall(7)
    until(lambda: sue.get(f"/v1/rounds/{number}").json()["settled"])
    answer = sue.get(f"/v1/rounds/{number}/evidence")
    assert answer.headers["content-type"] == "application/octet-stream"
    file = tmp_path / "round.evidence"
    file.write_bytes(answer.content)
    key = checkpoints.signing_key(floor.host.settings, floor.host.ledger).public_key()
    report = checking.check(file, key)
    assert report.problems == []
    [checked] = report.rounds
    assert (checked.outcome, checked.bets) == ({"pocket": "7"}, 1)
    assert sue.get("/v1/rounds/99999/evidence").json()["code"] == "no_such_round"


def test_bets_that_come_together_share_a_transaction(floor, sue, ada):
    """Forty at once, some sent twice: each is answered by itself, and booked once."""
    floor.open()
    floor.host.pit.seat(floor.table).host.tally.batches = 0
    ready = threading.Barrier(20)

    def ask(number):
        if number < 20:
            ready.wait()
        return place_bet(ada, f"k{number % 30}").json()

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(40)))
    assert sorted(answer["is_repeat"] for answer in answers) == [False] * 30 + [True] * 10
    assert len({answer["bet"] for answer in answers}) == 30
    assert ada.get("/v1/seat").json()["balance_cents"] == 100_000 - 30 * 500
    assert floor.host.pit.seat(floor.table).host.tally.batches < 40


def test_a_great_payout_takes_a_second_user(floor, sue):
    """hc2023 1:1(14): EUR 100,000 is held for Sue until Dan releases it with her."""
    account = sue.post("/v1/accounts", json={"player_number": "8", "name": "Whale"}).json()
    where = f"/v1/accounts/{account['id']}"
    dan, cas = ({"name": name, "password": "seventeen red horses"} for name in ("Dan", "Cas"))
    deposit = {"json": {"cents": 12_000_000}, "headers": {"Idempotency-Key": "in"}}
    alone = sue.post(f"{where}/deposits", **deposit)
    assert (alone.status_code, alone.json()["code"]) == (403, "two_users_needed")
    deposit["json"]["second"] = dan
    refused = sue.post(f"{where}/deposits", **deposit)
    assert (refused.status_code, refused.json()["code"]) == (403, "user_not_allowed")
    deposit["json"]["second"] = cas
    assert sue.post(f"{where}/deposits", **deposit).status_code == 201
    asked = {"cents": 10_000_000}
    key = {"Idempotency-Key": "out"}
    held = sue.post(f"{where}/payouts", json=asked, headers=key)
    assert (held.status_code, held.json()["code"]) == (403, "release_needed")
    asked["second"] = dan
    paid = sue.post(f"{where}/payouts", json=asked, headers=key)
    assert (paid.status_code, paid.json()["balance_cents"]) == (201, 2_000_000)


def test_a_host_whose_database_was_moved_says_so_and_books_nothing(floor, ada):
    """Bets and /v1/ready answer 503; with the file in its place again the next round is open."""
    floor.open()
    assert place_bet(ada, "a").status_code == 201
    file = floor.host.ledger._file
    moved = file.rename(file.with_name("elsewhere"))
    refused = place_bet(ada, "b")
    assert (refused.status_code, refused.json()["code"]) == (503, "ledger_failed")
    ready = floor.host.client().get("/v1/ready")
    assert ready.status_code == 503
    assert any("not the one this program has open" in what for what in ready.json()["troubles"])
    moved.rename(file)
    floor.shut()
    floor.fall(7)
    assert ada.get("/v1/seat").json()["balance_cents"] == 100_500


def full(*_, **_options):
    """As SQLite reports a disk without room."""
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    raise error


def test_a_host_whose_disk_is_full_is_not_ready(floor, ada, monkeypatch):
    """Bets are refused with 503, and so is /v1/ready; 10 s after the last failure no more."""
    floor.open()
    monkeypatch.setattr("tabletools.store.chain.add_entry", full)
    assert place_bet(ada, "a").json()["code"] == "ledger_failed"
    ready = floor.host.client().get("/v1/ready")
    assert (ready.status_code, ready.json()["status"]) == (503, "not ready")
    assert any("the database is full" in what for what in ready.json()["troubles"])
    monkeypatch.undo()
    monkeypatch.setattr("tabletools.store.database.FAILURE_S", 0)
    until(lambda: floor.host.client().get("/v1/ready").status_code == 200)
