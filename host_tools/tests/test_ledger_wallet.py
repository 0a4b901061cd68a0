"""Bets of players whose money is in an external wallet: debited first, paid back when in doubt."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest

from host_tools.tests.pit import HOUSE
from host_tools.tests.wallet_floor import BEGAN, LOST, Killed, WalletFloor
from tableemulator.wallet import WalletServer
from tabletools.money import wallet_transfers
from tabletools.pit.host_context import TableUnavailable
from tabletools.store import Actor, LedgerRejection, Store
from tabletools.store.schema.evidence import alarms
from tabletools.table.verify import check
from tabletools.wallet import external
from tabletools.wallet.http_wallet import HttpWallet
from tabletools.wallet.messages import UNKNOWN, Answer

SECRET = b"a secret of more than 24 bytes, shared"


@pytest.fixture
def floor(ledger_place):
    """Every test ends with a sound ledger, and no cent of a player in it."""
    new_floor = WalletFloor(ledger_place)
    yield new_floor
    new_floor.settle()
    assert set(new_floor.states()) <= {"held"}
    assert [new_floor.here(each) for each in new_floor.numbers] == [0, 0]
    with new_floor.pit.ledger.read() as db:
        assert check(db).problems == []
    new_floor.close()


def opened(floor, number=1):
    floor.round = number
    floor.pit.open(number)


def test_what_a_player_had_here_goes_to_the_wallet(floor):
    """EUR 1,000.00 were in the ledger: they are at the wallet now, and nothing is left here."""
    for account in floor.numbers:
        assert floor.at_wallet(account) == BEGAN
        assert floor.here(account) == 0


def test_a_bet_is_debited_and_its_winnings_are_credited(floor):
    """EUR 10.00 on red, 12 is red: EUR 20.00 come back."""
    ada = floor.pit.ada
    opened(floor)
    assert floor.bet(ada, "red", 1000).standing == "valid"
    assert floor.at_wallet(ada) == BEGAN - 1000
    floor.pit.close(1)
    floor.pit.end(1, 12)
    assert floor.here(ada) == 2000
    floor.deliver()
    assert (floor.at_wallet(ada), floor.here(ada)) == (BEGAN + 1000, 0)


def test_the_wallet_decides_whether_there_is_enough(floor):
    """One cent too much is refused, and the player is not debited."""
    ada = floor.pit.ada
    opened(floor)
    refusal = floor.bet(ada, "red", BEGAN + 500)
    assert isinstance(refusal, LedgerRejection)
    assert refusal.code == "not_enough_money"
    assert floor.bet(ada, "red", BEGAN).standing == "valid"
    assert floor.at_wallet(ada) == 0
    assert floor.states() == {}


def test_a_bet_that_the_table_refuses_asks_the_wallet_nothing(floor):
    """Below the minimum."""
    opened(floor)
    floor.line.is_down = True
    assert floor.bet(floor.pit.ada, "red", 100).code == "below_minimum"
    assert floor.wallet.requests.total() == 2  # of `link`


def test_no_more_bets_while_the_wallet_is_slow(floor):
    """The debit is reversed, the bet refused as late, also where a late bet may be ruled on."""
    ada = floor.pit.ada
    opened(floor)
    floor.line.next = ["closes"]
    assert floor.bet(ada, "red", 1000).code == "no_more_bets"
    assert floor.at_wallet(ada) == BEGAN - 1000
    floor.deliver()
    assert floor.at_wallet(ada) == BEGAN
    assert floor.bet(ada, "red", 1000).code == "no_more_bets"
    assert floor.at_wallet(ada) == BEGAN


def test_a_bet_of_one_round_is_not_placed_in_the_next(floor):
    """The wallet says yes when the next round is open: the player bet on the one before, also if
    the request names none."""
    pit, ada = floor.pit, floor.pit.ada
    opened(floor)

    def next_round():
        pit.close(1)
        pit.end(1, 17)
        opened(floor, 2)

    floor.line._close_bets = next_round
    floor.line.next = ["closes"]
    request = pit.request(ada, "red", 1000)
    assert request.round is None
    assert floor.ask(request).code == "no_more_bets"
    floor.deliver()
    assert floor.at_wallet(ada) == BEGAN
    assert floor.states() == {}


@pytest.mark.parametrize("event", LOST)
def test_a_debit_without_a_good_answer_is_no_bet(floor, event):
    """Whatever the wallet did, the player has the money again; bets are held until it answers."""
    ada = floor.pit.ada
    opened(floor)
    floor.line.next = [event]
    doubt = floor.bet(ada, "red", 1000)
    assert isinstance(doubt, TableUnavailable)
    assert doubt.code == "wallet_uncertain"
    held = floor.bet(ada, "red", 1000)
    assert (type(held), held.code) == (TableUnavailable, "wallet_down")
    assert floor.states() == {"reversing": 1}
    floor.deliver()
    floor.line.arrive()
    assert floor.at_wallet(ada) == BEGAN
    assert floor.bet(ada, "red", 1000).standing == "valid"
    assert floor.at_wallet(ada) == BEGAN - 1000


def test_a_stake_that_was_given_up_buys_no_bet(floor, monkeypatch):
    """This host was frozen, another one had it reversed: the wallet's yes comes too late."""
    ada, ledger = floor.pit.ada, floor.pit.ledger
    move = floor.line.move

    def frozen(kind, stake):
        answer = move(kind, stake)
        ledger.run(lambda db: wallet_transfers.undo_stakes(db, [stake.id], "given up"))
        return answer

    opened(floor)
    with monkeypatch.context() as patched:
        patched.setattr(floor.line, "move", frozen)
        refusal = floor.bet(ada, "red", 1000)
    assert (type(refusal), refusal.code) == (LedgerRejection, "wallet_late")
    floor.deliver()
    assert floor.at_wallet(ada) == BEGAN


