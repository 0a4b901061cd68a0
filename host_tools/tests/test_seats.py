"""Seats of players: offered by the staff, opened by the player's PIN, ended by time; PINs."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from hil_tests.thinned import share
from host_tools.tests.pit import FRENCH
from host_tools.tests.served import HOUSE, PASSWORD, PIN, Host
from host_tools.tests.test_api_auth import Watch
from tabletools.api import seats as seats_module
from tabletools.api.seats import CODE_DIGITS, OFFER_NS, TRIES
from tabletools.money import cash, gaming_day, pins
from tabletools.money.people_queries import alarm_rows, audit_rows
from tabletools.store import LedgerRejection, people
from tabletools.table.terms import create_table

SECOND_NS = 1_000_000_000
MINUTE_NS = 60 * SECOND_NS
OTHER_PIN = "907153"
SUE = {"name": "Sue", "password": PASSWORD}


class House:
    """A host with a table that nobody serves, its users logged in, and ada with EUR 500.00."""

    def __init__(self, place):
        self.watch = Watch()
        self.host = Host(place, clock=self.watch, day_ends_hour=6, session_hours=24)

    def __enter__(self):
        self.host.__enter__()
        for name, role in (("Dan", "dealer"), ("Sue", "supervisor"), ("Cas", "cashier")):
            self.host.user(name, role)
        self.table = create_table(self.host.ledger, "R1", FRENCH, HOUSE, device=7)
        self.dan, self.sue, self.cas = map(self.host.login, ("Dan", "Sue", "Cas"))
        self.stranger = self.host.client()
        self.ada = self.open("ADA-1", PIN)
        cash.deposit(self.host.ledger, self.ada, 50_000, "ada", HOUSE)
        return self

    def __exit__(self, *_):
        self.host.stop()

    def open(self, number, pin=None):
        """Open an account; returns it."""
        body = {"player_number": number, "name": number} | ({} if pin is None else {"pin": pin})
        answer = self.cas.post("/v1/accounts", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def offer(self, account=None, who=None, terminal="seat 1"):
        """The answer to an offer of a seat."""
        body = {"account": account or self.ada, "terminal": terminal}
        return (who or self.dan).post(f"/v1/tables/{self.table}/sessions", json=body)

    def code(self, *args, **named):
        """The code of an offered seat."""
        answer = self.offer(*args, **named)
        assert answer.status_code == 201, answer.text
        return answer.json()["code"]

    def sit(self, code, pin=PIN):
        """The answer to a terminal that opens a seat."""
        return self.stranger.post("/v1/seat", json={"code": code, "pin": pin})

    def terminal(self, pin=PIN, **named):
        """A terminal with an open seat."""
        answer = self.sit(self.code(**named), pin)
        assert answer.status_code == 201, answer.text
        return self.host.client(Authorization=f"Bearer {answer.json()['token']}")

    def audited(self):
        with self.host.ledger.read() as db:
            return [(row["action"], row["who"], row["subject"]) for row in audit_rows(db)]

    def alarms(self):
        with self.host.ledger.read() as db:
            return [row["text"] for row in alarm_rows(db, 0)]


@pytest.fixture
def house(ledger_place):
    with House(ledger_place) as new_house:
        yield new_house


def problem(answer):
    return answer.status_code, answer.json()["code"]


# --- who opens a seat ----------------------------------------------------------------------------


def test_a_dealer_offers_a_seat_and_never_gets_its_token(house):
    """Before, one request of a dealer returned the token that stakes the player's 500.00."""
    offered = house.offer().json()
    assert sorted(offered) == ["account", "code", "expires_at", "table", "terminal"]
    assert house.stranger.get("/v1/seat").status_code == 401
    as_token = house.host.client(Authorization=f"Bearer {offered['code']}")
    assert problem(as_token.get("/v1/seat")) == (401, "no_session")
    assert problem(house.sit(offered["code"], "628414")) == (401, "pin_wrong")
    terminal = house.sit(offered["code"]).json()
    seat = house.host.client(Authorization=f"Bearer {terminal['token']}").get("/v1/seat").json()
    assert (seat["account"], seat["balance_cents"]) == (house.ada, 50_000)
    assert ("session_opened", "Dan", f"session {terminal['session']}") in house.audited()


