"""Takings, dealers, rules and the day close over HTTP; every sum by hand."""

import csv
import io
from datetime import date, timedelta

import pytest

from host_tools.tests.served import PASSWORD, Floor, until


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """17 fell on 5.00 of red, which lost; the dealer was Dan. The zone of R1 is not set."""
    new_floor = Floor(str(tmp_path_factory.mktemp("takings") / "ledger"))
    new_floor.sue, new_floor.dan = new_floor.host.login("Sue"), new_floor.host.login("Dan")
    assert new_floor.dan.put(f"/v1/tables/{new_floor.table}/dealer").status_code == 204
    player = new_floor.host.terminal(new_floor.sue, new_floor.table, "=Ada")
    new_floor.open()
    slip = {"bet": "red", "stake_cents": 500}
    answer = player.post("/v1/bets", json=slip, headers={"Idempotency-Key": "one"})
    assert answer.status_code == 201, answer.text
    new_floor.shut()
    new_floor.fall(17)
    yield new_floor
    new_floor.close()


def report(floor, by):
    """The only row of a report, once the round is in it."""

    def rows():
        return floor.sue.get("/v1/takings", params={"by": by}).json()["rows"]

    [row] = until(rows)
    return row


@pytest.mark.parametrize(
    ("by", "name"), [("table", "R1"), ("dealer", "Dan"), ("game", "roulette"), ("zone", "")]
)
def test_a_round_is_in_every_report(floor, by, name):
    """Hold 100 %; in theory 1/74 of 5.00: 6.76 cents, 1.35 %."""
    assert report(floor, by) == {
        "name": name,
        "currency": "EUR",
        "games": 1,
        "drop_cents": 500,
        "win_cents": 500,
        "hold_percent": "100.00",
        "theoretical_hold_percent": "1.35",
        "theoretical_win_cents": 7,
        "theory_known_cents": 500,
        "games_an_hour": None,
    }


def test_a_report_by_day_has_a_row_for_each_day_with_rounds(floor):
    report(floor, "table")
    today = date.fromisoformat(floor.sue.get("/v1/takings").json()["day"])
    wanted = {"by": "day", "days": 3, "day": (today - timedelta(days=2)).isoformat()}
    rows = floor.sue.get("/v1/takings", params=wanted).json()["rows"]
    assert [row["name"] for row in rows] == [today.isoformat()]


@pytest.mark.parametrize(
    "wanted", [{"day": "1999-12-31"}, {"day": "9999-12-31"}, {"days": 63}, {"by": "mood"}]
)
def test_a_report_that_cannot_be_is_refused(floor, wanted):
    assert floor.sue.get("/v1/takings", params=wanted).status_code in {409, 422}


def test_the_file_is_read_by_a_spreadsheet(floor):
    """By the habits of Germany: a byte order mark, semicolons, decimal commas."""
    report(floor, "table")
    answer = floor.sue.get("/v1/takings.csv", params={"locale": "de"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.content.startswith(b"\xef\xbb\xbf")
    [head, row] = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";")
    assert dict(zip(head, row, strict=True)) == {
        "name": "R1",
        "currency": "EUR",
        "games": "1",
        "drop": "5,00",
        "win": "5,00",
        "hold_percent": "100,00",
        "theoretical_hold_percent": "1,35",
        "theoretical_win": "0,07",
        "games_an_hour": "",
    }
    assert floor.dan.get("/v1/takings.csv").status_code == 403


def test_a_dealer_takes_over_and_leaves(floor):
    place = f"/v1/tables/{floor.table}/dealer"
    assert floor.sue.get(place).json() == {"name": "Dan"}
    assert floor.sue.put(place).status_code == 204
    assert floor.dan.get(place).json() == {"name": "Sue"}
    assert floor.sue.delete(place).status_code == 204
    assert floor.dan.get(place).json() == {"name": None}
    assert floor.dan.put("/v1/tables/99/dealer").json()["code"] == "no_such_table"


def test_rules_are_added_and_ended(floor):
    """A supervisor does; a dealer sees them."""
    rule = {"measure": "hold", "low": -2_000, "high": 4_000, "hours": 8, "least_games": 100}
    number = floor.sue.post("/v1/alarm-rules", json=rule).json()["rule"]
    [row] = floor.dan.get("/v1/alarm-rules").json()["rules"]
    assert (row["id"], row["measure"], row["user_name"], row["table_name"]) == (
        number,
        "hold",
        "Sue",
        None,
    )
    assert floor.dan.delete(f"/v1/alarm-rules/{number}").status_code == 403
    assert floor.sue.delete(f"/v1/alarm-rules/{number}").status_code == 204
    assert floor.sue.delete(f"/v1/alarm-rules/{number}").json()["code"] == "no_such_rule"
    empty = floor.sue.post("/v1/alarm-rules", json={"measure": "hold"})
    assert (empty.status_code, empty.json()["code"]) == (422, "limit_needed")


def test_a_day_is_closed_with_a_second_user(floor):
    """1,000.00 were paid in; 200.00 filled; 1,199.00 counted: 1.00 short."""
    known = floor.sue.get("/v1/cash-places").json()
    paid_in = known["expected_cents"]
    both = {"reason": "evening", "second": {"name": "Cas", "password": PASSWORD}}
    fill = {"kind": "fill", "cents": 20_000, **both}
    answer = floor.sue.post("/v1/cash-transfers", json=fill, headers={"Idempotency-Key": "f"})
    assert answer.json() == {"expected_cents": paid_in + 20_000}
    count = {"day": known["day"], "counted_cents": paid_in + 19_900, **both}
    for _ in range(2):
        answer = floor.sue.post("/v1/day-closes", json=count, headers={"Idempotency-Key": "c"})
        assert answer.json() == {"difference_cents": -100}
    again = floor.sue.post("/v1/day-closes", json=count, headers={"Idempotency-Key": "d"})
    assert again.json()["code"] == "day_closed"
    wrong = {**count, "second": {"name": "Dan", "password": PASSWORD}}
    refused = floor.sue.post("/v1/day-closes", json=wrong, headers={"Idempotency-Key": "e"})
    assert refused.status_code in {403, 409}
    after = floor.sue.get("/v1/cash-places").json()
    assert (after["expected_cents"], after["closed_day"]) == (paid_in + 19_900, known["day"])
    assert [row["second_name"] for row in after["closes"]] == ["Cas"]
