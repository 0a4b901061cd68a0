"""A pit with everything that a page of the console can show, for tests that open every page."""

from host_tools.tests.served import Floor
from tabletools.evidence import alarms
from tabletools.evidence.alarms import AlarmCause, raise_alarm
from tabletools.money import cash
from tabletools.store import Actor


def full_floor(place):
    """Alarms in each state, a payout that waits, a round with a bet, another being played."""
    floor = Floor(place)
    host, ledger = floor.host, floor.host.ledger
    sue = host.login("Sue")
    floor.player = host.terminal(sue, floor.table, "Ada")
    floor.open()
    _bet(floor, "first")
    floor.shut()
    floor.fall(17)
    floor.open()
    _bet(floor, "second")
    account = cash.open_account(ledger, "P9", "Eve")
    cash.deposit(ledger, account, 12_000_000, "first", Actor("house"))
    hold = {"json": {"cents": 12_000_000}, "headers": {"Idempotency-Key": "hold"}}
    assert sue.post(f"/v1/accounts/{account}/held-payouts", **hold).status_code == 201
    numbers = [
        ledger.run(lambda db, one=one: raise_alarm(db, one, ledger.clock.wall_ns()))
        for one in (
            AlarmCause(alarms.CALL, "Dan calls a supervisor: a dispute", 7, floor.table),
            AlarmCause(alarms.FAULT, "805 jam_in raised", 8, None, code=805),
            AlarmCause(alarms.LINK_LOST, "silent", 8),
            AlarmCause(alarms.LATE_WITHDRAWAL, "bet 1", 9, floor.table),
            AlarmCause(alarms.PIN_GUESSED, "account 1", None),
        )
    ]
    noted = {"reason": "a part comes", "minutes": 60, "alarms": numbers[3:4]}
    assert sue.post("/v1/alarms/shelve", json=noted).status_code == 204
    noted = {"note": "seen", "alarms": numbers[1:2]}
    assert sue.post("/v1/alarms/acknowledge", json=noted).status_code == 204
    return floor


def _bet(floor, key):
    slip = {"bet": "straight", "numbers": ["17"], "stake_cents": 500}
    answer = floor.player.post("/v1/bets", json=slip, headers={"Idempotency-Key": key})
    assert answer.status_code == 201, answer.text