def test_an_account_without_a_pin_is_not_seated(house):
    """The refusal says who sets one, and two users do."""
    ben = house.open("BEN-1")
    answer = house.offer(ben)
    assert problem(answer) == (409, "no_pin")
    assert "cash desk, with two users" in answer.json()["step"]
    assert house.sue.get(f"/v1/accounts/{ben}").json()["has_pin"] is False
    place = f"/v1/accounts/{ben}/pin"
    body = {"pin": OTHER_PIN, "second": SUE}
    assert problem(house.dan.put(place, json=body)) == (403, "not_allowed")
    assert problem(house.sue.put(place, json=body)) == (403, "two_users_needed")
    assert house.cas.put(place, json=body).status_code == 204
    assert house.sue.get(f"/v1/accounts/{ben}").json()["has_pin"] is True
    assert house.sit(house.code(ben), OTHER_PIN).status_code == 201


def test_the_ledger_opens_no_seat_without_the_pin(house):
    """Whoever calls it: a route of tomorrow, or a program."""
    ledger = house.host.ledger
    ben = cash.open_account(ledger, "BEN-1", "ben")
    for account, pin_hash, code in (
        (ben, None, "no_pin"),
        (house.ada, None, "pin_changed"),
        (house.ada, "another", "pin_changed"),
    ):
        opening = people.Opening(b"1", 2**62, None, account, house.table, "s", pin_hash=pin_hash)
        with pytest.raises(LedgerRejection) as caught:
            people.open_session(ledger, opening, HOUSE)
        assert caught.value.code == code


def test_an_offer_is_for_once_and_for_five_minutes(house):
    """A newer one of the same player ends it."""
    first = house.code()
    second = house.code(terminal="seat 2")
    assert problem(house.sit(first)) == (401, "no_offer")
    house.watch.now_ns += OFFER_NS
    assert problem(house.sit(second)) == (401, "no_offer")
    third = house.code()
    assert house.sit(third).status_code == 201
    assert problem(house.sit(third)) == (401, "no_offer")
    assert problem(house.offer()) == (409, "player_elsewhere")


def test_a_dealer_who_was_disabled_seats_nobody(house):
    code = house.code()
    with house.host.ledger.read() as db:
        dan = people.find_user(db, "Dan")
    people.change_user(house.host.ledger, dan.id, HOUSE, enabled=0)
    assert problem(house.sit(code)) == (403, "user_not_allowed")


def test_offers_that_wait_are_bounded(house, monkeypatch):
    """At a bound of 25; `make soak` fills it up to the shipped one."""
    assert seats_module.MOST_OFFERS == 500
    most = share(seats_module.MOST_OFFERS, 20)
    monkeypatch.setattr(seats_module, "MOST_OFFERS", most)
    seats, actor = house.host.state.seats, HOUSE
    codes = [seats.offer(house.ada, house.table, "s", actor).code]
    for number in range(most):
        account = cash.open_account(house.host.ledger, f"N-{number}", "n", pin_hash="x")
        codes.append(seats.offer(account, house.table, "s", actor).code)
    assert len(set(codes)) == len(codes)
    assert {len(code) for code in codes} == {CODE_DIGITS}
    assert problem(house.sit(codes[0])) == (401, "no_offer")


# --- guesses -------------------------------------------------------------------------------------


def test_an_offer_allows_three_pins(house):
    code = house.code()
    left = [house.sit(code, f"10000{number}").json()["detail"][-1] for number in range(TRIES)]
    assert left == ["2", "1", "0"]
    assert problem(house.sit(code)) == (401, "no_offer")
    assert house.sit(house.code()).status_code == 201


