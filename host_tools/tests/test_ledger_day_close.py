"""Day close, by hand: what was counted against what the ledger and the vault brought."""

from datetime import date, timedelta

import pytest

from host_tools.tests.pit import FULL, HOUSE, START
from tabletools.money import cash, day_close
from tabletools.money.day_close import CREDIT, FILL, Count, Expected, Place, Transfer
from tabletools.money.gaming_day import day_of
from tabletools.store import Actor, LedgerRejection, people
from tabletools.table.verify import check

DESK, TABLE = Place("EUR"), Place("EUR", 1)
TODAY = day_of(START, 6)
PAID_IN = 2 * FULL  # what Ada and Ben began with


@pytest.fixture
def both(pit):
    """Sue, a supervisor, and Cas, a cashier."""
    cas = people.create_user(pit.ledger, "Cas", "cashier", None, HOUSE)
    return [Actor("Sue", pit.users[0]), Actor("Cas", cas)]


def due(pit, place=DESK):
    with pit.ledger.read() as db:
        return day_close.expected(db, place)


def move(pit, both, kind, cents, place=DESK):
    wanted = Transfer(kind, place, cents, both, "chips", next(pit.keys))
    return day_close.transfer(pit.ledger, wanted)


def close(pit, both, counted, *, day=TODAY, place=DESK, key=None):
    wanted = Count(day, place, counted, both, "end of the day", key or next(pit.keys))
    return day_close.close(pit.ledger, wanted, 6)


def refused(action, *args, **more):
    with pytest.raises(LedgerRejection) as caught:
        action(*args, **more)
    return caught.value.code


def test_the_desk_by_hand(pit, both):
    """2,000.00 paid in, 5,000.00 filled, 1,000.00 credited, 250.00 paid out: 5,750.00; counted
    5,749.00, so 1.00 is short. The next day begins with what was counted."""
    assert due(pit) == Expected(0, PAID_IN, 0, PAID_IN, None)
    assert move(pit, both, FILL, 500_000) == PAID_IN + 500_000
    assert move(pit, both, CREDIT, 100_000) == PAID_IN + 400_000
    cash.pay_out(pit.ledger, pit.ada, 25_000, "out", HOUSE, held_cents=10_000_000)
    assert due(pit).expected_cents == 575_000
    assert close(pit, both, 574_900) == -100
    pit.clock.pass_ms(24 * 3_600_000)
    cash.deposit(pit.ledger, pit.ben, 7_000, "in", HOUSE)
    assert due(pit)[:1] + due(pit)[3:] == (574_900, 581_900, TODAY.isoformat())
    assert close(pit, both, 581_900, day=TODAY + timedelta(days=1)) == 0
    with pit.ledger.read() as db:
        closes, transfers = day_close.rows(db, DESK)
        assert [row["counted_cents"] - row["expected_cents"] for row in closes] == [0, -100]
        assert [(row["kind"], row["second_name"]) for row in transfers] == [
            ("credit", "Cas"),
            ("fill", "Cas"),
        ]
        assert check(db).problems == []


def test_a_table_has_what_was_brought(pit, both):
    """Its stakes come from accounts: they change nothing at the table, nor does the desk."""
    move(pit, both, FILL, 300_000, TABLE)
    pit.play(1, 17, (pit.ada, "red", 500))
    move(pit, both, CREDIT, 50_000, TABLE)
    assert due(pit, TABLE).expected_cents == 250_000
    assert due(pit).expected_cents == PAID_IN
    assert close(pit, both, 250_000, place=TABLE) == 0


def test_a_request_sent_again_is_booked_once(pit, both):
    wanted = Transfer(FILL, DESK, 1_000, both, "chips", "once")
    answers = [day_close.transfer(pit.ledger, wanted) for _ in range(2)]
    assert answers == [PAID_IN + 1_000] * 2
    assert refused(day_close.transfer, pit.ledger, wanted._replace(cents=2_000)) == "key_reused"
    assert [close(pit, both, 5, key="close") for _ in range(2)] == [5 - PAID_IN - 1_000] * 2


def test_a_day_is_closed_once_and_in_order(pit, both):
    close(pit, both, PAID_IN)
    for day in (TODAY, TODAY - timedelta(days=1)):
        assert refused(close, pit, both, PAID_IN, day=day) == "day_closed"
    assert refused(close, pit, both, 1, day=TODAY + timedelta(days=1)) == "no_such_day"
    assert refused(close, pit, both, 1, day=date(9999, 12, 31)) == "no_such_day"


def test_two_users_of_the_desk_decide(pit, both):
    """Neither one alone, nor the same twice, nor with a dealer; and they say why."""
    dan = pit.both[1]
    for users in (both[:1], both[:1] * 2, [both[0], dan], [dan, both[1]]):
        assert refused(move, pit, users, FILL, 100)
        assert refused(close, pit, users, 100)
    wanted = Count(TODAY, DESK, 100, both, "  ", "k")
    assert refused(day_close.close, pit.ledger, wanted, 6) == "reason_needed"
    assert due(pit) == Expected(0, PAID_IN, 0, PAID_IN, None)


def test_what_cannot_be_is_refused(pit, both):
    assert refused(move, pit, both, CREDIT, PAID_IN + 1) == "not_enough_money"
    assert refused(move, pit, both, "steal", 100) == "unknown_kind"
    assert refused(move, pit, both, FILL, 100, Place("EUR", 9)) == "no_such_table"
    assert refused(move, pit, both, FILL, 100, Place("USD", 1)) == "no_such_table"
    for cents in (0, -5, 10**30):
        assert refused(move, pit, both, FILL, cents) == "amount_invalid"
    for cents in (-1, 10**15, True):
        assert refused(close, pit, both, cents) == "amount_invalid"
