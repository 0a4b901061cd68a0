"""Alarms after ISA-18.2: raised, over and acknowledged apart; repeats, shelving, one cause."""

import json

import pytest
from sqlalchemy import select

from host_tools.tests.pit import BOOT, DEVICE, DURABLE, RETRANSMITTED, S
from host_tools.tests.test_ledger_bets import reboot
from tabletools.authenticity import NONE
from tabletools.evidence import alarms
from tabletools.evidence.alarms import AlarmCause, raise_alarm
from tabletools.money import people_queries
from tabletools.money.people_queries import AlarmSearch
from tabletools.store import Actor, LedgerRejection
from tabletools.store.schema.books import outbox
from tabletools.table.rulings import BetRuling, rule_bet
from tablewire import shuffler
from tablewire.messages import BETS_CLOSED, FAULT_CLEARED, FAULT_RAISED
from tablewire.roulette import CLOSE_CAUSE_BALL_DETECTED

MINUTE = 60 * S


def listed(pit, **more):
    with pit.ledger.read() as db:
        return people_queries.alarm_rows(db, pit.clock.wall_ns(), AlarmSearch(**more))


def open_alarms(pit):
    return [(row["kind"], row["code"], row["repeats"]) for row in listed(pit)]


def states(pit):
    return [(row["kind"], row["state"]) for row in listed(pit, standing=False)]


def raise_fault(pit, code, **more):
    pit.say(FAULT_RAISED, (code, 255, 1, 0), **more)
    pit.say(FAULT_CLEARED, (code, 255, 1_000), **more)


def add(pit, kind, device=DEVICE, table=1):
    """Raise an alarm now; returns its number."""
    now_ns = pit.clock.wall_ns()
    found = AlarmCause(kind, f"{kind} of {device}", device, table)
    return pit.ledger.run(lambda db: raise_alarm(db, found, now_ns))


def sue(pit):
    return Actor("Sue", pit.users[0])


def test_a_fault_that_is_over_waits_for_an_acknowledgement(pit):
    """Jam in, 805: over it stays open; twice is one alarm; once acknowledged, the next is new."""
    raise_fault(pit, shuffler.JAM_IN)
    raise_fault(pit, shuffler.JAM_IN)
    raise_fault(pit, shuffler.COUNT_SHORT)
    assert open_alarms(pit) == [("fault", shuffler.COUNT_SHORT, 0), ("fault", 805, 1)]
    jam = listed(pit)[1]
    assert (jam["state"], jam["cleared_by"]) == ("returned", None)
    assert jam["text"].startswith("805 jam_in raised")
    alarms.acknowledge(pit.ledger, jam["id"], sue(pit), "Card taken out")
    raise_fault(pit, shuffler.JAM_IN)
    assert open_alarms(pit) == [("fault", 805, 0), ("fault", shuffler.COUNT_SHORT, 0)]


def test_an_acknowledged_fault_stays_open_until_it_is_over(pit):
    """Who acknowledges does not say that the jam is gone; the table does."""
    pit.say(FAULT_RAISED, (shuffler.JAM_IN, 255, 1, 0))
    assert states(pit) == [("fault", "unacknowledged")]
    [jam] = listed(pit)
    alarms.acknowledge(pit.ledger, jam["id"], sue(pit), "Technician called")
    assert states(pit) == [("fault", "acknowledged")]
    pit.say(FAULT_RAISED, (shuffler.JAM_IN, 255, 1, 0))
    assert states(pit) == [("fault", "acknowledged")]
    pit.say(FAULT_CLEARED, (shuffler.JAM_IN, 255, 1_000))
    assert states(pit) == [("fault", "normal")]
    assert listed(pit) == []


