"""Bets: taken while the round is open, once for each key, within the limits; else refused."""

import pytest
from sqlalchemy import select

from host_tools.tests.pit import (
    DEVICE,
    FRENCH,
    HOUSE,
    MS,
    PIN_HASH,
    RETRANSMITTED,
    Pit,
    S,
    all_rounds,
)
from tabletools.evidence import claim
from tabletools.money.cash import deposit, open_account, pay_out
from tabletools.money.reports import late_bets
from tabletools.store import Actor, LedgerRejection
from tabletools.store.people import Opening, close_session, create_user, open_session
from tabletools.store.schema.evidence import alarms
from tabletools.store.schema.play import bets
from tabletools.table.betting import place, place_all, withdraw
from tabletools.table.intake import Intake
from tabletools.table.rulings import BetRuling, rule_bet
from tabletools.table.terms import create_table
from tablewire.messages import FAULT_RAISED, PHASE_CLOSED, ROUND_OPENED

FULL, HELD_CENTS = 100_000, 10_000_000
TILT = (401, 8, 1, 0)


def refused(pit, *words, **more):
    """The code a bet is refused with; no money moved."""
    before = pit.balance(pit.ada)
    with pytest.raises(LedgerRejection) as caught:
        pit.place(pit.ada, *words, **more)
    assert pit.balance(pit.ada) == before
    return caught.value.code


def test_a_round_that_its_records_closed_takes_no_bet(pit):
    """Also where the record came under the lease of another table: the state is still open."""
    other = create_table(pit.ledger, "R2", FRENCH, HOUSE, device=DEVICE + 1)
    own, elsewhere = pit.intake, Intake(pit.ledger, claim(pit.ledger, other, "host a"))
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.intake = elsewhere
    pit.close(1)
    assert refused(pit, "straight", 1000, numbers=["17"]) == "no_more_bets"
    pit.intake = own
    pit.end(1, 17)


def test_before_any_round_there_is_no_bet(pit):
    assert refused(pit, "red", 1000) == "no_round"


NOT_TAKEN = [
    ("red", 400, {}, "below_minimum"),
    ("dozen", 750, {"index": 1}, "not_a_multiple"),
    ("red", 750, {}, "not_a_multiple"),
    ("red", 1_000_500, {}, "not_enough_money"),
    ("straight", 500, {"numbers": ["37"]}, "unknown_number"),
    ("martingale", 500, {}, "unknown_bet"),
    ("red", 0, {}, "stake_invalid"),
    ("red", 10.0, {}, "stake_invalid"),
    ("red", 500, {"round": 99}, "other_round"),
    ("red", 500, {"session": 99}, "session_closed"),
    ("red", 500, {"replaces": 99}, "no_such_bet"),
    ("red", 500, {"key": ""}, "key_invalid"),
    ("straight", 500, {"numbers": ["1"], "index": "x"}, "wrong_type"),
]


def test_bets_that_the_table_does_not_take(pit):
    """Each refusal has its code, and nothing is debited."""
    pit.open(1)
    for bet, cents, more, code in NOT_TAKEN:
        assert refused(pit, bet, cents, **more) == code, bet


def test_the_maximum_holds_over_all_bets_of_a_player(pit):
    """hc2023 1:1(8): EUR 10,000 a chance; the second bet on red is over it, black is not."""
    deposit(pit.ledger, pit.ada, 10_000_000, "more", HOUSE)
    pit.open(1)
    pit.place(pit.ada, "red", 600_000)
    assert refused(pit, "rouge", 400_500) == "above_maximum"
    pit.place(pit.ada, "red", 400_000)
    pit.place(pit.ada, "black", 1_000_000)


def test_a_request_sent_again_is_carried_out_once(pit):
    """The same key and request: the same answer. Another request with it: refused."""
    pit.open(1)
    request = pit.request(pit.ada, "red", 1000, key="k")
    first = place(pit.ledger, pit.lease, request)
    pit.close(1)
    again = place(pit.ledger, pit.lease, request)
    assert again == first._replace(is_repeat=True)
    assert pit.balance(pit.ada) == FULL - 1000
    assert refused(pit, "black", 1000, key="k") == "key_reused"


def test_requests_of_one_transaction_are_answered_each_by_itself(pit):
    """The money is for two of three; a key twice is refused the second time."""
    pit.open(1)
    cents = [60_000, 50_000, 40_000]
    asked = [pit.request(pit.ada, "red", c, key=f"k{c}") for c in cents]
    asked.append(pit.request(pit.ben, "red", 500, key="k40000"))
    answers = place_all(pit.ledger, pit.lease, asked, reading=pit.reading)
    codes = [answer.code if isinstance(answer, LedgerRejection) else "taken" for answer in answers]
    assert codes == ["taken", "not_enough_money", "taken", "key_reused"]
    assert pit.balance(pit.ada) == 0


