"""The clock of the host steps: kept, bets close, those after it are marked."""

import pytest
from sqlalchemy import select

from host_tools.tests.pit import MS, Hand, Pit, all_rounds
from host_tools.tests.served import Floor
from host_tools.tests.test_api_play import place_bet
from tabletools.evidence import alarms
from tabletools.money import play_queries
from tabletools.money.reports import late_bets
from tabletools.store import LedgerRejection
from tabletools.store.audit import Actor
from tabletools.store.clock import StepWatch, SystemClock
from tabletools.store.schema.evidence import clock_steps

HOUR_MS = 3600_000


class Stepped(SystemClock):
    """The clocks of this machine, of which a test sets one."""

    def __init__(self):
        self.by_ms = 0

    def wall_ns(self):
        return super().wall_ns() + self.by_ms * MS


@pytest.mark.parametrize("step_ms", [500, HOUR_MS, -500, -HOUR_MS])
def test_a_step_is_reported_once(step_ms):
    """From half a second on, in either direction; less is followed, and adds up to no step."""
    clock = Hand()
    watch = StepWatch(clock)
    looks = [watch.look()]
    for _ in range(10):
        clock.pass_ms(100)
        clock.ahead += 499 * MS if step_ms > 0 else -499 * MS
        looks.append(watch.look())
    assert (looks, watch.steps) == ([None] * 11, 0)
    clock.ahead += step_ms * MS
    assert [watch.look(), watch.look()] == [step_ms * MS, None]
    assert watch.steps == 1


def test_bets_after_a_step_are_marked_until_a_person_looked(ledger_place):
    """Open bets close, the step is kept with an alarm; those after it name the alarm."""
    pit = Pit(ledger_place)
    pit.open(1)
    before = pit.place(pit.ada, "red", 500).bet
    pit.clock.ahead -= HOUR_MS * MS
    pit.intake.clock_stepped(-HOUR_MS * MS)
    with pytest.raises(LedgerRejection, match="clock_step"):
        pit.place(pit.ada, "red", 500)
    pit.close(1)
    pit.end(1, 2)
    pit.open(2)
    after = pit.place(pit.ada, "red", 500).bet
    pit.close(2)
    late = pit.place(pit.ben, "red", 500).bet
    pit.intake.clock_stepped(7 * MS, device=7)  # of the table: kept, and no bet hangs on it
    pit.end(2, 2)
    with pit.ledger.read() as db:
        alarm = alarms.unseen(db, "clock_step")
        steps = db.execute(select(clock_steps).order_by(clock_steps.c.id)).all()
        assert [(row.device, row.step_ns) for row in steps] == [
            (None, -HOUR_MS * MS),
            (7, 7 * MS),
        ]
        marked = {row.bet: row.clock_alarm for row in late_bets(db, all_rounds(db))}
    alarms.acknowledge(pit.ledger, alarm, Actor("Sue", pit.users[0]), "set right")
    pit.open(3)
    bet = pit.place(pit.ada, "red", 500).bet
    with pit.ledger.read() as db:
        alarms_by_bet = {
            row["id"]: row["clock_alarm"] for row in play_queries.bets_by(db, pit.ada)
        }
    assert (alarms_by_bet, marked[late]) == ({before: None, after: alarm, bet: None}, alarm)
    pit.ledger.close()


def test_a_running_host_sees_a_step(tmp_path):
    """Back by an hour while bets are open: closed, one alarm; the next round takes bets."""
    clock = Stepped()
    floor = Floor(str(tmp_path / "ledger"), clock=clock)
    try:
        set_back(floor, clock)
    finally:
        floor.close()


def set_back(floor, clock):
    sue = floor.host.login("Sue")
    ada = floor.host.terminal(sue, floor.table, "ada")
    floor.open()
    assert place_bet(ada, "a").status_code == 201
    clock.by_ms = -HOUR_MS
    floor.wait(lambda facts: facts["cause"] == "clock_step")
    assert place_bet(ada, "b").json()["code"] == "no_more_bets"
    [alarm] = sue.get("/v1/alarms").json()["alarms"]
    assert alarm["text"].startswith("the clock of this host stepped by -36000")
    floor.shut()
    floor.fall(7)
    floor.open()
    assert place_bet(ada, "c").status_code == 201
    [bet] = ada.get("/v1/bets").json()["bets"]
    assert bet["clock_alarm"] == alarm["id"]
