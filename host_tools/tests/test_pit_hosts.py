"""Hosts that come, go and meet: one truth a table, rounds settled once, bets closed in doubt."""

import threading
from contextlib import closing

import pytest
from sqlalchemy import select

from host_tools.tests.emulated import DEVICE, SECRET, Played
from host_tools.tests.pit import OPENED
from host_tools.tests.served import Floor, Host, french, until
from tableemulator.machines.repeater import Served
from tabletools.store import LedgerRejection, LostLease, StoreError
from tabletools.store.schema import play
from tabletools.table import verify
from tablewire import card_shoe, draw_machine
from tablewire.messages import PHASE_CLOSED, ROUND_OPENED

RED = {"bet": "red", "stake_cents": 500}


@pytest.fixture
def floor(ledger_place):
    """A table and a host, on both databases."""
    new_floor = Floor(ledger_place)
    yield new_floor
    new_floor.close()


def place_bet(terminal, key="a"):
    return terminal.post("/v1/bets", json=RED, headers={"Idempotency-Key": key})


def whole(host):
    """The books hold."""
    with host.ledger.read() as db:
        assert verify.check(db).problems == []


def balance(host, account=1):
    with host.ledger.read() as db:
        return db.exec_driver_sql(
            f"SELECT balance_cents FROM accounts WHERE id = {account}"
        ).scalar_one()


def settlements_of(host, number):
    return host.login("Sue").get(f"/v1/rounds/{number}").json()["settlements"]


def rounds_of(host, device):
    with host.ledger.read() as db:
        query = select(play.rounds.c.number).where(play.rounds.c.device == device)
        return [*db.execute(query).scalars()]


def test_a_round_goes_on_over_a_clean_stop(ledger_place):
    """The host stops with an open bet; the next one receives the end, settles once, pays once."""
    played = Played()
    with Served(played) as port:
        with Host(ledger_place, [french("R1", port.url)]) as first:
            first.user("Sue", "supervisor")
            live = first.pit.seat(1).live
            until(lambda: live.facts["link"] == "online")
            ada = first.terminal(first.login("Sue"), 1, "ada")
            played.open(1)
            until(lambda: live.facts["bets_open"])
            assert place_bet(ada).status_code == 201
            token = ada.headers["Authorization"]
        played.close(1)
        played.end(1, 7)
        with Host(ledger_place, [french("R1", port.url)]) as second:
            assert second.pit.seat(1).live.facts["cause"] == "host_ended"
            until(lambda: second.pit.seat(1).live.facts["results"])
            assert second.client(Authorization=token).get("/v1/seat").status_code == 401
            assert [row["generation"] for row in settlements_of(second, 1)] == [1]
            assert balance(second) == 100_500
            whole(second)
            until(lambda: not played.journal)


def test_the_second_host_waits_for_the_first(floor, ledger_place):
    """It holds and books nothing; when the first lets go it continues with the round."""
    sue = floor.host.login("Sue")
    ada = floor.host.terminal(sue, floor.table, "ada")
    number = floor.open()
    with Host(ledger_place, [french("R1", floor.port.url)]) as second:
        seat = second.pit.seat(floor.table)
        until(lambda: "is owned by" in (seat.live.facts["trouble"] or ""))
        other = second.client(Authorization=ada.headers["Authorization"])
        refused = place_bet(other)
        assert (refused.status_code, refused.json()["code"]) == (503, "table_not_held")
        assert second.client().get("/v1/ready").status_code == 503
        assert place_bet(ada).status_code == 201
        floor.host.stop()
        until(lambda: seat.live.facts["link"] == "online")
        assert seat.live.facts["bets_open"] is False
        floor.played.close(1)
        floor.played.end(1, 7)
        until(lambda: seat.live.facts["results"])
        assert [row["generation"] for row in settlements_of(second, number)] == [1]
        assert balance(second) == 100_500
        whole(second)


def test_a_host_that_lost_its_lease_says_no_more(floor, monkeypatch):
    """It could not renew, another claimed: no bet goes through it, its port is closed."""
    sue = floor.host.login("Sue")
    ada = floor.host.terminal(sue, floor.table, "ada")
    floor.open()
    host = floor.host.pit.seat(floor.table).host
    gone = StoreError("the ledger cannot be reached", "stopped", "start it")
    renewing, failing = threading.Event(), threading.Event()

    def fail(*_, **__):
        renewing.set()
        assert failing.wait(30)
        raise gone

    def held(*_, **__):
        raise LedgerRejection("table_held", "table 1 is held by another", "wait")

    with monkeypatch.context() as patch:
        patch.setattr("tabletools.evidence.renew", fail)
        patch.setattr("tabletools.evidence.claim", held)
        assert renewing.wait(30)  # so nothing renews it under the next lines
        host.lease = host.lease._replace(token=host.lease.token - 1)
        host.intake.lease = host.lease
        assert place_bet(ada).json()["code"] == "table_not_held"
        failing.set()
        floor.wait(lambda facts: not facts["held"])
        assert host.link is None
        assert place_bet(ada, "b").status_code == 503
    floor.wait(lambda facts: facts["link"] == "online")
    assert place_bet(ada, "c").json()["code"] == "no_more_bets"


