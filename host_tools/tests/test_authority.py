"""Who may do what, asked of the functions that move money: no route or command is in between."""

import pytest

from host_tools.tests.pit import FULL, HOUSE, PIN_HASH, Pit
from tabletools import authority
from tabletools.api.roles import PERMISSIONS
from tabletools.money import adjustments, cash, payouts, pins
from tabletools.money.adjustments import Adjustment
from tabletools.money.cash import Movement
from tabletools.pit.orders import Order
from tabletools.pit.pit import _note_order
from tabletools.store import Actor, LedgerRejection, people
from tabletools.store.people import Opening

DAY_CENTS = 10_000_000  # EUR 100,000 alone in 24 hours
HOURS_24_MS = 24 * 3600 * 1000


@pytest.fixture
def pit(ledger_place):
    new_pit = Pit(ledger_place)
    yield new_pit
    new_pit.ledger.close()


@pytest.fixture
def staff(pit):
    """An actor of every role by its name; Sue and Dan are those of the pit."""
    actors = {"supervisor": Actor("Sue", pit.users[0]), "dealer": Actor("Dan", pit.users[1])}
    for name, role in (("Cas", "cashier"), ("Tim", "technician"), ("Amy", "auditor")):
        actors[role] = Actor(name, people.create_user(pit.ledger, name, role, None, HOUSE))
    return actors


def refused(code, action, *args, **named):
    with pytest.raises(LedgerRejection) as caught:
        action(*args, **named)
    assert caught.value.code == code
    return caught.value


def acts(pit):
    """What an actor tries, by the act of the table."""
    ledger, ada, keys = pit.ledger, pit.ada, pit.keys

    def ordered(name):
        order = Order(name, {}, 1)
        return lambda who: ledger.run(lambda db: _note_order(db, pit.table, order, who, 0))

    def out(who):
        return cash.pay_out(ledger, ada, 100, next(keys), who, held_cents=10**9)

    def seat(who):
        name = who.name.encode()
        opening = Opening(name, 2**62, None, ada, pit.table, "seat 1", pin_hash=PIN_HASH)
        number = people.open_session(ledger, opening, who)
        people.close_session(ledger, number, "closed", who)

    return {
        authority.DEPOSIT: lambda who: cash.deposit(ledger, ada, 100, next(keys), who),
        authority.PAYOUT: out,
        authority.SEAT: seat,
        authority.USER_CHANGE: lambda who: people.create_user(
            ledger, f"new of {who.name}", "dealer", None, who
        ),
        authority.ORDER: ordered("open_bets"),
        authority.CLEAR_FAULT: ordered("clear_fault"),
    }


# By hand: the supervisor runs the floor, the cashier the desk, the technician the machines.
MAY = {
    "deposit": {"supervisor", "cashier"},
    "payout": {"supervisor", "cashier"},
    "seat": {"supervisor", "dealer"},
    "user_change": {"supervisor"},
    "order": {"supervisor", "dealer", "technician"},
    "clear_fault": {"supervisor", "technician"},
}


@pytest.mark.parametrize("act", MAY)
def test_only_these_roles_may(pit, staff, act):
    """Every role tries it at the function itself; a disabled user may nothing."""
    action = acts(pit)[act]
    for role, who in staff.items():
        if role in MAY[act]:
            action(who)
        else:
            assert role in refused("user_not_allowed", action, who).what
    role = sorted(MAY[act])[0]
    people.change_user(pit.ledger, staff[role].user, HOUSE, enabled=0)
    refused("user_not_allowed", action, staff[role])


def test_a_cashier_alone_pays_in_so_much_a_day(pit, staff):
    """For whichever players; one cent more takes a second user, a day later none."""
    cas = staff["cashier"]
    cash.deposit(pit.ledger, pit.ada, DAY_CENTS - 500, "one", cas)
    cash.deposit(pit.ledger, pit.ben, 500, "two", cas)
    said = refused("two_users_needed", cash.deposit, pit.ledger, pit.ben, 1, "three", cas)
    assert f"{DAY_CENTS + 1} cents in 24 hours, a cashier alone {DAY_CENTS} at most" in said.what
    assert pit.balance(pit.ben) == FULL + 500
    pit.clock.pass_ms(HOURS_24_MS)
    cash.deposit(pit.ledger, pit.ben, 1, "four", cas)
    assert pit.balance(pit.ben) == FULL + 501