def test_a_request_sent_again_is_debited_once(floor):
    """The same key gets the same answer, also while the first one is at the wallet."""
    ada = floor.pit.ada
    opened(floor)
    request = floor.pit.request(ada, "red", 1000, key="k")
    first = floor.ask(request)
    assert floor.ask(request) == first._replace(is_repeat=True)
    assert floor.at_wallet(ada) == BEGAN - 1000
    assert floor.ask(floor.pit.request(ada, "black", 1000, key="k")).code == "key_reused"
    assert floor.at_wallet(ada) == BEGAN - 1000


def test_a_bet_is_changed_and_withdrawn(floor):
    """A larger stake debits the difference, a smaller one pays it back."""
    pit, ada = floor.pit, floor.pit.ada
    opened(floor)
    first = floor.bet(ada, "red", 1000)
    second = floor.bet(ada, "red", 1500, replaces=first.bet)
    assert floor.at_wallet(ada) == BEGAN - 1500
    third = floor.bet(ada, "red", 500, replaces=second.bet)
    floor.deliver()
    assert floor.at_wallet(ada) == BEGAN - 500
    floor.queue._host.attended = lambda: pit.lease
    floor.queue.withdraw(ada, third.bet, "w")
    floor.deliver()
    assert floor.at_wallet(ada) == BEGAN


def test_a_correction_takes_back_or_is_an_open_item(floor):
    """Red won EUR 500.00; corrected to black, both the stake and the win are to be paid back."""
    pit, ada = floor.pit, floor.pit.ada
    opened(floor)
    floor.bet(ada, "red", BEGAN)
    pit.close(1)
    pit.end(1, 12)
    floor.deliver()
    assert floor.at_wallet(ada) == 2 * BEGAN
    floor.book.balances["ADA"] = 10  # spent elsewhere
    pit.rule(1, {"pocket": "17"})
    floor.deliver()
    assert floor.states() == {"held": 1}
    assert floor.held_cents(ada) == 2 * BEGAN
    kinds = [kind for kind, _ in pit.alarms()]
    assert kinds.count("wallet_refused") == 1
    assert "balance_below_zero" not in kinds


def test_a_refusal_that_a_host_slept_on_does_not_hold_the_next_request(floor):
    """Two hosts: one sleeps with the refusal in hand. Meanwhile the other holds the payment, a
    user has it sent again, and the wallet pays. Held again, it would be paid twice."""
    pit, ada, book = floor.pit, floor.pit.ada, floor.book
    opened(floor)
    floor.bet(ada, "red", 1000)
    pit.close(1)
    pit.end(1, 12)
    had = book.balances.pop("ADA")
    floor.deliver()
    with pit.ledger.read() as db:
        [held] = wallet_transfers.in_states(db, "held")
    slept_on = held._replace(state="queued", attempts=0)
    again = wallet_transfers.retry(pit.ledger, held.id, HOUSE, "account opened again")
    with pit.ledger.write() as db:
        wallet_transfers.hold(db, slept_on, "refused: unknown_account", 1)
        assert [one.id for one in wallet_transfers.in_states(db, "queued")] == [again.id]
    book.balances["ADA"] = had
    floor.deliver()
    assert floor.at_wallet(ada) == had + 2000
    assert floor.states() == {}