def test_a_bet_is_changed_and_taken_back(pit):
    """The old stake is returned with the new one's debit; then all of it."""
    pit.open(1)
    first = pit.place(pit.ada, "red", 1000)
    second = pit.place(pit.ada, "black", FULL, replaces=first.bet)
    assert (second.balance_cents, pit.balance(pit.ada)) == (0, 0)
    assert refused(pit, "red", 500, replaces=first.bet) == "no_such_bet"
    with pytest.raises(LedgerRejection, match="does not belong to this player"):
        withdraw(pit.ledger, pit.lease, pit.ben, second.bet, "b")
    back = withdraw(pit.ledger, pit.lease, pit.ada, second.bet, "w")
    assert back.balance_cents == FULL
    again = withdraw(pit.ledger, pit.lease, pit.ada, second.bet, "w")
    assert again == back._replace(is_repeat=True)
    pit.close(1)
    pit.end(1, 2)
    assert pit.balance(pit.ada) == FULL


def test_after_no_more_bets_nothing_is_taken_back(pit):
    pit.open(1)
    bet = pit.place(pit.ada, "red", 1000).bet
    pit.close(1)
    with pytest.raises(LedgerRejection, match="bets are closed"):
        withdraw(pit.ledger, pit.lease, pit.ada, bet, "w")


def link_lost(pit):
    pit.intake.link_lost(7, "no frame for 2.0 s")


def fault(pit):
    pit.say(FAULT_RAISED, TILT)


def phase(pit):
    pit.beat(PHASE_CLOSED)


def report_maximum_time(pit):
    pit.clock.pass_ms(60_000)
    pit.intake.lease = pit.lease = claim(pit.ledger, pit.table, "host a")
    pit.intake.tick()


def reboot(pit):
    pit.device.boot += 1
    pit.device.counter = 0
    pit.beat()


def other_host(pit):
    pit.clock.pass_ms(10_001)
    pit.lease = claim(pit.ledger, pit.table, "host b")


def dealer(pit):
    pit.intake.close("dealer")


def tamper(pit):
    pit.intake.tamper(7, "tag wrong", b"x")