def test_a_fault_of_a_boot_that_is_over_is_over(pit):
    """The table lost its power before it delivered the fault, and delivers it after its start.

    Nothing will clear it: it is told, and its cause is over. One of the present boot stands.
    """
    lost = pit.frame(FAULT_RAISED, (shuffler.JAM_IN, 255, 1, 0), flags=DURABLE | RETRANSMITTED)
    reboot(pit)
    pit.say(FAULT_RAISED, (shuffler.COUNT_SHORT, 255, 1, 0))
    pit.receive(lost)
    assert [(row["code"], row["state"]) for row in listed(pit)] == [
        (shuffler.JAM_IN, "returned"),
        (shuffler.COUNT_SHORT, "unacknowledged"),
    ]


def test_a_fault_of_a_boot_that_is_over_ends_none_of_the_present_one(pit):
    """The same fault is active now: that alarm stands, and counts the other."""
    lost = pit.frame(FAULT_RAISED, (shuffler.JAM_IN, 255, 1, 0), flags=DURABLE | RETRANSMITTED)
    reboot(pit)
    pit.say(FAULT_RAISED, (shuffler.JAM_IN, 255, 1, 0))
    pit.receive(lost)
    [jam] = listed(pit)
    assert (jam["state"], jam["repeats"]) == ("unacknowledged", 1)


def test_a_fault_outlasts_a_start_of_the_host(pit):
    """Jammed all the while: the alarm stands. One that the table's own start ended is over."""
    pit.say(FAULT_RAISED, (shuffler.JAM_IN, 255, 1, 0))
    pit.attach("host a")
    assert [row["state"] for row in listed(pit)] == ["unacknowledged"]
    reboot(pit)
    assert [row["state"] for row in listed(pit)] == ["returned"]


def test_a_fault_that_counts_for_nothing_is_no_alarm(pit):
    """Of a table without a seal nothing counts."""
    raise_fault(pit, shuffler.JAM_IN, seal=NONE)
    assert open_alarms(pit) == []


def test_a_link_that_is_lost_again_is_one_alarm_and_none_once_it_is_back(pit):
    """A loose cable hides no other alarm, and nobody has to acknowledge that it is in."""
    for _ in range(3):
        pit.intake.link_lost(DEVICE, "no frame for 2.0 s")
    assert open_alarms(pit) == [("link_lost", None, 2)]
    pit.intake.linked()
    assert states(pit) == [("link_lost", "normal")]


def test_stale_frames_of_every_round_are_one_alarm_until_bets_open(pit):
    """A delayed line raised one alarm a round."""
    pit.intake._is_fresh = lambda: False
    for number in (1, 2, 3):
        pit.open(number)
        pit.end(number)
    assert open_alarms(pit) == [("link_stale", None, 2)]
    pit.intake._is_fresh = lambda: True
    pit.open(4)
    assert states(pit) == [("link_stale", "normal")]


def test_stakes_that_wait_are_over_with_the_ruling(pit):
    """The round is ruled; the alarm waits for an acknowledgement only."""
    pit.open(1)
    pit.place(pit.ada, "red", 500)
    pit.say(BETS_CLOSED, (CLOSE_CAUSE_BALL_DETECTED, 8_000), 1)
    pit.end(1)
    assert states(pit) == [("void_held", "unacknowledged")]
    pit.rule(1, {"pocket": "1"})
    assert states(pit) == [("void_held", "returned")]


def test_a_stopped_device_is_over_when_it_is_released_by_that_user(pit):
    """Acknowledged, the conflict stays active; the release is a fact of Sue."""
    found = AlarmCause(alarms.CONFLICT, "17 and 5", DEVICE, 1)
    pit.ledger.run(lambda db: alarms.stop(db, found, pit.clock.wall_ns()))
    [conflict] = listed(pit)
    alarms.acknowledge(pit.ledger, conflict["id"], sue(pit), "Wheel inspected")
    assert states(pit) == [("conflict", "acknowledged")]
    with pytest.raises(LedgerRejection, match="without a stopped device"):
        alarms.clear_by_hand(pit.ledger, [conflict["id"]], sue(pit), "gone")
    pit.intake.release(DEVICE, sue(pit), "the first was right")
    [row] = listed(pit, standing=False)
    assert (row["state"], row["cleared_name"]) == ("normal", "Sue")