def test_a_payment_that_never_gets_an_answer_is_an_alarm_until_it_does(floor, monkeypatch):
    """The wallet is well and answers 404 to this one payment: nobody would have known of it."""
    pit = floor.pit
    opened(floor)
    floor.bet(pit.ada, "red", 1000)
    pit.close(1)
    pit.end(1, 12)

    def not_found(kind, transfer):
        return Answer(UNKNOWN, "answered 404")

    with monkeypatch.context() as patched:
        patched.setattr(floor.line, "move", not_found)
        floor.deliver(wallet_transfers.UNANSWERED - 1)
        assert "wallet_refused" not in [kind for kind, _ in pit.alarms()]
        floor.deliver(3)
    [said] = [text for kind, text in pit.alarms() if kind == "wallet_refused"]
    assert said.endswith("has no good answer after 20 requests: answered 404")
    floor.deliver()
    with pit.ledger.read() as db:
        [row] = db.execute(alarms.select().where(alarms.c.kind == "wallet_refused")).all()
    assert row.cleared_ns is not None
    assert floor.at_wallet(pit.ada) == BEGAN + 1000


def test_payments_that_never_get_an_answer_hold_no_other_up(floor, monkeypatch):
    """The wallet never answers for Ada, whose payment is older: Ben is paid all the same."""
    pit, move = floor.pit, floor.line.move
    monkeypatch.setattr(external, "_BATCH", 1)
    opened(floor)
    for account in (pit.ada, pit.ben):
        floor.bet(account, "red", 1000)
    pit.close(1)
    pit.end(1, 12)

    def silent(kind, transfer):
        if transfer.account == pit.ada:
            return Answer(UNKNOWN, "no answer in time")
        return move(kind, transfer)

    with monkeypatch.context() as patched:
        patched.setattr(floor.line, "move", silent)
        floor.deliver(4)
    assert floor.at_wallet(pit.ben) == BEGAN + 1000
    assert floor.states() == {"queued": 1}


def test_a_wallet_that_is_down_raises_one_alarm_and_clears_it(floor):
    """It is raised once it does not answer a question either."""
    pit = floor.pit
    opened(floor)
    floor.line.is_down = True
    floor.bet(pit.ada, "red", 1000)
    floor.deliver(5)
    assert [kind for kind, _ in pit.alarms()].count("wallet_down") == 1
    floor.line.is_down = False
    floor.deliver(2)
    assert floor.wallet.trouble() == ""
    with pit.ledger.read() as db:
        rows = db.execute(alarms.select().where(alarms.c.kind == "wallet_down")).all()
    assert [row.cleared_ns is not None for row in rows] == [True]


STEPS = ("verified", "reserved", "wallet_sends", "wallet_sent", "posted", "inserted", "kept")
ALSO_LATER = ("before_commit", "committed")
"""Steps of both transactions of a bet; the others are in one of them."""
CRASHES = [*((step, 0) for step in STEPS), *((step, n) for step in ALSO_LATER for n in (0, 1, 2))]


@pytest.mark.parametrize(("step", "count"), CRASHES)
@pytest.mark.one_in(2)
def test_a_host_that_dies_at_any_step_of_a_bet(floor, step, count):
    """The terminal repeats its request: the player has a bet and paid it, or neither."""
    pit, ada = floor.pit, floor.pit.ada
    opened(floor)
    request = pit.request(ada, "red", 1000)
    floor.kill_at(step, count)
    answer = floor.ask(request)
    assert isinstance(answer, Killed) or count == 2
    floor.restart()
    answer = floor.ask(request)
    is_placed = not isinstance(answer, (LedgerRejection, TableUnavailable))
    pit.close(1)
    pit.end(1, 12)
    floor.settle()
    assert floor.at_wallet(ada) == BEGAN + (1000 if is_placed else 0)