def test_ten_wrong_pins_a_day_lock_an_account_with_an_alarm(house):
    """The tries before a right one count; a reset by two users, or a day, ends it."""
    for number in range(pins.MOST_WRONG):
        if number % TRIES == 0:
            code = house.code()
        assert problem(house.sit(code, f"10000{number}")) == (401, "pin_wrong")
    assert problem(house.sit(code)) == (403, "pin_locked")
    assert problem(house.offer()) == (403, "pin_locked")
    assert house.alarms() == [f"10 wrong PINs of account {house.ada} in 24 hours"]
    assert [row for row in house.audited() if row[0] == "pin_wrong"] == [
        ("pin_wrong", "Dan", f"account {house.ada}")
    ] * 10
    house.watch.now_ns += 24 * 60 * MINUTE_NS + 1
    house.dan = house.host.login("Dan")
    assert house.sit(house.code()).status_code == 201


def test_two_users_end_a_lock_and_the_seats_of_the_old_pin(house):
    terminal = house.terminal()
    for number in range(pins.MOST_WRONG):
        body = {"old": f"10000{number}", "new": OTHER_PIN}
        assert problem(terminal.post("/v1/seat/pin", json=body)) == (401, "pin_wrong")
    body = {"old": PIN, "new": OTHER_PIN}
    assert problem(terminal.post("/v1/seat/pin", json=body)) == (403, "pin_locked")
    house.watch.now_ns += SECOND_NS
    body = {"pin": OTHER_PIN, "second": SUE}
    assert house.cas.put(f"/v1/accounts/{house.ada}/pin", json=body).status_code == 204
    assert terminal.get("/v1/seat").status_code == 401
    assert problem(house.sit(house.code())) == (401, "pin_wrong")
    assert house.sit(house.code(), OTHER_PIN).status_code == 201


def test_a_dealer_who_guesses_offers_no_more_seats(house):
    """At many accounts: after 30 wrong PINs of a day; another user still offers them."""
    accounts = [house.open(f"N-{number}", PIN) for number in range(11)]
    for account in accounts[:10]:
        code = house.code(account)
        for number in range(TRIES):
            assert problem(house.sit(code, f"10000{number}")) == (401, "pin_wrong")
    assert problem(house.offer(accounts[10])) == (403, "pin_locked")
    assert house.alarms() == ["30 wrong PINs in 24 hours at seats that Dan offers"]
    assert house.sit(house.code(accounts[10], who=house.sue)).status_code == 201


def test_a_stranger_without_a_code_tries_no_pin(house):
    """Codes are counted by address and lock nobody but the stranger; no PIN is checked."""
    code = house.code()
    guesses = (f"{number:08}" for number in range(10**8) if f"{number:08}" != code)
    answers = [problem(house.sit(next(guesses))) for _ in range(8)]
    assert answers == [(401, "no_offer")] * 5 + [(401, "locked")] * 3
    assert not [row for row in house.audited() if row[0] == "pin_wrong"]
    token, player = house.host.state.seats.open(code, PIN, "another address")
    assert token
    assert player.account == house.ada


def test_parallel_guesses_are_judged_one_after_the_other(house):
    code, clients = house.code(), [house.host.client() for _ in range(8)]

    def guess(client):
        answer = client.post("/v1/seat", json={"code": code, "pin": "100001"})
        return answer.json()["code"]

    with ThreadPoolExecutor(8) as threads:
        codes = list(threads.map(guess, clients))
    assert codes.count("pin_wrong") <= TRIES
    assert set(codes) <= {"pin_wrong", "no_offer", "busy", "locked"}


POOR = (
    *("12345", "1234567890123", "12345a", "١٢٣٤٥٦"),  # no PINs
    *("111111", "123456", "654321", "890123", "135791"),  # rows
    *("123123", "121212", "112233", "123321", "111222"),  # repetitions
    *("447061", "000447061"),  # the player number
)


def test_a_pin_that_is_easily_guessed_is_refused(house, subtests):
    """Rows, repetitions, few digits, the player number ADA-447061."""
    for pin in POOR:
        with subtests.test(pin=pin):
            body = {"player_number": "ADA-447061", "name": "Ada", "pin": pin}
            assert problem(house.cas.post("/v1/accounts", json=body)) == (422, "pin_poor")
            assert not house.cas.get("/v1/accounts?player_number=ADA-447061").json()["accounts"]


