"""A pit whose players have their money in an external wallet: over HTTP, threads and all."""

import base64
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from host_tools.tests.served import PASSWORD, PIN, Floor, until
from tableemulator.wallet import WalletBook, WalletServer
from tabletools.api import wallet_routes
from tabletools.money import wallet_transfers

SECRET = b"a secret of more than 24 bytes, shared"
FULL = 100_000


@pytest.fixture
def wallet():
    """A wallet that is sound, but for what a test puts among its failures."""
    new_wallet = WalletServer(WalletBook(), SECRET, timeout_s=1)
    yield new_wallet
    new_wallet.close()


@pytest.fixture
def floor(tmp_path, wallet):
    """A table that is linked, and one host with the wallet."""
    secrets = tmp_path / "secrets"
    secrets.write_text(f"whsec_{base64.b64encode(SECRET).decode()}\n")
    settings = {"wallet": wallet.url, "wallet_secrets": str(secrets), "wallet_timeout_s": 10}
    new_floor = Floor(str(tmp_path / "ledger"), **settings)
    until(lambda: not new_floor.host.pit.context.wallet.trouble())
    yield new_floor
    new_floor.close()


@pytest.fixture
def ada(floor, wallet):
    """A player at a terminal who has EUR 1,000.00 at the wallet."""
    sue = floor.host.login("Sue")
    wallet.book.open("ADA", FULL)
    opened = {"player_number": "ADA", "name": "Ada", "pin": PIN}
    account = sue.post("/v1/accounts", json=opened).json()
    return floor.host.seat(sue, floor.table, account["id"], "seat 1")


def bet(client, key, cents=1000, number="17"):
    """Place a bet; returns the answer."""
    body = {"bet": "straight", "numbers": [number], "stake_cents": cents}
    return client.post("/v1/bets", json=body, headers={"Idempotency-Key": key})


def is_reversed(wallet):
    """Whether the newest request gave Ada her money back."""
    return wallet.book.balances["ADA"] == FULL and wallet.requests[-1]["kind"] == "reversal"


def test_a_round_with_a_bet(floor, ada, wallet):
    """EUR 10.00 on 17, which falls: EUR 360.00 come back to the wallet."""
    floor.open()
    answer = bet(ada, "k1")
    assert (answer.status_code, answer.json()["balance_cents"]) == (201, FULL - 1000)
    assert ada.get("/v1/seat").json()["balance_cents"] == FULL - 1000
    assert wallet.book.balances["ADA"] == FULL - 1000
    floor.shut()
    floor.fall(17)
    until(lambda: wallet.book.balances["ADA"] == FULL + 35_000)
    until(lambda: ada.get("/v1/seat").json()["balance_cents"] == FULL + 35_000)


def test_the_same_request_twice_at_once_is_debited_once(floor, ada, wallet):
    """The second waits for the first, and gets its answer."""
    wallet.failures.append("slow")
    floor.open()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: bet(ada, "k1"), range(4)))
    assert [each.status_code for each in answers] == [201] * 4
    assert sorted(each.json()["is_repeat"] for each in answers) == [False, True, True, True]
    assert len({each.json()["bet"] for each in answers}) == 1
    assert wallet.book.balances["ADA"] == FULL - 1000


def test_no_more_bets_while_the_wallet_thinks(floor, ada, wallet):
    """The table goes on meanwhile: its frames are read, its bets close; the stake comes back."""
    floor.open()
    is_shut = threading.Event()
    wallet.be_slow = lambda: is_shut.wait(60)
    wallet.failures.append("slow")
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(bet, ada, "k1")
        until(lambda: wallet.requests)
        floor.shut()
        assert not late.done()
        is_shut.set()
        answer = late.result()
    assert (answer.status_code, answer.json()["code"]) == (409, "no_more_bets")
    until(lambda: is_reversed(wallet))
    floor.fall(17)


def test_a_wallet_that_fails_holds_bets_and_the_host_is_not_ready(floor, ada, wallet):
    """503 for the bet and for `ready`; the metrics say so; then everything is as before."""
    floor.open()
    anybody = floor.host.client()
    wallet.failures.extend(["reset_after"])
    answer = bet(ada, "k1")
    assert (answer.status_code, answer.json()["code"]) == (503, "wallet_uncertain")
    until(lambda: is_reversed(wallet))
    port = wallet.port
    wallet.close()
    assert bet(ada, "k2").json()["code"] == "wallet_uncertain"
    until(lambda: anybody.get("/v1/ready").status_code == 503)
    assert "wallet" in anybody.get("/v1/ready").json()["troubles"][0]
    assert bet(ada, "k3").json()["code"] == "wallet_down"
    metrics = anybody.get("/metrics").text
    assert "tablewire_wallet_up 0.0" in metrics
    assert 'tablewire_wallet_open{state="reversing"} 1.0' in metrics
    again = WalletServer(wallet.book, SECRET, timeout_s=1, port=port)
    until(lambda: anybody.get("/v1/ready").status_code == 200)
    assert bet(ada, "k3").status_code == 201
    until(lambda: wallet.book.balances["ADA"] == FULL - 1000)
    with floor.host.ledger.read() as db:
        until(lambda: not any(wallet_transfers.counts(db).values()))
    again.close()
    wallet.close = lambda: None