def killed(floor, step, request):
    """A host of its own process takes a bet, over HTTP, and is killed at a step."""
    floor.pit.ledger.at = lambda here: here == step and os.kill(os.getpid(), signal.SIGKILL)
    floor.ask(request)


@pytest.mark.parametrize("step", ["reserved", "wallet_sends", "wallet_sent", "kept", "committed"])
@pytest.mark.one_in(2)
def test_a_process_that_is_killed_in_a_bet(floor, step):
    """SIGKILL, and real requests: what the wallet has is what the ledger says, once delivered."""
    pit, ada = floor.pit, floor.pit.ada
    opened(floor)
    request, line = pit.request(ada, "red", 1000), floor.line
    server = WalletServer(floor.book, SECRET, timeout_s=1)
    with closing(server):
        floor.close()
        child = os.fork()
        if not child:
            try:
                floor.line = HttpWallet(server.url, [SECRET], timeout_s=1)
                pit.ledger = Store.open(floor.place, clock=pit.clock)
                floor.begin()
                floor.wallet._down = ""
                floor.pit.ledger.note_opening(pit.table, 1, 60 * 10**9)
                killed(floor, step, request)
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
    floor.line = line
    floor.restart()
    answer = floor.ask(request)
    is_placed = not isinstance(answer, (LedgerRejection, TableUnavailable))
    pit.close(1)
    pit.end(1, 12)
    floor.settle()
    assert floor.at_wallet(ada) == BEGAN + (1000 if is_placed else 0)


@pytest.mark.parametrize("step", ["wallet_sends", "wallet_sent", "wallet_answered", "committed"])
@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.one_in(2)
def test_a_host_that_dies_while_it_pays(floor, step, count):
    """Sent again under its key, the winnings arrive once."""
    pit, ada = floor.pit, floor.pit.ada
    opened(floor)
    floor.bet(ada, "red", 1000)
    pit.close(1)
    pit.end(1, 12)
    floor.kill_at(step, count)
    with suppress(Killed):
        floor.deliver(2)
    floor.restart()
    floor.settle()
    assert floor.at_wallet(ada) == BEGAN + 1000


def test_verify_finds_a_transfer_that_its_posting_does_not_explain(floor):
    """Another amount, and a posting that names no transfer; all of it is put back."""
    opened(floor)
    floor.bet(floor.pit.ada, "red", 1000)
    with floor.pit.ledger.engine.begin() as db:
        change = (
            "UPDATE wallet_transfers SET amount_cents = amount_cents + {} WHERE kind = 'stake'"
        )
        db.exec_driver_sql(change.format(1))
        row = "(id, at_ns, kind, currency) VALUES (999, 0, 'wallet', 'EUR')"
        db.exec_driver_sql(f"INSERT INTO postings {row}")
        found = list(wallet_transfers.problems(db))
        db.rollback()
    assert found == [
        "wallet transfer 3: stake of 1001 cents, its posting moves 1000",
        "posting 999 moves money of the wallet, and no transfer names it",
    ]


def test_what_one_user_sends_again_another_does_not_close(floor, monkeypatch):
    """Both at once: one of them is refused, or the player would be paid twice."""
    pit, ada = floor.pit, floor.pit.ada
    opened(floor)
    floor.bet(ada, "red", 1000)
    pit.close(1)
    pit.end(1, 12)
    cents = floor.book.balances.pop("ADA")
    floor.deliver()
    [number] = ids_held(floor)
    both, read = threading.Barrier(2), wallet_transfers._held

    def held(db, number):
        one = read(db, number)
        with suppress(threading.BrokenBarrierError):
            both.wait(0.5)  # a writer that is kept out never gets here
        return one

    monkeypatch.setattr(wallet_transfers, "_held", held)
    reason, program = "ticket 4711", Actor("command line")
    acts = (
        lambda: wallet_transfers.retry(pit.ledger, number, program, reason),
        lambda: wallet_transfers.close(pit.ledger, number, [program], reason),
    )
    with ThreadPoolExecutor(2) as pool:
        failures = [each.exception() for each in [pool.submit(act) for act in acts]]
    [refusal] = [failure for failure in failures if failure is not None]
    assert refusal.code == "no_such_transfer"
    floor.book.open("ADA", cents)


def ids_held(floor):
    """Numbers of the transfers that the wallet refused."""
    with floor.pit.ledger.read() as db:
        return [one.id for one in wallet_transfers.in_states(db, wallet_transfers.HELD)]