def test_no_pin_is_stored_or_logged(house):
    house.terminal()
    with house.host.ledger.read() as db:
        stored = pins.find(db, house.ada)
        text = repr(audit_rows(db))
    assert stored.pin_hash.startswith("$argon2id$")
    assert PIN not in text + repr(house.host.lines)


# --- the end of a seat ---------------------------------------------------------------------------


def test_the_player_changes_the_pin_at_the_terminal(house):
    terminal = house.terminal()
    for new, answer in (("123456", (422, "pin_poor")), (OTHER_PIN, None)):
        reply = terminal.post("/v1/seat/pin", json={"old": PIN, "new": new})
        assert problem(reply) == answer if answer else reply.status_code == 204
    assert terminal.get("/v1/seat").status_code == 200
    assert terminal.delete("/v1/seat").status_code == 204
    assert problem(house.sit(house.code())) == (401, "pin_wrong")
    assert house.sit(house.code(), OTHER_PIN).status_code == 201
    assert ("pin_set", "terminal seat 1", f"account {house.ada}") in house.audited()


def test_a_seat_that_was_closed_elsewhere_changes_no_pin(house):
    """Another host ended it: the token that this one remembers tries no PIN."""
    terminal = house.terminal()
    session = terminal.get("/v1/seat").json()["session"]
    people.close_session(house.host.ledger, session, "closed", HOUSE)
    answer = terminal.post("/v1/seat/pin", json={"old": PIN, "new": OTHER_PIN})
    assert problem(answer) == (401, "no_session")


def test_a_seat_ends_when_no_bet_is_placed_for_long(house):
    """Reading is no use of it: a display reads by itself."""
    terminal = house.terminal()
    bet = {"bet": "red", "stake_cents": 500}
    for _ in range(3):
        house.watch.now_ns += 29 * MINUTE_NS
        assert terminal.get("/v1/seat").status_code == 200
        refused = terminal.post("/v1/bets", json=bet, headers={"Idempotency-Key": "1"})
        assert refused.status_code != 401  # the table is not served, but the player is there
    for _ in range(2):
        house.watch.now_ns += 15 * MINUTE_NS
        assert terminal.get("/v1/bets").status_code == 200
    house.watch.now_ns += 1 * MINUTE_NS
    assert problem(terminal.get("/v1/seat")) == (401, "no_session")
    bet = terminal.post("/v1/bets", json=bet, headers={"Idempotency-Key": "2"})
    assert problem(bet) == (401, "no_session")
    house.dan = house.host.login("Dan")
    assert house.sit(house.code()).status_code == 201  # and the player may sit down again


def test_a_seat_ends_with_the_day(house):
    """At 06:00 of local time, whatever session_hours allows."""
    hour = house.host.settings.day_ends_hour
    seat = house.sit(house.code()).json()
    ends = datetime.fromisoformat(seat["expires_at"])
    assert (ends.astimezone().hour, ends.minute, ends.second) == (hour, 0, 0)
    terminal = house.host.client(Authorization=f"Bearer {seat['token']}")
    house.host.settings.__dict__["seat_idle_minutes"] = 10_000
    house.watch.now_ns = int(ends.timestamp()) * SECOND_NS - 1
    assert terminal.get("/v1/seat").status_code == 200
    house.watch.now_ns += 1
    assert problem(terminal.get("/v1/seat")) == (401, "no_session")


def test_the_day_ends_once_a_day():
    """By the wall: a minute before it ends in a minute, at the hour a day later."""
    at = datetime(2026, 3, 11, 5, 59).astimezone()
    assert (
        gaming_day.end_ns(int(at.timestamp()) * SECOND_NS, 6)
        == int(at.timestamp() + 60) * SECOND_NS
    )
    at = datetime(2026, 3, 11, 6, 0).astimezone()
    end = datetime(2026, 3, 12, 6, 0).astimezone()
    assert (
        gaming_day.end_ns(int(at.timestamp()) * SECOND_NS, 6) == int(end.timestamp()) * SECOND_NS
    )