def test_a_call_is_over_when_it_is_acknowledged(pit):
    """The ledger cannot see that the supervisor came: the supervisor says so."""
    alarms.call_supervisor(pit.ledger, 1, pit.both[1], "a dispute")
    alarms.acknowledge(pit.ledger, listed(pit)[0]["id"], sue(pit), "Was there")
    assert states(pit) == [("supervisor_called", "normal")]


def test_an_end_that_the_ledger_missed_is_noted_by_hand(pit):
    """A table that is taken away never says that its fault is over."""
    pit.say(FAULT_RAISED, (shuffler.JAM_IN, 255, 1, 0))
    [jam] = listed(pit)
    alarms.clear_by_hand(pit.ledger, [jam["id"]], sue(pit), "machine taken away")
    [row] = listed(pit)
    assert (row["state"], row["cleared_name"]) == ("returned", "Sue")
    with pytest.raises(LedgerRejection, match="not active"):
        alarms.clear_by_hand(pit.ledger, [jam["id"]], sue(pit), "again")


def test_alarms_are_shelved_for_a_time_and_a_reason(pit):
    """Thirty minutes: then it is back by itself; also at once, by a user."""
    jam = add(pit, alarms.FAULT)
    alarms.shelve(pit.ledger, [jam], 30, sue(pit), "spare part comes at ten")
    [row] = listed(pit, is_shelved=True)
    assert (row["state"], row["shelved_name"]) == ("shelved", "Sue")
    assert row["shelved_why"] == "spare part comes at ten"
    assert listed(pit, is_shelved=False) == []
    pit.clock.pass_ms(30 * 60_000)
    assert states(pit) == [("fault", "unacknowledged")]
    alarms.shelve(pit.ledger, [jam], 480, sue(pit), "again")
    alarms.unshelve(pit.ledger, [jam], sue(pit), "it came")
    assert states(pit) == [("fault", "unacknowledged")]
    with pytest.raises(LedgerRejection, match="not shelved"):
        alarms.unshelve(pit.ledger, [jam], sue(pit), "twice")


@pytest.mark.parametrize("minutes", [0, -1, 481, 10**18])
def test_an_alarm_is_shelved_for_a_shift_at_most(pit, minutes):
    jam = add(pit, alarms.FAULT)
    with pytest.raises(LedgerRejection, match="1 to 480 minutes"):
        alarms.shelve(pit.ledger, [jam], minutes, sue(pit), "later")


def test_what_is_urgent_is_not_shelved_and_nothing_with_it(pit):
    """All of them, or none."""
    jam, call = add(pit, alarms.FAULT), add(pit, alarms.CALL)
    with pytest.raises(LedgerRejection, match="below urgent"):
        alarms.shelve(pit.ledger, [jam, call], 10, sue(pit), "quiet please")
    assert listed(pit, is_shelved=True) == []


def test_several_are_acknowledged_or_none(pit):
    """The second is not there: the first stays as it was."""
    jam, call = add(pit, alarms.FAULT), add(pit, alarms.CALL)
    with pytest.raises(LedgerRejection, match="alarm 99"):
        alarms.acknowledge_all(pit.ledger, [jam, 99], sue(pit), "seen")
    assert [row["acknowledged_ns"] for row in listed(pit)] == [None, None]
    alarms.acknowledge_all(pit.ledger, [jam, call, jam], sue(pit), "seen")
    assert states(pit) == [("supervisor_called", "normal"), ("fault", "acknowledged")]


@pytest.mark.parametrize("why", ["", "  "])
def test_whoever_handles_an_alarm_says_why(pit, why):
    jam = add(pit, alarms.FAULT)
    for act in (alarms.acknowledge_all, alarms.clear_by_hand, alarms.unshelve):
        with pytest.raises(LedgerRejection, match="reason"):
            act(pit.ledger, [jam], sue(pit), why)