@pytest.mark.parametrize(
    "happens", [link_lost, fault, phase, report_maximum_time, reboot, other_host, dealer, tamper]
)
def test_what_closes_the_bets(happens, pit):
    """Lost link, fault, phase, maximum time, reboot, another host, dealer, forgery."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    happens(pit)
    assert refused(pit, "red", 1000) == "no_more_bets"


def test_bets_end_with_the_maximum_time_by_themselves(pit):
    """Nobody has to close them: 60 s after the opening a bet is refused."""
    pit.open(1)
    pit.clock.pass_ms(9_000)
    pit.place(pit.ada, "red", 1000)
    pit.ledger._openings[pit.table] = pit.ledger._openings[pit.table]._replace(
        until_ns=pit.clock.mono_ns()
    )
    assert refused(pit, "red", 1000) == "no_more_bets"


@pytest.mark.parametrize("hours", [-24, -1, 1, 24])
def test_a_step_of_the_clock_opens_no_bets(hours, pit):
    """Closed bets stay closed, open ones are not affected, whichever way the wall clock steps."""
    pit.open(1)
    pit.clock.ahead += hours * 3600_000 * MS
    pit.place(pit.ada, "red", 1000)
    pit.close(1)
    pit.end(1, 1)
    pit.clock.ahead -= 2 * hours * 3600_000 * MS
    assert refused(pit, "red", 1000) == "no_more_bets"


def test_a_repeated_opening_opens_no_bets(pit):
    """It may be old: the ball may long have been launched."""
    pit.say(ROUND_OPENED, (1, 7, 60_000), 1, flags=2 | RETRANSMITTED)
    assert refused(pit, "red", 1000) == "no_more_bets"


def test_a_late_bet_of_hc2011_is_refused_and_reported(ledger_place):
    """hc2011 1:1(4): flatly."""
    terms = FRENCH._replace(rules="hc2011")
    pit = Pit(ledger_place, terms=terms)
    pit.open(1)
    pit.close(1)
    pit.clock.pass_ms(300)
    assert refused(pit, "red", 1000) == "no_more_bets"
    with pit.ledger.read() as db:
        [late] = late_bets(db, all_rounds(db))
    assert (late.bet, late.standing, late.after_closed_ms) == (None, "refused", 300)
    assert late.currency == "EUR"
    assert (late.after_open_ms, late.after_result_ms) == (310, None)
    pit.ledger.close()


def test_a_round_whose_stakes_were_all_given_back_holds_up_no_later_one(pit):
    """It never ended. A late bet bars the next round until two users rule; then none waits."""
    pit.open(1)
    bet = pit.place(pit.ada, "black", 1000)
    withdraw(pit.ledger, pit.lease, pit.ada, bet.bet, "w")
    pit.close(1)
    late = pit.place(pit.ada, "red", 1000)
    pit.open(2)
    with pytest.raises(LedgerRejection, match="round_unended"):
        pit.place(pit.ada, "red", 1000)
    rule_bet(pit.ledger, pit.lease, BetRuling(late.bet, False, pit.both, "seen", "a"))
    pit.close(2)
    pit.open(3)
    assert pit.place(pit.ada, "red", 1000).standing == "valid"


@pytest.mark.parametrize("is_valid", [True, False])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_late_bet_of_hc2023_waits_for_two_users(when, is_valid, pit):
    """READING-6: held, never settled automatically, then as two users rule, also after the end."""
    pit.open(1)
    pit.close(1)
    late = pit.place(pit.ada, "red", 1000)
    assert (late.standing, pit.balance(pit.ada)) == ("referred", FULL - 1000)
    if when == "after":
        pit.end(1, 1)
        assert pit.balance(pit.ada) == FULL - 1000
    for users in ([pit.both[0]], pit.both[:1] * 2, [pit.both[1], Actor("no user", 99)]):
        with pytest.raises(LedgerRejection, match="two different users"):
            rule_bet(pit.ledger, pit.lease, BetRuling(late.bet, is_valid, users, "seen", "a"))
    ruling = BetRuling(late.bet, is_valid, pit.both, "seen on video", "a")
    for _ in range(2):  # the answer was lost, it is sent again
        rule_bet(pit.ledger, pit.lease, ruling)
    with pytest.raises(LedgerRejection, match="was used for another request"):
        rule_bet(pit.ledger, pit.lease, ruling._replace(is_valid=not is_valid))
    with pytest.raises(LedgerRejection, match="was ruled on"):
        rule_bet(pit.ledger, pit.lease, ruling._replace(key="b"))
    if when == "before":
        pit.end(1, 1)
    assert pit.balance(pit.ada) == FULL + (1000 if is_valid else 0)
    with pit.ledger.read() as db:
        [report] = late_bets(db, all_rounds(db))
    assert (report.standing, report.ruled_valid) == ("referred", is_valid)


def test_late_bets_of_a_round_raise_one_alarm(pit):
    """Three requests, one of three bets: one alarm counts them; the next round has another."""
    for number in (1, 2):
        pit.open(number)
        pit.close(number)
        pit.place(pit.ada, "red", 1000)
        requests = [pit.request(pit.ben, name, 500) for name in ("black", "odd", "low")]
        place_all(pit.ledger, pit.lease, requests, reading=pit.reading)
        pit.place(pit.ada, "even", 1000)
        pit.end(number, 17)
    with pit.ledger.read() as db:
        columns = alarms.c
        alarm_rows = db.execute(
            select(columns.text, columns.repeats).where(columns.kind == "late_bet")
        ).all()
    assert [(text.split()[0], repeats) for text, repeats in alarm_rows] == [("bet", 2)] * 2


def test_a_player_is_at_one_terminal_at_a_time(pit):
    """The second session is refused until the first is closed; a closed one places no bet."""
    pit.open(1)

    def seat(token_hash):
        opening = Opening(token_hash, 10**19 // 2, account=pit.ada, pin_hash=PIN_HASH)
        return open_session(pit.ledger, opening, HOUSE)

    first = seat(b"1")
    with pytest.raises(LedgerRejection, match="another terminal"):
        seat(b"2")
    pit.place(pit.ada, "red", 500, session=first)
    assert close_session(pit.ledger, first, "left", HOUSE)
    assert refused(pit, "red", 500, session=first) == "session_closed"
    seat(b"3")


def test_a_payout_of_100_000_euros_is_held_for_release(pit):
    """1:1(14): the money stays where it is until two named users let it go, once."""
    deposit(pit.ledger, pit.ada, 20_000_000, "much", HOUSE)
    assert (
        pay_out(pit.ledger, pit.ada, 9_999_999, "below", HOUSE, held_cents=HELD_CENTS)
        == 10_100_001
    )
    for users, code in (((), "release_needed"), (pit.both[1:], "two_users_needed")):
        with pytest.raises(LedgerRejection) as caught:
            pay_out(
                pit.ledger,
                pit.ada,
                10_000_000,
                "held",
                HOUSE,
                held_cents=HELD_CENTS,
                released_by=users,
            )
        assert caught.value.code == code
    assert pit.balance(pit.ada) == 10_100_001
    for _ in range(2):
        left = pay_out(
            pit.ledger,
            pit.ada,
            10_000_000,
            "held",
            HOUSE,
            held_cents=HELD_CENTS,
            released_by=pit.both,
        )
        assert left == 100_001


def test_a_payout_in_parts_is_held_as_the_sum_is(pit):
    """EUR 600 twice with a limit of 1,000: the second is held; a day later, here, it is not."""
    deposit(pit.ledger, pit.ada, 200_000, "much", HOUSE)
    limit = {"held_cents": 100_000}
    pay_out(pit.ledger, pit.ada, 60_000, "a", HOUSE, **limit)
    pit.clock.pass_ms(24 * 3600_000 - 1)
    with pytest.raises(LedgerRejection, match="100000 in 24 hours, 100000 or more"):
        pay_out(pit.ledger, pit.ada, 40_000, "b", HOUSE, **limit)
    pay_out(pit.ledger, pit.ada, 39_999, "c", HOUSE, **limit)
    pay_out(pit.ledger, pit.ben, 60_000, "d", HOUSE, **limit)
    pay_out(pit.ledger, pit.ada, 1, "e", HOUSE, released_by=pit.both, **limit)
    pit.clock.pass_ms(1)
    assert pay_out(pit.ledger, pit.ada, 59_000, "f", HOUSE, **limit) == 141_000


def test_a_clock_set_forward_ends_no_window_of_payouts(pit):
    """EUR 600 twice with a limit of 1,000: the host's clock jumps a day ahead in between.

    The jump is in the ledger, so the window ends 24 hours after the first, as they passed.
    """
    deposit(pit.ledger, pit.ada, 200_000, "much", HOUSE)
    limit = {"held_cents": 100_000}
    pay_out(pit.ledger, pit.ada, 60_000, "a", HOUSE, **limit)
    pit.clock.pass_ms(5_000)
    step_ns = 24 * 3600 * S
    pit.clock.ahead += step_ns
    pit.intake.clock_stepped(step_ns)
    with pytest.raises(LedgerRejection) as caught:
        pay_out(pit.ledger, pit.ada, 60_000, "b", HOUSE, **limit)
    assert caught.value.code == "release_needed"
    pit.clock.pass_ms(24 * 3600_000 - 5_000)
    assert pay_out(pit.ledger, pit.ada, 60_000, "b", HOUSE, **limit) == 180_000


def test_a_name_that_shows_as_another_is_refused(pit):
    """Spaces around it, another composition, invisible characters; for users capitals too."""
    for name in (" ben", "ben ", "ben\u200b", "Andre\u0301", "ben\0"):
        with pytest.raises(LedgerRejection, match="name"):
            open_account(pit.ledger, "9", name)
        with pytest.raises(LedgerRejection, match="name"):
            create_user(pit.ledger, name, "dealer", None, HOUSE)
    assert open_account(pit.ledger, "9", "Andr\u00e9") > 0
    with pytest.raises(LedgerRejection, match="looks too similar"):
        create_user(pit.ledger, "SUE", "supervisor", None, HOUSE)


def test_money_in_and_out_once_for_each_key(pit):
    """A payout sent again pays once; more than there is is refused."""
    assert pay_out(pit.ledger, pit.ada, 40_000, "p", HOUSE, held_cents=HELD_CENTS) == 60_000
    assert pay_out(pit.ledger, pit.ada, 40_000, "p", HOUSE, held_cents=HELD_CENTS) == 60_000
    with pytest.raises(LedgerRejection, match="balance 60000"):
        pay_out(pit.ledger, pit.ada, 60_001, "q", HOUSE, held_cents=HELD_CENTS)
    with pytest.raises(LedgerRejection, match="has an account in EUR"):
        open_account(pit.ledger, "ADA", "another")
    assert pit.balance(pit.ada) == 60_000


def test_every_bet_keeps_its_time(pit):
    """Milliseconds since the opening by the monotonic clock, whatever the wall clock does."""
    pit.open(1)
    pit.clock.pass_ms(2_500)
    pit.clock.ahead -= 3600_000 * MS
    bet = pit.place(pit.ada, "red", 500).bet
    with pit.ledger.read() as db:
        row = db.execute(select(bets).where(bets.c.id == bet)).one()
    assert (row.after_open_ms, row.placed_ns) == (2_500, pit.clock.wall_ns())
