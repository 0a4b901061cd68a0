"""The end of play, announced by a dealer: hc2023 and hc2011 1:1(11)."""

import json

import pytest
from sqlalchemy import select

from host_tools.tests import machines
from host_tools.tests.pit import DEVICE, FRENCH, FULL, HOUSE, MS, Pit
from host_tools.tests.test_ledger_dealer import BLACKJACK
from tabletools.evidence import claim
from tabletools.money.play_queries import play_end as play_end_of
from tabletools.store import LedgerRejection
from tabletools.store.schema.books import outbox
from tabletools.table import betting, play_end, verify_play_end
from tabletools.table.intake import Intake
from tabletools.table.terms import change_table
from tabletools.table.verify import check
from tablewire.sender import Sender

MINUTE_MS = 60_000


def refused(pit, kind="red"):
    """The code and the text with which the table refuses a bet of EUR 10."""
    with pytest.raises(LedgerRejection) as error:
        pit.place(pit.ada, kind, 1000)
    return error.value.code, error.value.what


def announce(pit, kind):
    play_end.announce(pit.ledger, pit.lease, kind, pit.both[1])


def withdraw(pit):
    play_end.withdraw(pit.ledger, pit.lease, pit.both[0])


def ending(pit):
    """What the page of the table says: the kind, and when the last minutes are over."""
    with pit.ledger.read() as db:
        return tuple(play_end_of(db, pit.table))


def test_the_round_that_is_being_played_is_the_last(pit):
    """It takes bets until no more bets and is settled; the next one opens none, and says why."""
    pit.open(1)
    announce(pit, "round")
    assert pit.place(pit.ada, "red", 1000).standing == "valid"
    pit.close(1)
    pit.end(1, 1)
    assert pit.balance(pit.ada) == FULL + 1000
    assert refused(pit) == ("play_ended", "play at table R1 has ended: last round played")
    pit.open(2)
    assert refused(pit) == ("play_ended", "play at table R1 has ended: last round played")
    assert ending(pit) == ("round", None)
    pit.close(2)
    pit.end(2, 1)
    pit.open(3)
    assert refused(pit)[0] == "play_ended"


def test_between_two_rounds_the_next_one_is_the_last(pit):
    pit.play(1, 1)
    announce(pit, "round")
    pit.play(2, 1, (pit.ada, "red", 1000))
    pit.open(3)
    assert refused(pit)[0] == "play_ended"


def test_before_the_first_round_of_a_table_the_first_is_the_last(pit):
    announce(pit, "round")
    pit.play(1, 1, (pit.ada, "red", 1000))
    pit.open(2)
    assert refused(pit)[0] == "play_ended"


def test_a_last_round_that_is_void_is_spun_again(pit):
    """hc2023 2:1(2): the ball is spun again; the spin that decides is the last."""
    announce(pit, "round")
    pit.play(1, None, (pit.ada, "red", 1000))
    assert pit.balance(pit.ada) == FULL
    pit.play(2, 1, (pit.ada, "red", 1000))
    pit.open(3)
    assert refused(pit)[0] == "play_ended"


def test_a_round_without_a_result_that_two_users_void_is_played_again(pit):
    """A device that lost the spin reports nothing; two users return the stakes."""
    announce(pit, "round")
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    pit.close(1)
    assert pit.rule(1, {"void": "power cut"}) == 1
    pit.play(2, 1, (pit.ada, "red", 1000))
    pit.open(3)
    assert refused(pit)[0] == "play_ended"


def test_a_late_bet_in_the_last_round_still_waits_for_two_users(pit):
    """hc2023 1:1(4) holds in the last round as in any other."""
    pit.open(1)
    announce(pit, "round")
    pit.close(1)
    assert pit.place(pit.ada, "red", 1000).standing == "referred"


def test_a_stake_in_prison_is_decided_after_the_last_round(pit):
    """hc2023 2:2(1): zero imprisons; the next spin takes no bets, and red returns the stake."""
    announce(pit, "round")
    pit.play(1, 0, (pit.ada, "red", 1000, {"choice": "prison"}))
    pit.open(2)
    assert refused(pit)[0] == "play_ended"
    pit.close(2)
    pit.end(2, 1)
    assert pit.balance(pit.ada) == FULL
    with pit.ledger.read() as db:
        assert check(db).problems == []


def test_a_round_of_a_machine_that_was_exchanged_is_not_the_last(pit):
    """It was never ended; the first round of the spare machine is the last."""
    pit.open(1)
    change_table(pit.ledger, pit.lease, HOUSE, device=DEVICE + 1)
    announce(pit, "round")
    pit.device = Sender(DEVICE + 1, 1)
    pit.synced_ms = pit.clock.mono // MS
    pit.attach()
    pit.play(1, 1, (pit.ada, "red", 1000))
    pit.open(2)
    assert refused(pit)[0] == "play_ended"


