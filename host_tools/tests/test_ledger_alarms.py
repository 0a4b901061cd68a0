"""Open alarms: a fault, a lost link; repeats are counted until a user has acknowledged."""

from host_tools.tests.pit import DEVICE
from tabletools.authenticity import NONE
from tabletools.evidence import alarms
from tabletools.money import people_queries
from tabletools.store import Actor
from tablewire import shuffler
from tablewire.messages import FAULT_CLEARED, FAULT_RAISED


def standing(pit):
    with pit.ledger.read() as db:
        return people_queries.alarm_rows(db, standing=True)


def open_alarms(pit):
    return [(row["kind"], row["code"], row["repeats"]) for row in standing(pit)]


def raise_fault(pit, code, **more):
    pit.say(FAULT_RAISED, (code, 255, 1, 0), **more)
    pit.say(FAULT_CLEARED, (code, 255, 1_000), **more)


def test_a_fault_stands_as_an_alarm_until_a_user_saw_it(pit):
    """Jam in, 805: cleared it stays open; twice is one alarm; once seen, the next is new."""
    raise_fault(pit, shuffler.JAM_IN)
    raise_fault(pit, shuffler.JAM_IN)
    raise_fault(pit, shuffler.COUNT_SHORT)
    assert open_alarms(pit) == [("fault", shuffler.COUNT_SHORT, 0), ("fault", 805, 1)]
    jam = standing(pit)[1]
    assert jam["text"].startswith("805 jam_in raised")
    alarms.acknowledge(pit.ledger, jam["id"], Actor("Sue", pit.users[0]), "Card taken out")
    raise_fault(pit, shuffler.JAM_IN)
    assert open_alarms(pit) == [("fault", 805, 0), ("fault", shuffler.COUNT_SHORT, 0)]


def test_a_fault_that_counts_for_nothing_is_no_alarm(pit):
    """Of a table without a seal nothing counts."""
    raise_fault(pit, shuffler.JAM_IN, seal=NONE)
    assert open_alarms(pit) == []


def test_a_link_that_is_lost_again_is_one_alarm(pit):
    """A loose cable does not hide the other alarms."""
    for _ in range(3):
        pit.intake.link_lost(DEVICE, "no frame for 2.0 s")
    assert open_alarms(pit) == [("link_lost", None, 2)]