def decided(client, number, act, reason="ticket 4711", **more):
    """Decide a movement that the wallet refused; returns the answer."""
    return client.post(f"/v1/wallet/transfers/{number}/{act}", json={"reason": reason, **more})


@pytest.fixture
def refused(floor, ada, wallet):
    """The number of Ada's payment of EUR 360.00: the wallet does not know her any more."""
    floor.open()
    assert bet(ada, "k1").status_code == 201
    assert wallet.book.balances.pop("ADA") == FULL - 1000
    floor.shut()
    floor.fall(17)
    sue = floor.host.login("Sue")
    until(lambda: sue.get("/v1/wallet").json()["open"]["held"] == 1)
    [one] = sue.get("/v1/wallet").json()["waiting"]
    assert (one["kind"], one["state"], one["cents"]) == ("payment", "held", 36_000)
    return one["id"]


def test_a_refused_payment_is_sent_again_by_a_user(floor, wallet, refused):
    """Under a new key; the audit log has who decided, and why."""
    wallet.book.open("ADA", FULL - 1000)
    sue = floor.host.login("Sue")
    assert decided(sue, refused, "retry").json()["state"] == "queued"
    until(lambda: wallet.book.balances["ADA"] == FULL + 35_000)
    until(lambda: not any(sue.get("/v1/wallet").json()["open"].values()))
    again = decided(sue, refused, "retry")
    assert (again.status_code, again.json()["code"]) == (404, "no_such_transfer")
    rows = sue.get("/v1/audit").json()["rows"]
    [who] = [row["who"] for row in rows if row["action"] == "wallet_retried"]
    assert who == "Sue"


def test_a_payment_is_closed_as_moved_by_hand_by_two_users(floor, refused):
    """One alone is refused, so is a reason of blanks; two raise no alarm of the rights."""
    sue, second = floor.host.login("Sue"), {"second": {"name": "Cas", "password": PASSWORD}}
    assert decided(sue, refused, "close").status_code == 422
    own = {"second": {"name": "Sue", "password": PASSWORD}}
    assert decided(sue, refused, "close", **own).json()["code"] == "two_users_needed"
    assert decided(sue, refused, "close", " ", **second).json()["code"] == "reason_needed"
    assert decided(sue, refused, "close", **second).status_code == 200
    assert not any(sue.get("/v1/wallet").json()["open"].values())
    alarms = sue.get("/v1/alarms").json()["alarms"]
    assert "rights" not in [one["kind"] for one in alarms]


def test_a_day_beside_the_statement_of_the_wallet(floor, ada, wallet):
    """A stake of EUR 10.00 agrees; then the wallet says EUR 9.00, and has one more."""
    floor.open()
    assert bet(ada, "k1").status_code == 201
    amy = floor.host.login("Amy")
    day = wallet.requests[-1]["day"]
    comparison = amy.get(f"/v1/wallet/days/{day}").json()
    assert (comparison["agreed"], comparison["differences"]) == (1, [])
    assert comparison["sums"] == [{"currency": "EUR", "debited_cents": 1000, "credited_cents": 0}]
    [entry] = wallet.book._entries
    entry["cents"] = 900
    comparison = amy.get(f"/v1/wallet/days/{day}").json()
    assert [(one["kind"], one["cents"]) for one in comparison["differences"]] == [("amount", 1000)]
    assert amy.get("/v1/wallet/days/2026-02-30").json()["code"] == "no_such_day"
    wallet.close()
    silent = amy.get(f"/v1/wallet/days/{day}")
    assert (silent.status_code, silent.json()["code"]) == (503, "wallet_silent")
    wallet.close = lambda: None


def test_a_page_compares_one_day_at_a_time_and_no_long_one(floor, ada, wallet, monkeypatch):
    """Neither more of the ledger nor more of the wallet, nor a statement that takes too long."""
    floor.open()
    assert bet(ada, "k1").status_code == 201
    amy, day = floor.host.login("Amy"), wallet.requests[-1]["day"]

    def code():
        return amy.get(f"/v1/wallet/days/{day}").json()["code"]

    with wallet_routes._comparing:
        assert code() == "wallet_busy"
    with monkeypatch.context() as patch:
        patch.setattr(wallet_routes, "MOST_S", -1.0)
        assert code() == "wallet_silent"
    monkeypatch.setattr(wallet_routes, "MOST_OF_DAY", 1)
    wallet.book._entries.append({**wallet.book._entries[0], "key": "f" * 32})
    assert code() == "wallet_day_long"
    monkeypatch.setattr(wallet_routes, "MOST_OF_DAY", 0)
    assert code() == "wallet_day_long"