def test_one_cause_at_many_tables_has_one_first_alarm(pit):
    """A switch fails: forty links and what follows at a device follow the first alarm."""
    first = add(pit, alarms.LINK_LOST, 1)
    for device in range(2, 41):
        pit.clock.pass_ms(1_000)
        add(pit, alarms.LINK_LOST, device)
    add(pit, alarms.LINK_STALE, 40)
    later = listed(pit, standing=False, most=500)[:-1]
    assert [row["first_up"] for row in later] == [first] * 40
    pit.clock.pass_ms(10_000)
    add(pit, alarms.LINK_LOST, 41)
    assert listed(pit)[0]["first_up"] is None


def test_an_urgent_alarm_never_follows_a_lesser_one(pit):
    """A forged frame at a table whose link was lost a second before stands by itself."""
    add(pit, alarms.LINK_LOST)
    tamper = add(pit, alarms.TAMPER)
    add(pit, alarms.FAULT)
    assert [row["first_up"] for row in listed(pit)] == [tamper, None, None]


def test_a_lost_link_does_not_follow_from_a_late_bet(pit):
    """What players do is no cause of what a machine does."""
    add(pit, alarms.LATE_BET)
    add(pit, alarms.LINK_LOST)
    assert [row["first_up"] for row in listed(pit)] == [None, None]


def test_each_fact_is_an_event(pit):
    """Raised, over, active again and over again, acknowledged."""
    raise_fault(pit, shuffler.JAM_IN)
    raise_fault(pit, shuffler.JAM_IN)
    alarms.acknowledge(pit.ledger, listed(pit)[0]["id"], sue(pit), "done")
    col = outbox.c
    query = select(col.type, col.data).where(col.type.like("%alarm%")).order_by(col.id)
    with pit.ledger.read() as db:
        events = [(kind.rpartition(".")[2], json.loads(data)) for kind, data in db.execute(query)]
    assert [kind for kind, _ in events] == ["raised", "cleared", "cleared", "acknowledged"]
    assert events[0][1]["priority"] == alarms.HIGH
    assert events[3][1]["note"] == "done"


def test_alarms_are_listed_by_table_kind_and_priority(pit):
    add(pit, alarms.CALL)
    add(pit, alarms.LINK_LOST, 8, None)
    assert [row["kind"] for row in listed(pit, priority=2)] == ["supervisor_called"]
    assert [row["kind"] for row in listed(pit, kind="link_lost")] == ["link_lost"]
    assert [row["kind"] for row in listed(pit, table=1)] == ["supervisor_called"]


@pytest.mark.parametrize("is_valid", [True, False])
@pytest.mark.parametrize("is_ended", [True, False])
def test_a_late_bet_is_over_with_its_ruling(pit, is_valid, is_ended):
    """Also when the round was settled without it, and the alarm was acknowledged before."""
    pit.open(1)
    pit.close(1)
    late = [pit.place(pit.ada, "red", 1_000) for _ in range(2)]
    if is_ended:
        pit.end(1, 1)
    alarms.acknowledge(pit.ledger, listed(pit)[-1]["id"], sue(pit), "seen")
    for place, bet in enumerate(late):
        assert ("late_bet", "acknowledged") in states(pit)
        ruling = BetRuling(bet.bet, is_valid, pit.both, "seen", f"rule {place}")
        rule_bet(pit.ledger, pit.lease, ruling)
    assert ("late_bet", "normal") in states(pit)


def test_what_a_start_raises_is_gone_once_it_is_put_right(pit):
    """The configuration did not fit and was corrected; a stale line is proved to be fresh."""
    pit.intake.measured(DEVICE, BOOT, ["tilt 3, wanted 4"], {})
    assert states(pit) == [("configuration", "unacknowledged")]
    pit.intake.measured(DEVICE, BOOT, [], {})
    assert states(pit) == [("configuration", "normal")]
    assert listed(pit) == []