def test_the_last_fifteen_minutes(pit):
    """A round opens until the last millisecond of them, and is played to its end."""
    announce(pit, "minutes")
    end_ns = pit.clock.wall_ns() + 15 * MINUTE_MS * MS
    assert ending(pit) == ("minutes", end_ns)
    pit.clock.pass_ms(15 * MINUTE_MS - 21)
    pit.attach()
    pit.open(1)
    pit.clock.pass_ms(5_000)
    assert pit.place(pit.ada, "red", 1000).standing == "valid"
    pit.close(1)
    pit.end(1, 1)
    assert pit.balance(pit.ada) == FULL + 1000
    assert refused(pit) == ("play_ended", "play at table R1 has ended: last minutes over")
    pit.open(2)
    assert refused(pit)[0] == "play_ended"


def test_it_is_withdrawn_and_announced_again(pit):
    """Bets open with the round after; the last round may follow the last minutes."""
    with pytest.raises(LedgerRejection, match="no end of play is announced"):
        withdraw(pit)
    announce(pit, "minutes")
    announce(pit, "round")
    with pytest.raises(LedgerRejection, match="the last round of table R1 was announced already"):
        announce(pit, "round")
    pit.play(1, 1)
    pit.open(2)
    assert refused(pit)[0] == "play_ended"
    withdraw(pit)
    assert ending(pit) == (None, None)
    pit.close(2)
    pit.end(2, 1)
    pit.play(3, 1, (pit.ada, "red", 1000))
    assert pit.balance(pit.ada) == FULL + 1000
    with pit.ledger.read() as db:
        query = select(outbox.c.data).where(outbox.c.type == play_end.ANNOUNCED)
        said = [json.loads(text) for text in db.execute(query.order_by(outbox.c.id)).scalars()]
    assert [(each["last"], each["user"]) for each in said] == [
        ("minutes", "Dan"),
        ("round", "Dan"),
        (None, "Sue"),
    ]


def test_another_host_knows_what_was_announced(pit):
    """It is of the table, so it holds for whichever host has the lease."""
    pit.play(1, 1)
    announce(pit, "round")
    pit.play(2, 1)
    pit.lease = claim(pit.ledger, pit.table, "host a")
    pit.intake = Intake(pit.ledger, pit.lease)
    pit.beat()
    pit.open(3)
    assert refused(pit)[0] == "play_ended"


def test_a_table_without_a_shoe_has_no_last_one(pit):
    with pytest.raises(LedgerRejection, match="no shoe is being dealt at table R1"):
        announce(pit, "shoe")


def test_the_last_shoe(ledger_place):
    """The rounds of the shoe in play open; one that goes on is the same shoe, a new one is not."""
    pit = Pit(ledger_place, terms=BLACKJACK)
    pit.say(*machines.shoe("new"))
    announce(pit, "shoe")
    for number, event in enumerate(("continued", "cut_card", "new"), 1):
        pit.open(number)
        bet = pit.place(pit.ada, "bet", 1000)
        betting.withdraw(pit.ledger, pit.lease, pit.ada, bet.bet, event)
        pit.close(number)
        pit.end(number)
        pit.say(*machines.shoe(event))
    assert refused(pit, "bet") == ("play_ended", "play at table R1 has ended: last shoe played")
    pit.open(4)
    assert refused(pit, "bet")[0] == "play_ended"
    with pit.ledger.read() as db:
        assert [*verify_play_end.problems(db)] == []
    pit.ledger.close()


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("round", "last round played"),
        ("minutes", "last minutes over"),
        ("shoe", "last shoe played"),
    ],
)
def test_a_bet_after_the_end_is_named(kind, why, ledger_place, monkeypatch):
    """A host that forgets the announcement accepts it; the bets before and after it are right."""
    pit = Pit(ledger_place, terms=BLACKJACK if kind == "shoe" else FRENCH)

    def play(number, pocket=None):
        pit.open(number)
        bet = pit.place(pit.ada, "bet" if kind == "shoe" else "red", 1000).bet
        betting.withdraw(pit.ledger, pit.lease, pit.ada, bet, f"back {number}")
        pit.close(number)
        pit.end(number, pocket)
        return bet

    if kind == "shoe":
        pit.say(*machines.shoe("new"))
    announce(pit, kind)
    play(1)
    play(2, None if kind == "shoe" else 1)
    if kind == "shoe":
        pit.say(*machines.shoe("new"))
    pit.clock.pass_ms(15 * MINUTE_MS)
    pit.attach()
    with monkeypatch.context() as forgetful:
        forgetful.setattr(play_end, "why_over", lambda *_: "")
        bet = play(3)
    withdraw(pit)
    play(4)
    with pit.ledger.read() as db:
        assert [*verify_play_end.problems(db)] == [
            f"round {pit.key(3)} (device {DEVICE} number 3): bet {bet} was placed after the "
            f"announced end of play: {why}"
        ]
        assert f"bet {bet} was placed after the announced end" in str(check(db).problems)
    pit.ledger.close()


@pytest.mark.parametrize("event", ["cut_card", "empty"])
def test_a_shoe_that_is_dealt_out_is_not_announced(event, ledger_place):
    """Which shoe was meant is unknown: the next one is declared first."""
    pit = Pit(ledger_place, terms=BLACKJACK)
    pit.say(*machines.shoe("new"))
    pit.say(*machines.shoe(event))
    with pytest.raises(LedgerRejection, match="no shoe is being dealt"):
        announce(pit, "shoe")
    pit.ledger.close()