def test_what_was_known_before_a_lease_was_lost_is_not_reported_after_it(floor):
    """The shoe may have been changed meanwhile: watchers get it when the table reports it."""
    live = floor.host.pit.seat(floor.table).live
    floor.played.order(card_shoe.SHOE_REPORT, (1, 8, 416, 0, 3), 0, PHASE_CLOSED)
    floor.wait(lambda facts: "shoe" in facts["machine"])
    floor.host.pit.seat(floor.table).host.lost(LostLease(floor.table, "another host claimed it"))
    floor.wait(lambda facts: not facts["held"])
    assert live.facts["machine"] == {}
    floor.wait(lambda facts: facts["link"] == "online")
    floor.played.order(draw_machine.BALLS_COUNTED, (80, 80, 2), 0, PHASE_CLOSED)
    floor.wait(lambda facts: facts["machine"])
    assert set(live.facts["machine"]) == {"balls"}


def test_a_ledger_that_failed_under_a_record_takes_no_bets(floor, monkeypatch):
    """The table's record was not stored: bets are refused until they were closed in the ledger."""
    sue = floor.host.login("Sue")
    ada = floor.host.terminal(sue, floor.table, "ada")
    floor.open()
    host, failing = floor.host.pit.seat(floor.table).host, threading.Event()
    failing.set()
    keep, close = host.intake.store, host.intake.close

    def or_fail(action):
        def act(*args):
            if failing.is_set():
                raise StoreError("the ledger is full", "no space", "make room")
            return action(*args)

        return act

    monkeypatch.setattr(host.intake, "store", or_fail(keep))
    monkeypatch.setattr(host.intake, "close", or_fail(close))
    floor.played.close(1)
    floor.wait(lambda facts: "failed" in (facts["trouble"] or ""))
    refused = place_bet(ada)
    assert (refused.status_code, refused.json()["code"]) == (503, "ledger_failed")
    failing.clear()
    until(lambda: floor.host.client().get("/v1/ready").status_code == 200)
    until(lambda: not floor.played.journal)
    assert floor.host.pit.seat(floor.table).live.facts["bets_open"] is False
    assert place_bet(ada).json().get("standing") != "valid"


def test_a_stranger_on_the_line_takes_no_bets(floor):
    """Another device answers where the table should be: bets close, with an alarm."""
    floor.open()
    floor.played.sender.device = DEVICE + 1
    floor.wait(lambda facts: not facts["bets_open"])
    floor.wait(lambda facts: facts["alarms"] >= 1)


@pytest.mark.parametrize("keyed", [True, False])
def test_records_of_another_table_wait_for_its_own_host(keyed, tmp_path):
    """A cable leads to another table: the lease of R1 covers no round of R2, which another host
    plays, and where bets may still be open.

    Its records, which one without a key sends to anybody, are neither stored nor acknowledged,
    and its own host gets them.
    """
    other = DEVICE + 1
    played, place = Played(other), str(tmp_path / "ledger")
    played.number = int(keyed)
    keys = {other: {1: SECRET}} if keyed else {}
    played.say(ROUND_OPENED, OPENED["roulette"], 1)
    with Served(played) as port:
        with Host(place, [french("R1", port.url)], keys=keys) as host:
            first = host.pit.seats[min(host.pit.seats)].live
            until(lambda: "its records wait" in (first.facts["trouble"] or ""))
            beats = played.beats
            until(lambda: played.beats >= beats + 20)  # what it says is heard meanwhile
            assert (rounds_of(host, other), len(played.journal)) == ([], 1)
            assert first.facts["link"] == "stranger"
        with Host(place, [french("R2", port.url, other)], keys=keys) as host:
            until(lambda: not played.journal)
            assert rounds_of(host, other) == [1] * keyed  # without a key it changes nothing


def test_terms_follow_the_file(ledger_place):
    """A host that starts with other limits writes them for the rounds to come, once."""
    with Served(Played()) as port:
        table = french("R1", port.url)
        with Host(ledger_place, [table]) as first:
            until(lambda: first.pit.seat(1).live.facts["held"])
        other = table.__class__(**{**vars(table), "limits": {"minimum": 1000}})
        for _ in range(2):
            with Host(ledger_place, [other]) as second:
                until(lambda: second.pit.seat(1).live.facts["held"])
                with closing(second.ledger.engine.raw_connection()) as db:
                    cursor = db.cursor()
                    cursor.execute("SELECT limits FROM terms ORDER BY id")
                    options = [row[0] for row in cursor.fetchall()]
    assert options == ['{"minimum": 500}', '{"minimum": 1000}']