def test_a_supervisor_alone_pays_in_no_fortune(pit, staff):
    """10,000,000.00 by one user was possible: two different users, one of them a supervisor."""
    sue, cas, dan = staff["supervisor"], staff["cashier"], staff["dealer"]
    deposit = (pit.ledger, pit.ada, 1_000_000_000, "fortune", sue)
    refused("two_users_needed", cash.deposit, *deposit)
    refused("two_users_needed", cash.deposit, *deposit, confirmed_by=[sue, sue])
    refused("user_not_allowed", cash.deposit, *deposit, confirmed_by=[sue, dan])
    assert cash.deposit(*deposit, confirmed_by=[sue, cas]) == FULL + 1_000_000_000
    other = Actor("Cy", people.create_user(pit.ledger, "Cy", "cashier", None, HOUSE))
    deposit = (pit.ledger, pit.ada, DAY_CENTS + 1, "cashiers", cas)
    refused("supervisor_needed", cash.deposit, *deposit, confirmed_by=[cas, other])


def test_a_pin_is_set_by_two_of_the_desk(pit, staff):
    """One alone could play with the money of any player who has none."""
    sue, cas, dan = staff["supervisor"], staff["cashier"], staff["dealer"]
    change = (pit.ledger, pit.ada, "another")
    refused("user_not_allowed", pins.reset, *change, dan, [dan, sue])
    refused("two_users_needed", pins.reset, *change, sue, [sue, sue])
    refused("two_users_needed", pins.reset, *change, sue, [])
    refused("user_not_allowed", pins.reset, *change, sue, [sue, dan])
    pins.reset(*change, cas, [cas, sue])
    with pit.ledger.read() as db:
        assert pins.find(db, pit.ada).pin_hash == "another"


def test_what_two_confirmed_leaves_what_one_may_alone(pit, staff):
    """EUR 200,000.00 by two, then EUR 100,000.00 by the cashier alone, and not a cent more."""
    sue, cas = staff["supervisor"], staff["cashier"]
    two = [cas, sue]
    cash.deposit(pit.ledger, pit.ada, 2 * DAY_CENTS, "by two", cas, confirmed_by=two)
    cash.deposit(pit.ledger, pit.ada, DAY_CENTS, "alone", cas)
    refused("two_users_needed", cash.deposit, pit.ledger, pit.ada, 1, "more", cas)


def test_who_may_hold_and_release_a_payout(pit, staff):
    wanted = Movement(pit.ada, -1000)
    refused("user_not_allowed", payouts.hold, pit.ledger, wanted, "a", staff["dealer"], 500)
    number = payouts.hold(pit.ledger, wanted, "b", staff["cashier"], 500)
    decision = payouts.Decision(number, True, "seen")
    refused("user_not_allowed", payouts.decide, pit.ledger, decision, "c", staff["cashier"])
    payouts.decide(pit.ledger, decision, "d", staff["supervisor"])
    assert pit.balance(pit.ada) == FULL - 1000


def test_two_users_adjust_so_much_a_day(pit, staff):
    """Both directions add up, with any other user and for any player; a day later again."""
    sue, dan, cas = staff["supervisor"], staff["dealer"], staff["cashier"]
    other = Actor("Sid", people.create_user(pit.ledger, "Sid", "supervisor", None, HOUSE))

    def adjust(cents, first, second, player=None):
        said = (cents, pit.table, [first, second], "paid to ben", "camera 4", next(pit.keys))
        return adjustments.adjust(pit.ledger, Adjustment(player or pit.ada, *said))

    refused("user_not_allowed", adjust, 100, sue, cas)
    refused("two_users_needed", adjust, 100, sue, sue)
    refused("supervisor_needed", adjust, 100, dan, _dealer(pit))
    adjust(DAY_CENTS - 1_500, sue, dan)
    adjust(-1_000, other, sue)
    assert "adjusted 9999500 cents" in refused("adjustment_limit", adjust, 501, sue, dan).what
    adjust(500, dan, sue, pit.ben)
    refused("adjustment_limit", adjust, 1, sue, other, pit.ben)
    assert adjust(1, other, dan, pit.ben)[1] == FULL + 501
    pit.clock.pass_ms(HOURS_24_MS)
    assert adjust(1, sue, dan)[1] == FULL + DAY_CENTS - 2_499


def _dealer(pit):
    return Actor("Don", people.create_user(pit.ledger, "Don", "dealer", None, HOUSE))


def test_the_api_grants_what_the_table_grants():
    """Routes name what they do; the roles are those of the table of authority."""
    named = {
        "accounts.deposit": "deposit",
        "accounts.pay_out": "payout",
        "rounds.rule": "ruling",
        "rounds.deal": "deal",
        "accounts.adjust": "adjustment",
        "payouts.release": "payout_release",
        "bets.rule": "bet_ruling",
        "sessions.open": "seat",
        "accounts.pin": "pin",
        "tables.void_round": "void",
        "users.change": "user_change",
        "tables.order": "order",
        "tables.clear_fault": "clear_fault",
    }
    assert {name: authority.ACTS[act].roles for name, act in named.items()} == {
        name: PERMISSIONS[name] for name in named
    }
